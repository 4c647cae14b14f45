"""Exact duals of a float LP: strong duality without rounding, and the bound that they prove."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hadaropt import Instance
from hadaropt.offline.colgen.column_generation import Relaxation
from hadaropt.offline.colgen.exact_duals import exact_duals, exact_proof
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.tree.nodes import Decision, restrict
from hadaropt.utility import Linear
from tests.offline.support import duel


def thirds() -> Instance:
    """Return two jobs whose values no float holds; the optimum is 4/3 + 1."""
    instance = duel()
    utility = Linear(Fraction(4, 3), Fraction(1, 3))
    return replace(instance, jobs=tuple(replace(job, utility=utility) for job in instance.jobs))


@pytest.mark.parametrize(("instance", "optimum"), [(duel(), 7), (thirds(), Fraction(7, 3))])
def test_the_duals_prove_the_value_exactly(instance: Instance, optimum: Fraction) -> None:
    relaxation = Relaxation(Space.of(instance))
    limits = relaxation.pricing.no_limits()
    relaxation.converge(limits)
    duals = exact_duals(relaxation.master)
    assert duals is not None
    assert all(isinstance(price, Fraction) for price in duals.values())
    assert sum(duals.values()) == optimum  # every right-hand side is 1
    proof = exact_proof(relaxation, limits)
    assert proof is not None and proof.bound == optimum


def test_the_proof_holds_under_the_limits_of_a_branch() -> None:
    relaxation = Relaxation(Space.of(duel()))
    limits = relaxation.pricing.no_limits()
    base = relaxation.pricing.round_at.tolist()
    for job in range(2):
        limits = restrict(relaxation.space, limits, base, Decision("completion", job, 0), False)
    relaxation.converge(limits)
    proof = exact_proof(relaxation, limits)
    # The optimum under the limits is 3; of a degenerate basis the bound may be higher.
    assert proof is not None and proof.bound is not None and proof.bound >= 3


def test_a_job_that_a_branch_lets_complete_in_no_round_may_still_be_idle() -> None:
    relaxation = Relaxation(Space.of(duel()))
    pricing = relaxation.pricing
    limits, base = pricing.no_limits(), pricing.round_at.tolist()
    last = len(relaxation.space.jobs[0].values) - 1
    limits = restrict(relaxation.space, limits, base, Decision("completion", 0, last), False)
    assert limits.begin[0] > last and not limits.must[0]
    relaxation.converge(limits)
    proof = exact_proof(relaxation, limits)
    assert proof is not None and proof.bound is not None and 0 < proof.bound < 7
