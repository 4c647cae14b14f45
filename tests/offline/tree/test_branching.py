"""Branching: where an LP point is divided, and what is left where it looks integral."""

from __future__ import annotations

import numpy as np

from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Relaxation
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.colgen.pricing_problem import Column
from hadaropt.offline.tree.branching import candidates, choose, divided_gpus, earliest, undecided
from hadaropt.offline.tree.nodes import Decision
from hadaropt.offline.tree.params import BranchingParams
from tests.offline.support import duel


def setting() -> tuple[Relaxation, list[Column]]:
    """Return a relaxation whose columns run job 0 and job 1 in round 0 and in round 1."""
    relaxation = Relaxation(Space.of(duel()))
    columns = [
        Column(job, t, ((t, 1, ((0, 1),), frozenset({0})),)) for job in (0, 1) for t in (0, 1)
    ]
    relaxation.master.add_columns(columns)
    return relaxation, columns


def test_an_integral_point_has_no_candidates() -> None:
    relaxation, _ = setting()
    weights = np.array([1.0, 0.0, 0.0, 1.0])
    assert candidates(relaxation.master, weights) == []
    assert earliest(relaxation.master, weights) is None
    assert divided_gpus(relaxation.master, weights) is None


def test_a_divided_point_is_branched_on_where_it_is_divided() -> None:
    relaxation, _ = setting()
    weights = np.array([0.5, 0.5, 0.5, 0.5])
    found = candidates(relaxation.master, weights)
    assert {c.decision.job for c in found} == {0, 1}
    assert all(c.yes == 0.5 for c in found)
    assert found[0].decision.kind == "completion" and found[0].decision.round == 0
    # Decisions on progress come first once they weigh more.
    heavy = candidates(relaxation.master, weights, progress_weight=2.0)
    assert heavy[0].decision.kind == "progress"
    first = earliest(relaxation.master, weights)
    assert first is not None and first.decision.round == 0


def test_the_choice_is_one_of_the_candidates() -> None:
    relaxation, _ = setting()
    limits, base = relaxation.pricing.no_limits(), relaxation.pricing.round_at.tolist()
    relaxation.converge(limits)
    weights = np.zeros(len(relaxation.master.columns))
    weights[:4] = 0.5
    for params in (BranchingParams(), BranchingParams(tried=1, negligible=0.0)):
        chosen = choose(relaxation, weights, limits, 7.0, 3, base, Clock(), params)  # type: ignore[arg-type]
        assert chosen is not None
        known = [c.decision for c in candidates(relaxation.master, weights)]
        known += [Decision("progress", i, 0, 1) for i in (0, 1)]
        assert chosen[0] in known


def test_what_the_limits_leave_open_is_found_in_an_integral_point() -> None:
    relaxation, _ = setting()
    weights = np.array([1.0, 0.0, 0.0, 1.0])
    limits, base = relaxation.pricing.no_limits(), relaxation.pricing.round_at.tolist()
    found = undecided(relaxation.master, weights, limits, base)
    assert found == (Decision("completion", 0, 0), True)
