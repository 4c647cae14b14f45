"""Column generation: exact bounds at every step, limits of branches, masters of their own."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Proof, Relaxation
from hadaropt.offline.colgen.pricing_data import Space
from tests.offline.support import duel


def relaxation() -> Relaxation:
    return Relaxation(Space.of(duel()))


def test_it_converges_to_the_optimum_from_above() -> None:
    found = relaxation()
    solved = found.converge(found.pricing.no_limits())
    assert solved.status == "converged"
    assert solved.proof.bound is not None
    assert 7 <= solved.proof.bound < 8
    assert found.closes(solved.proof, Fraction(7))
    assert not found.closes(solved.proof, Fraction(6))


def test_an_incumbent_that_cannot_be_beaten_ends_it() -> None:
    found = relaxation()
    assert found.converge(found.pricing.no_limits(), incumbent=Fraction(8)).status == "closed"


def test_at_prices_of_zero_every_job_completes_at_once() -> None:
    found = relaxation()
    proof = found.prove(np.zeros((2, 1)), np.zeros(0), found.pricing.no_limits())
    assert proof.bound == 8
    dear = found.prove(np.full((2, 1), 5.0), np.zeros(0), found.pricing.no_limits())
    assert dear.bound == 10  # nobody runs, and the GPU of both rounds is paid


def test_when_time_is_up_it_says_so_with_a_bound() -> None:
    found = relaxation()
    clock = Clock(work_limit=0)
    solved = found.converge(found.pricing.no_limits(), clock=clock)
    assert solved.status in ("time_limit", "converged")
    assert solved.proof.bound is not None and solved.proof.bound >= 7


def test_a_master_of_its_own_leaves_the_other_as_it_is() -> None:
    found = relaxation()
    found.converge(found.pricing.no_limits())
    before = list(found.master.columns)
    other = found.with_own_master(before[:1])
    assert other.pricing is found.pricing and other.master.columns == before[:1]
    other.converge(other.pricing.no_limits())
    assert found.master.columns == before


def test_the_better_proof_is_that_of_the_lower_bound() -> None:
    high = Proof(np.zeros((2, 1), np.int64), (), 1, Fraction(8))
    low, infeasible = replace(high, bound=Fraction(7)), replace(high, bound=None)
    assert high.better(low) is low and low.better(high) is low and low.better(None) is low
    assert infeasible.better(low) is infeasible and low.better(infeasible) is infeasible
