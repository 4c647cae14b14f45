"""The configuration LP: exact bounds, exact duals, against the compact forms and the oracle."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings

from hadaropt import Cluster, Instance, Job, certify, solve_lp, verify
from hadaropt.offline.colgen.column_generation import Relaxation
from hadaropt.offline.colgen.configuration_lp import solve_configuration_lp
from hadaropt.offline.colgen.exact_duals import exact_duals, exact_proof
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.compact.formulation import exact_form
from hadaropt.utility import Completion, Linear
from tests.instances_strategy import PARALLELISMS, contended_instances, tiny_instances
from tests.offline.support import instance_of
from tests.oracle import Json, optimum

SETTINGS = settings(deadline=None, max_examples=40)


@pytest.mark.parametrize("parallelism", PARALLELISMS)
@SETTINGS
@given(data=contended_instances(max_rounds=3))
def test_between_the_optimum_and_the_compact_relaxation(parallelism: str, data: Json) -> None:
    data["parallelism"] = parallelism
    instance = instance_of(data)
    best, _ = optimum(data)
    result = solve_configuration_lp(instance, exact=True)
    assert isinstance(result.bound, Fraction)
    assert result.termination == "optimal"
    assert result.bound >= best
    # The exact bound is the LP value, which the compact relaxation cannot be below, unless it has
    # rows on whole nodes: those of the divisible form hold for integers only.
    assert float(result.bound) == pytest.approx(result.relaxation_value, rel=1e-9, abs=1e-9)
    form = exact_form(instance)
    compact = solve_lp(instance, form="node" if form == "divisible" else form)
    assert result.relaxation_value <= compact.relaxation_value + 1e-6


@SETTINGS
@given(tiny_instances())
def test_prices_certify_the_bound(data: Json) -> None:
    instance = instance_of(data)
    result = solve_configuration_lp(instance)
    checked = verify(instance, certify(instance, result))
    assert checked.level == "L1"
    assert checked.bound is not None
    # The certificate maximises again; values were rounded up by less than a unit per job.
    assert result.prices is not None
    excess = result.bound - checked.bound
    assert 0 <= excess <= Fraction(len(instance.jobs)) / result.prices.scale


def queue() -> Instance:
    """Three jobs of one round each for one GPU: worth 3, 2, 1 when they complete in turn."""
    jobs = [Job(name, 0, 1, 1, {"V100": 1}, Completion(1, 4)) for name in "abc"]
    return Instance(Cluster.of({"n0": {"V100": 1}}), jobs, 3, Fraction(1))


def test_prices_of_a_queue_are_what_one_more_gpu_is_worth() -> None:
    result = solve_configuration_lp(queue(), exact=True)
    assert result.bound == 6
    assert result.prices is not None
    prices = [result.prices.price(t, 0) for t in range(3)]
    # One more GPU in round 0 lets the last job complete there: 3 + 3 + 2 instead of 3 + 2 + 1.
    assert prices[0] >= prices[1] >= prices[2] >= 0
    assert 1 <= prices[0] <= 3


def test_exact_duals_satisfy_the_basis_exactly() -> None:
    third = Linear(Fraction(10, 3), Fraction(1, 7))
    jobs = [Job(name, 0, 2, 3, {"V100": 1, "P100": 2}, third) for name in "abc"]
    cluster = Cluster.of({"n0": {"V100": 2, "P100": 2}})
    instance = Instance(cluster, jobs, 4, Fraction(1))
    relaxation = Relaxation(Space.of(instance))
    limits = relaxation.pricing.no_limits()
    solved = relaxation.converge(limits)
    assert solved.outcome is not None
    duals = exact_duals(relaxation.master)
    assert duals is not None
    columns, _ = relaxation.master.highs.basis()
    for k in range(len(columns)):
        if columns[k]:
            entries, cost = relaxation.master.exact_column(k)
            assert sum(value * duals.get(row, Fraction(0)) for row, value in entries) == cost
    proof = exact_proof(relaxation, limits)
    assert proof is not None and proof.bound is not None
    assert proof.bound <= solved.proof.bound
    assert abs(float(proof.bound) - solved.outcome.objective) < 1e-9


@pytest.mark.parametrize("jobs", [(), (Job("a", 9, 1, 1, {"V100": 1}, Linear(1, 0)),)])
def test_nothing_to_do(jobs: tuple[Job, ...]) -> None:
    instance = Instance(Cluster.of({"n0": {"V100": 1}}), jobs, 2)
    assert solve_configuration_lp(instance).bound == 0


def test_a_time_limit_of_zero_still_bounds() -> None:
    result = solve_configuration_lp(queue(), time_limit=0)
    assert result.bound >= 6
