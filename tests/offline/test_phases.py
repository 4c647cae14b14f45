"""The table of phases: what runs in which situation, with rising shares, each with a reason."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from hadaropt import Cluster, Instance, Job
from hadaropt.offline.clock import Clock
from hadaropt.offline.heuristics.divers import OneDiver
from hadaropt.offline.lagrangian.workers import OneThread
from hadaropt.offline.monitor import Monitor
from hadaropt.offline.params import SolveParams
from hadaropt.offline.phases import PHASES, Phase, Situation, run_phases
from hadaropt.offline.run import Run
from hadaropt.utility import Linear

LARGE = Situation(
    tiny=False,
    small=False,
    medium=False,
    diving=False,
    checked=False,
    limited=True,
    by_node=False,
)
MEDIUM = replace(LARGE, medium=True)
DIVING = replace(MEDIUM, diving=True)
TINY = replace(DIVING, tiny=True, small=True, checked=True)


def steps(situation: Situation) -> list[Phase]:
    """Phases that apply, up to where branch-and-price ends the solve."""
    found = []
    for phase in PHASES:
        if phase.applies(situation):
            found.append(phase)
            if phase.run is Run.branch_and_price:
                break
    return found


def path(situation: Situation) -> list[tuple[str, float]]:
    return [(phase.name, phase.share) for phase in steps(situation)]


def test_large_instances_are_never_branched_on() -> None:
    assert path(LARGE) == [
        ("greedy", 1.0),
        ("bound", 0.02),
        ("greedy", 1.0),
        ("bound", 0.4),
        ("greedy", 1.0),
        ("build", 0.95),
        ("search", 1.0),
    ]


def test_medium_instances_are_searched_before_they_are_branched_on() -> None:
    searched = [step for step in path(MEDIUM) if step[0] in ("build", "search", "exact")]
    assert searched == [("build", 0.35), ("search", 0.4), ("search", 0.8), ("exact", 1.0)]
    closer = path(replace(MEDIUM, wide=False))
    assert ("search", 0.8) not in closer and ("exact", 1.0) in closer
    assert ("search", 0.8) not in path(replace(MEDIUM, limited=False))


def test_instances_of_few_cells_leave_almost_all_time_to_branch_and_price() -> None:
    timed = [step for step in path(DIVING) if step[0] != "greedy"]
    assert timed == [("bound", 0.02), ("bound", 0.02), ("search", 0.02), ("exact", 1.0)]


def test_tiny_instances_are_branched_on_at_once() -> None:
    names = [name for name, _ in path(TINY)]
    assert names[: names.index("exact")] == ["greedy", "bound"]
    by_node = [name for name, _ in path(replace(TINY, by_node=True))]
    assert by_node[: by_node.index("exact")] == ["greedy", "bound", "greedy", "search"]


def test_what_branch_and_price_cannot_hold_is_searched_to_the_end() -> None:
    for situation in (MEDIUM, DIVING):
        given_up = path(replace(situation, too_large=True))
        assert given_up[-2:] == [("greedy", 1.0), ("search", 1.0)]
        assert "exact" not in [name for name, _ in given_up]
    compact = path(replace(TINY, too_large=True))
    assert ("exact", 0.5) in compact and compact[-1] == ("search", 1.0)
    assert ("exact", 0.5) not in path(replace(TINY, too_large=True, checked=False))


@pytest.mark.parametrize("flags", list(itertools.product([False, True], repeat=4)))
def test_shares_rise_along_every_path(flags: tuple[bool, ...]) -> None:
    limited, by_node, too_large, wide = flags
    for size in (LARGE, MEDIUM, DIVING, TINY):
        given = replace(size, limited=limited, by_node=by_node, too_large=too_large, wide=wide)
        found = steps(given)
        assert [phase.always for phase in found[:2]] == [True, True]
        shares = [phase.share for phase in found if phase.name in ("build", "search")]
        assert shares == sorted(shares)
        bounds = [phase.share for phase in found if phase.name == "bound"]
        assert bounds == sorted(bounds)
        assert found[-1].share == 1.0


def test_every_phase_has_a_share_of_the_limit_and_a_reason() -> None:
    for phase in PHASES:
        assert 0 < phase.share <= 1
        assert phase.reason.endswith(".") and len(phase.reason.split()) > 1


def under_way(work_limit: int | None = None) -> Run:
    job = Job("a", 0, 1, 2, {"V100": 1}, Linear(3, 1))
    instance = Instance(Cluster.of({"n": {"V100": 1}}), (job,), 3, 1)
    monitor = Monitor(instance, Clock(work_limit=work_limit), 0.0, None, False)
    return Run(
        instance,
        monitor,
        SolveParams(),
        target_gap=0.0,
        seed=0,
        start=None,
        workers=OneThread(),
        divers=OneDiver(),
    )


def test_once_the_limit_is_reached_only_the_phases_that_always_run_do() -> None:
    seen: list[tuple[str, float]] = []

    def note(run: Run, share: float) -> None:
        seen.append((run.monitor.phase, share))

    phases = (
        Phase("greedy", lambda s: True, note, 1.0, "First.", always=True),
        Phase("bound", lambda s: s.tiny, note, 0.5, "Second.", always=True),
        Phase("build", lambda s: not s.tiny, note, 0.6, "Does not apply."),
        Phase("search", lambda s: True, note, 0.7, "Needs time."),
    )
    run_phases(under_way(work_limit=0), phases)
    assert seen == [("greedy", 1.0), ("bound", 0.5)]
    seen.clear()
    run_phases(under_way(), phases)
    assert [name for name, _ in seen] == ["greedy", "bound", "search"]


def test_nothing_follows_once_branch_and_price_has_run() -> None:
    seen: list[str] = []

    def close(run: Run, _: float) -> None:
        seen.append(run.monitor.phase)
        run.closed = True

    phases = tuple(
        Phase(name, lambda s: True, close, 1.0, "Ends it.") for name in ("exact", "bound")
    )
    run_phases(under_way(), phases)
    assert seen == ["exact"]
