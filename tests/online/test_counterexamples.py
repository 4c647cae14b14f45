"""The counterexamples to the published price (proofs, errata 3.1 and 3.2), as instances.

They concern the exponential price with the differential argument. One round, unit-speed jobs.
"""

from fractions import Fraction

import pytest

import hadaropt
from hadaropt.policies import PrimalDual
from hadaropt.utility import Table


def one_round(gpus, *jobs):
    """One node of one type; jobs (gang, value) that finish in the only round."""
    cluster = hadaropt.Cluster.of({"n": {"V100": gpus}})
    return hadaropt.Instance(
        cluster,
        [
            hadaropt.Job(f"j{i}", 0, gang, 1, {"V100": 1}, Table((value,)))
            for i, (gang, value) in enumerate(jobs)
        ],
        1,
        1,
    )


def test_3_1_the_published_price_gives_an_infeasible_dual():
    run = hadaropt.run_online(one_round(2, (1, 1), (2, 16)), PrimalDual("exponential_paper"))
    assert run.value == 1
    assert run.dual_feasible is False
    assert abs(run.online_dual - Fraction(23, 8)) < Fraction(1, 10**9)
    assert run.online_dual < 16 <= run.bound
    assert run.theorem is None
    assert "(F)" in run.theorem_absent


def test_3_1_equal_bundles_too():
    run = hadaropt.run_online(one_round(3, (2, 1), (2, 16)), PrimalDual("exponential_paper"))
    assert run.dual_feasible is False
    assert run.value == 1
    assert run.online_dual < 16


def test_3_2_the_published_guarantee_fails_with_a_feasible_dual():
    """One GPU, values 1 then 7: OPT/P = 7 > 2 ln 28 = 6.66; the theorem says what is true."""
    run = hadaropt.run_online(one_round(1, (1, 1), (1, 7)), PrimalDual("exponential_paper"))
    assert run.value == 1
    assert run.dual_feasible is True
    published = 2 * 3.3322
    assert published < 7
    assert run.theorem is not None
    assert run.theorem.id == "T5"
    assert run.theorem.constant * run.value + run.theorem.additive >= 7


@pytest.mark.parametrize("price", ["zero_start", "exponential"])
@pytest.mark.parametrize(
    "instance",
    [
        one_round(2, (1, 1), (2, 8)),
        one_round(2, (1, 1), (2, 16)),
        one_round(3, (2, 1), (2, 16)),
        one_round(1, (1, 1), (1, 7)),
        one_round(1, (1, 1), (1, 5)),
    ],
)
def test_the_repaired_prices_stay_within_their_proved_constants(price, instance):
    run = hadaropt.run_online(instance, PrimalDual(price))
    optimum = max(instance.value(j, 0) for j in range(2))
    assert run.dual_feasible is True
    assert run.theorem is not None
    assert optimum <= run.bound
    assert optimum <= run.theorem.constant * run.value + run.theorem.additive


def test_3_3_dividing_by_total_units_is_not_what_we_do():
    """Two nodes, c = 1. A: node 0, u = 1. B: both nodes, u = 8. U = 8 on each resource."""
    cluster = hadaropt.Cluster.of({"n0": {"V100": 1}, "n1": {"P100": 1}})
    instance = hadaropt.Instance(
        cluster,
        [
            hadaropt.Job("A", 0, 1, 1, {"V100": 1}, Table((1,))),
            hadaropt.Job("B", 0, 2, 1, {"V100": 1, "P100": 1}, Table((8,))),
        ],
        1,
        1,
    )
    for price in ("zero_start", "exponential"):
        run = hadaropt.run_online(instance, PrimalDual(price, pool="node"))
        assert run.dual_feasible is True
        assert run.bound >= 8


def test_3_4_no_price_may_reject_the_only_job():
    """One job over d resources of one GPU: L by total units, so it is accepted."""
    d = 6
    cluster = hadaropt.Cluster.of({f"n{h}": {"V100": 1} for h in range(d)})
    instance = hadaropt.Instance(
        cluster, [hadaropt.Job("only", 0, d, 1, {"V100": 1}, Table((1,)))], 1, 1
    )
    for price in ("zero_start", "exponential"):
        for pool in ("type", "node"):
            assert hadaropt.run_online(instance, PrimalDual(price, pool=pool)).value == 1
