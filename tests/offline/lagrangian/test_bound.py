"""The Lagrangian bound: never below the optimum, and confirmed by its certificate."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import Cluster, Instance, Job
from hadaropt.certificates import certify, verify
from hadaropt.generate import generate
from hadaropt.offline.colgen.configuration_lp import solve_configuration_lp
from hadaropt.offline.known import no_waiting_bound
from hadaropt.offline.lagrangian import bound as bounding
from hadaropt.offline.lagrangian.bound import Oracle, lagrangian_bound
from hadaropt.offline.lagrangian.job_table import job_table
from hadaropt.pricing import dual_bound
from hadaropt.results import Prices
from hadaropt.testing import instances, price_tables
from hadaropt.utility import Linear, Step
from tests.instances_strategy import tiny_instances
from tests.offline.support import instance_of, rates_apart
from tests.oracle import Json, optimum


@settings(max_examples=80, deadline=None)
@given(document=tiny_instances(max_jobs=3, max_rounds=4))
def test_never_below_the_optimum(document: Json) -> None:
    instance = instance_of(document)
    best, _ = optimum(document)
    result = lagrangian_bound(instance)
    assert isinstance(result.bound, Fraction)
    assert result.bound >= best
    assert result.status == "bound" and result.schedule is None
    checked = verify(instance, certify(instance, result))
    assert checked.bound is not None and best <= checked.bound <= result.bound


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_value_at_any_prices_is_the_dual_bound(data: st.DataObject) -> None:
    """T2: D(k) from the shared tables, up to worths rounded up."""
    model = data.draw(st.sampled_from(("single_type", "mixed")))
    instance = data.draw(instances(parallelism=model))
    drawn = data.draw(price_tables(instance))
    table = job_table(instance)
    units = np.array(
        [[int(int(k) * table.scale / drawn.scale) for k in row] for row in drawn.units], np.int64
    ).reshape(drawn.units.shape)
    found = Fraction(Oracle(instance, table)(units).bound, table.scale)
    coarse = 1 << 24  # pricing of single jobs keeps fewer bits
    exact = dual_bound(instance, Prices(units // coarse, Fraction(table.scale, coarse)))
    step = Fraction(coarse, table.scale)
    reach = sum(instance.cluster.pooled_capacity) * instance.num_rounds
    reach += sum(job.gang_size * instance.num_rounds for job in instance.jobs)
    assert exact.exact
    assert abs(found - exact.value) <= step * reach + Fraction(len(instance.jobs), 10**6)


def test_converges_to_the_configuration_lp() -> None:
    for family in ("six_class", "measured_rates"):
        instance = generate(family, seed=3, num_jobs=40, num_rounds=24)
        bound = lagrangian_bound(instance)
        linear = solve_configuration_lp(instance)
        assert bound.termination == "optimal"
        assert float(linear.bound) * (1 - 1e-9) <= float(bound.bound)
        assert float(bound.bound) <= float(linear.bound) * 1.002
        seconds = [point[0] for point in bound.history]
        bounds = [point[2] for point in bound.history]
        assert seconds == sorted(seconds)
        assert all(later < earlier for earlier, later in itertools.pairwise(bounds))
        assert bounds[-1] == bound.bound


def test_start_target_and_time_limit() -> None:
    instance = generate("six_class", seed=5, num_jobs=30, num_rounds=20, load="1.9")
    best = lagrangian_bound(instance)
    again = lagrangian_bound(instance, start=best.prices, time_limit=0)
    assert again.termination == "time_limit"
    assert again.bound <= best.bound * (1 + Fraction(1, 10**9))
    free = lagrangian_bound(instance, time_limit=0)
    assert free.bound > best.bound
    easy = lagrangian_bound(instance, target=float(free.bound))
    assert easy.termination == "target"
    with pytest.raises(ValueError, match=r"time_limit = -1, must be >= 0"):
        lagrangian_bound(instance, time_limit=-1)
    other = generate("six_class", seed=5, num_jobs=30, num_rounds=21, load="1.9")
    with pytest.raises(ValueError, match=r"start has prices of shape \(21, 3\)"):
        lagrangian_bound(instance, start=lagrangian_bound(other, time_limit=0).prices)


def test_nothing_to_schedule() -> None:
    cluster = Cluster.of({"n": {"V100": 2}})
    useless = [
        Job("late", 9, 1, 10, {"V100": 5}, Linear(3, 1)),
        Job("wide", 0, 3, 10, {"V100": 5}, Linear(3, 1)),
        Job("still", 0, 1, 10, {}, Linear(3, 1)),
        Job("vain", 0, 1, 10, {"V100": 5}, Linear(0, 0)),
        Job("slow", 0, 1, 10, {"V100": "0.01"}, Linear(3, 1)),
        Job("long", 0, 1, 10, {"V100": 1}, Linear(3, 0)),
    ]
    for jobs in ((), useless):
        result = lagrangian_bound(Instance(cluster, tuple(jobs), 4, 1))
        assert result.bound == 0 and result.termination == "optimal"


def test_rates_that_differ_by_a_billion() -> None:
    """The exact progress has a billion units: tables are rounded up, and the bound holds."""
    instance = rates_apart()
    result = lagrangian_bound(instance)
    checked = verify(instance, certify(instance, result))
    assert checked.bound is not None and checked.bound <= result.bound
    # Three rounds each on the one fast GPU, one after the other: 7 + 4, the third is too late.
    assert 11 <= result.bound < 12


def test_what_a_job_that_can_never_run_is_worth_does_not_matter():
    cluster = Cluster.of({"n0": {"K": 2, "V": 1}, "n1": {"K": 2}})
    speeds = {"K": 1, "V": 3}
    small = [Job(name, 0, 2, 5, speeds, Linear(5, 1), max_copies=2) for name in "ab"]
    never = Job("c", 1, 2, 3, {"V": 3}, Step(7 * 10**10, 1))  # there is one V
    for parallelism in ("mixed", "forked"):
        bounds = {
            lagrangian_bound(Instance(cluster, jobs, 3, 2, parallelism=parallelism)).bound
            for jobs in ([*small, never], small)
        }
        assert len(bounds) == 1


@pytest.mark.parametrize("place", ["job_table", "Oracle"])
def test_ctrl_c_before_the_first_evaluation_gives_the_bound_without_waiting(
    monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    instance = generate("small_uniform", seed=1, num_jobs=4, num_rounds=4)
    monkeypatch.setattr(bounding, place, pressed)
    found = lagrangian_bound(instance)
    assert (found.method, found.termination, found.status) == ("lagrangian", "interrupted", "bound")
    assert found.bound == no_waiting_bound(instance)
    assert verify(instance, certify(instance, found)).bound <= found.bound
