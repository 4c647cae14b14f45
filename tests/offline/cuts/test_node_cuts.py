"""Cuts on nodes hold for every round, lower the bound, and are priced alike everywhere."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hadaropt.generate import generate
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Relaxation
from hadaropt.offline.colgen.exact_duals import exact_payoffs
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.cuts.lifted_covers import Separator
from hadaropt.offline.cuts.node_cuts import NodeSeparator
from hadaropt.offline.cuts.params import CutParams


def relaxed(family: str, seed: int, parallelism: str = "forked") -> Relaxation:
    instance = generate(family, seed=seed, num_jobs=8, num_rounds=6, parallelism=parallelism)
    return Relaxation(Space.of(instance))


def gangs(relaxation: Relaxation) -> np.ndarray:
    return np.array([job.gang_size for job in relaxation.space.jobs], np.int64)


@pytest.mark.parametrize(("family", "seed"), [("measured_rates", 5), ("small_uniform", 4)])
def test_they_hold_and_lower_the_bound(family: str, seed: int) -> None:
    relaxation = relaxed(family, seed)
    space, limits = relaxation.space, relaxation.pricing.no_limits()
    separator = NodeSeparator(space, gangs(relaxation), CutParams())
    before = relaxation.converge(limits)
    assert before.outcome is not None
    weights = relaxation.master.weights(before.outcome)
    found = separator.separate(relaxation.master, weights, packings=True, clock=Clock())
    assert found
    for violation, cut in found:
        assert violation > 0
        assert cut.node is not None
        ((types, items),) = cut.terms
        room = sum(space.instance.cluster.capacity[cut.node.node][r] for r in types)
        for n in range(len(items) + 1):
            for chosen in itertools.combinations(items, n):
                if sum(space.jobs[i].gang_size for i, _ in chosen) <= room:
                    assert sum(a for _, a in chosen) <= cut.rhs
    relaxation.master.add_cuts([cut for _, cut in found])
    after = relaxation.converge(limits)
    assert after.proof.bound is not None
    assert before.proof.bound is not None
    assert after.proof.bound < before.proof.bound
    # The same charges in 64 bits and in integers of any size, with and without bounds on cells.
    tolls = [(relaxation.master.cuts[c], units) for c, units in after.proof.cuts]
    assert any(cut.node is not None for cut, _ in tolls)
    job = next(i for i, of in enumerate(space.jobs) if of.copies is not None)
    bounded = limits.copy()
    bounded.cells[job, 0] = {min(space.single): (0, 0)}
    for given in (limits, bounded):
        relaxation.pricing.set_prices(after.proof.cells, tolls)
        relaxation.pricing.solve(given)
        total = exact_payoffs(
            relaxation.pricing, after.proof.cells, tolls, after.proof.scale, given
        )
        payoffs = int(relaxation.pricing.payoff.sum())
        # Worths are rounded up to the scale in one and down in the other.
        assert total is not None
        assert 0 <= payoffs - total <= len(space.jobs)


def test_there_are_none_where_no_job_runs_as_copies() -> None:
    relaxation = relaxed("measured_rates", 5, "mixed")
    assert NodeSeparator(relaxation.space, gangs(relaxation), CutParams()).sets == []


def test_a_cut_is_given_once() -> None:
    relaxation = relaxed("measured_rates", 5)
    separator = Separator(relaxation.space)
    solved = relaxation.converge(relaxation.pricing.no_limits())
    assert solved.outcome is not None
    weights = relaxation.master.weights(solved.outcome)
    first = separator.separate(relaxation.master, weights)
    assert any(cut.node is not None for cut in first)
    again = separator.separate(relaxation.master, weights)
    assert not {cut.key for cut in first} & {cut.key for cut in again}
