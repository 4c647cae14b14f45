"""The heuristics at a node: better schedules, never above the bound, nothing once it is over."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM
from hadaropt.offline.clock import UNIT, Clock
from hadaropt.offline.colgen.column_generation import Solved
from hadaropt.offline.first_schedule import first_schedule
from hadaropt.offline.heuristics import portfolio as module
from hadaropt.offline.heuristics.dive import Allowance, Descent, Dive
from hadaropt.offline.heuristics.divers import Divers
from hadaropt.offline.heuristics.diving import Diving
from hadaropt.offline.heuristics.params import HeuristicParams
from hadaropt.offline.heuristics.portfolio import Heuristics
from hadaropt.offline.tree.branch_and_price import Search, branch_and_price
from hadaropt.schedule import Schedule, check_schedule
from tests.offline.support import tight

FEW = HeuristicParams(search_iterations=300, removed=(12,), noisy_dives=1, restricted_nodes=3)


def root(parallelism: str, clock: Clock | None = None) -> tuple[Search, Solved]:
    search = Search(tight(parallelism), clock=Clock() if clock is None else clock, target_gap=0)
    return search, search.relaxation.converge(search.root.limits)


def heuristics(
    search: Search,
    params: HeuristicParams,
    clock: Clock | None = None,
    divers: Divers | None = None,
) -> Heuristics:
    return Heuristics(
        search.relaxation,
        search.incumbent,
        search.closes,
        search.clock if clock is None else clock,
        params,
        divers,
    )


@pytest.mark.parametrize("parallelism", PARALLELISM)
def test_at_the_root_schedules_close_to_the_bound_are_found(parallelism: str) -> None:
    search, solved = root(parallelism)
    heuristics(search, FEW).run(solved.proof, solved, True, seed=0)
    found = search.incumbent
    assert check_schedule(search.instance, found.schedule).value == found.value
    bound = solved.proof.bound
    assert bound is not None and Fraction(3, 4) * bound <= found.value <= bound


def test_the_same_seed_finds_the_same() -> None:
    found = []
    for _ in range(2):
        search, solved = root("mixed")
        heuristics(search, FEW).run(solved.proof, solved, True, seed=5)
        found.append(search.incumbent.schedule)
    assert found[0] == found[1]


class Ahead:
    """Divers that run dives as soon as they are asked for, and keep account of what is dropped."""

    def __init__(self, count: int) -> None:
        self.count, self.started, self.dropped = count, False, 0
        self.most_at_once, self._now = 0, 0

    def start(self) -> None:
        self.started = True

    def load(self, diving: Diving) -> None:
        self._diving = diving

    def begin(self, dive: Dive, value: Fraction, clock: Clock) -> Ahead:
        one = Ahead(self.count)
        one._owner = self
        one._found = self._diving.descend(dive, value, Allowance.of(clock))
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        return one

    def result(self) -> Descent:
        self._owner._now -= 1
        return self._found

    def drop(self) -> None:
        self._owner._now -= 1
        self._owner.dropped += 1


@pytest.mark.parametrize("limit", [150, 1500, None])
def test_how_many_dives_run_at_once_changes_nothing(limit: int | None) -> None:
    many = replace(FEW, few_jobs=0, noisy_dives=3, stale_refills=8, divers_from=0.0)
    found = []
    for count in (1, 2, 3):
        clock = Clock(work_limit=limit)
        search, solved = root("mixed", clock)
        master = search.relaxation.master
        assert solved.outcome is not None
        weights = master.weights(solved.outcome)
        cuts = search.separator.separate(master, weights, packings=True, clock=clock)
        assert cuts
        master.add_cuts(cuts)
        solved = search.relaxation.converge(search.root.limits, clock=clock)
        ahead = Ahead(count)
        own = heuristics(search, many, divers=ahead)
        own.run(solved.proof, solved, True, seed=1)
        for _ in range(12):  # other work
            clock.spend(20 * UNIT)
            own.turn()
        own.rest()
        assert ahead.started and ahead.most_at_once <= count and ahead._now == 0
        found.append((search.incumbent.schedule, clock.operations()))
        if limit is None:
            assert ahead.most_at_once == count
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(("stale_refills", "share"), [(10**6, 0.75), (0, 0.5)])
def test_dives_get_their_share_of_the_work_and_go_on_beside_other_work(
    stale_refills: int, share: float
) -> None:
    many = replace(FEW, few_jobs=0, divers_from=0.0, stale_refills=stale_refills)
    clock = Clock()
    search, solved = root("mixed", clock)
    cuts = search.separator.separate(
        search.relaxation.master,
        search.relaxation.master.weights(solved.outcome),  # type: ignore[arg-type]
        packings=True,
        clock=clock,
    )
    search.relaxation.master.add_cuts(cuts)
    solved = search.relaxation.converge(search.root.limits, clock=clock)
    ahead = Ahead(2)
    own = heuristics(search, many, divers=ahead)
    begin = clock.operations()
    own.turn()  # before there is anything to dive from
    assert ahead._now == 0
    own.run(solved.proof, solved, True, seed=1)
    found = 0
    for _ in range(3):
        clock.spend(100 * UNIT)
        own.turn()
        all_work = clock.operations() - begin
        assert own._dives.operations >= share * all_work > 0
        assert own._dives.operations > found and ahead._now == 2
        found = own._dives.operations
    told = own._dives.operations
    own.turn()  # without other work in between
    assert own._dives.operations == told
    own.rest()
    assert ahead._now == 0


def test_processes_are_started_for_many_jobs_and_enough_time_only() -> None:
    many = replace(FEW, few_jobs=0)
    for params, clock, started in (
        (FEW, Clock(), False),
        (many, Clock(4.0), False),
        (many, Clock(work_limit=4000), False),
        (many, Clock(1000.0), True),
        (many, Clock(), True),
    ):
        ahead = Ahead(2)
        heuristics(root("mixed")[0], params, clock, ahead)
        assert ahead.started == started


def test_what_is_known_is_never_lost() -> None:
    search, solved = root("mixed")
    heuristics(search, FEW).run(solved.proof, solved, True, seed=0)
    known = search.incumbent.value, search.incumbent.schedule
    weak = replace(FEW, search_iterations=1, removed=(1,), steps=1, noisy_dives=0)
    heuristics(search, weak).run(solved.proof, solved, True, seed=1)
    assert search.incumbent.value >= known[0] > 0
    if search.incumbent.value == known[0]:
        assert search.incumbent.schedule == known[1]


def test_a_poor_start_does_not_keep_local_search_where_it_is() -> None:
    instance = generate("measured_rates", seed=18, num_jobs=12, num_rounds=12, parallelism="forked")
    poor = branch_and_price(instance, start=Schedule.empty(instance))
    greedy = branch_and_price(instance, start=first_schedule(instance))
    assert greedy.nodes == poor.nodes  # eleven times as many where all began from the greedy one
    assert greedy.value == poor.value == greedy.bound


def test_when_the_limit_is_over_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    search, solved = root("mixed")
    made: list[Any] = []

    def spied(name: str) -> None:
        true = getattr(module, name)

        class Spy(true):  # type: ignore[misc, valid-type]
            def improve(self, *arguments: object, **options: object) -> None:
                made.append(name)

            def descend(self, *arguments: object, **options: object) -> Descent:
                made.append(name)
                return Descent(None, (), 0)

        monkeypatch.setattr(module, name, Spy)

    spied("LocalSearch")
    spied("Diving")
    heuristics(search, FEW, Clock(0)).run(solved.proof, solved, True, seed=0)
    assert made == [] and search.incumbent.value == 0
    heuristics(search, FEW).run(solved.proof, solved, True, seed=0)
    assert {"LocalSearch", "Diving"} <= set(made)


def phases(monkeypatch: pytest.MonkeyPatch, params: HeuristicParams, at_root: bool) -> list[str]:
    """Names of the parts of a run, in order, none of which finds anything."""
    search, solved = root("mixed")
    own, run = heuristics(search, params), []
    for name in ("_local_search", "_dive", "_refill", "_restricted"):
        monkeypatch.setattr(own, name, lambda *_, name=name: run.append(name))
    own.run(solved.proof, solved, at_root, seed=0)
    return run


def test_what_runs_when(monkeypatch: pytest.MonkeyPatch) -> None:
    many = replace(FEW, few_jobs=0)
    assert phases(monkeypatch, FEW, True) == ["_local_search", "_dive", "_restricted"]
    assert phases(monkeypatch, FEW, False) == ["_local_search"]
    # With many jobs local search is for where dives found nothing.
    assert phases(monkeypatch, many, True) == ["_dive", "_local_search", "_restricted"]


def test_the_restricted_program_is_tried_where_the_gap_is_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search, solved = root("mixed")
    asked: list[int] = []
    monkeypatch.setattr(
        module, "restricted_integer", lambda _, keep, *a, **b: asked.append(len(keep))
    )
    for gap, tried in ((0.0, 0), (10.0**9, 1)):
        own = heuristics(search, replace(FEW, restricted_gap=gap))
        own._local_search(solved.proof)
        assert search.incumbent.value > 0
        own._restricted(solved.proof, solved)
        assert len(asked) == tried
    assert asked[0] <= FEW.restricted_columns * 9 + 9
