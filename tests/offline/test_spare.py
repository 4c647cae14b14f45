"""Capacity beyond what the jobs can use, and numbers beyond what tables and solvers hold."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import hadaropt
from hadaropt import Cluster, Instance, Job
from hadaropt.certificates import certify, verify
from hadaropt.errors import LimitError
from hadaropt.instance import PARALLELISM
from hadaropt.offline.colgen.configuration_lp import solve_configuration_lp
from hadaropt.offline.lagrangian.bound import lagrangian_bound
from hadaropt.offline.spare import within_use
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.utility import Completion, Linear

HUGE = 2**31 - 1
SOLVERS: dict[str, Any] = {
    "auto": hadaropt.solve,
    "branch-and-price": branch_and_price,
    "ilp": hadaropt.solve_ilp,
    "lp": hadaropt.solve_lp,
    "dual": hadaropt.solve_dual,
    "configuration": solve_configuration_lp,
    "lagrangian": lagrangian_bound,
}


def roomy(parallelism: str, cloud: int = HUGE) -> Instance:
    """One GPU in demand beside a cloud that is slower."""
    cluster = Cluster.of({"n": {"A": 1}, "cloud": {"CLOUD": cloud}})
    jobs = tuple(
        Job(name, 0, gang, 10, {"A": 5, "CLOUD": 4}, Linear(10, 1))
        for name, gang in (("a", 1), ("b", 2), ("c", 1))
    )
    return Instance(cluster, jobs, 4, 1, parallelism=parallelism)  # type: ignore[arg-type]


@pytest.mark.parametrize("parallelism", PARALLELISM)
@pytest.mark.parametrize("method", SOLVERS)
def test_spare_capacity_changes_no_answer(method: str, parallelism: str) -> None:
    found = SOLVERS[method](roomy(parallelism))
    few = SOLVERS[method](roomy(parallelism, 9))
    assert found.bound == few.bound
    if few.schedule is not None:
        assert found.value == few.value
        proof = certify(roomy(parallelism), found)
        assert verify(roomy(parallelism), proof).best_bound == found.bound


def test_no_more_is_left_out_than_jobs_can_never_use() -> None:
    assert within_use(roomy("mixed")).cluster.capacity == ((1, 0), (0, 5))
    same = roomy("mixed", 5)
    assert within_use(same) is same


def huge(weight: str, horizon: str) -> Instance:
    job = Job("a", 0, 1, 1, {"V": 1}, Completion(weight, horizon))
    return Instance(Cluster.of({"n": {"V": 2}}), (job,), 3, 1)


@pytest.mark.parametrize("method", SOLVERS)
def test_values_beyond_all_tables_are_a_limit(method: str) -> None:
    try:
        found = SOLVERS[method](huge("1", "1e30"))
    except LimitError:
        return
    assert found.bound == 10**30 - 1  # where only exact numbers are needed, the answer is known


@pytest.mark.parametrize("method", ["dual", "configuration", "branch-and-price", "lagrangian"])
def test_what_cannot_be_held_is_named(method: str) -> None:
    with pytest.raises(LimitError):
        SOLVERS[method](huge("1", "1e30"))


@pytest.mark.parametrize("method", SOLVERS)
def test_a_steep_fall_from_a_small_value_is_no_limit(method: str) -> None:
    job = Job("a", 0, 1, 1, {"V": 1}, Linear(1, 10**12))
    found = SOLVERS[method](Instance(Cluster.of({"n": {"V": 2}}), (job,), 3, 1))
    assert found.bound == Fraction(1)
