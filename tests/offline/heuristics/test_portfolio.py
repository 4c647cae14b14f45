"""The heuristics at a node: better schedules, never above the bound, nothing once it is over."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from hadaropt.instance import PARALLELISM
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Solved
from hadaropt.offline.heuristics import portfolio as module
from hadaropt.offline.heuristics.params import HeuristicParams
from hadaropt.offline.heuristics.portfolio import Heuristics
from hadaropt.offline.tree.branch_and_price import Search
from hadaropt.schedule import check_schedule
from tests.offline.support import tight

FEW = HeuristicParams(search_iterations=300, removed=(12,), noisy_dives=1, restricted_nodes=3)


def root(parallelism: str, clock: Clock | None = None) -> tuple[Search, Solved]:
    search = Search(tight(parallelism), clock=Clock() if clock is None else clock, target_gap=0)
    return search, search.relaxation.converge(search.root.limits)


def heuristics(search: Search, params: HeuristicParams, clock: Clock | None = None) -> Heuristics:
    return Heuristics(
        search.relaxation,
        search.incumbent,
        search.closes,
        search.clock if clock is None else clock,
        params,
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


def test_what_is_known_is_never_lost() -> None:
    search, solved = root("mixed")
    heuristics(search, FEW).run(solved.proof, solved, True, seed=0)
    known = search.incumbent.value, search.incumbent.schedule
    weak = replace(FEW, search_iterations=1, removed=(1,), steps=1, noisy_dives=0)
    heuristics(search, weak).run(solved.proof, solved, True, seed=1)
    assert search.incumbent.value >= known[0] > 0
    if search.incumbent.value == known[0]:
        assert search.incumbent.schedule == known[1]


def test_when_the_limit_is_over_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    search, solved = root("mixed")
    made: list[Any] = []

    def spied(name: str) -> None:
        true = getattr(module, name)

        class Spy(true):  # type: ignore[misc, valid-type]
            def improve(self, *arguments: object, **options: object) -> None:
                made.append(name)

            dive = improve

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
