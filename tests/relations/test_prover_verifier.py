"""What is proved verifies: fixed seeds here, more by hand."""

from fractions import Fraction
from random import Random

import pytest

from hadaropt import Cluster, Instance, Job
from hadaropt.certificates import certify, verify
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.utility import Table
from tests.relations.prover_verifier import check


@pytest.mark.parametrize("seed", range(25))
def test_certificates_of_odd_instances_verify(seed: int) -> None:
    check(Random(seed))


@pytest.mark.parametrize("parallelism", ["single_type", "mixed", "forked"])
def test_gangs_of_one_gpu_with_a_spread_factor_are_proved_and_verified(parallelism: str) -> None:
    """Closing this gap takes answers to "at least two iterations?" about a gang of one GPU."""
    values = Table((12, 11, 10))
    jobs = (
        Job("a", 0, 1, 3, {"t": 2}, values, Fraction(1, 2)),
        Job("b", 0, 1, 2, {"t": 1}, values),
    )
    instance = Instance(Cluster.of({"n": {"t": 1}}), jobs, 3, 1, parallelism)
    found = verify(instance, certify(instance, branch_and_price(instance)))
    assert found.proved and found.value == 11


def test_copies_at_more_levels_than_can_be_counted_one_by_one() -> None:
    """Nodes of nine speeds: prover and verifier count no progress beyond what a job needs."""
    types = [f"t{r}" for r in range(9)]
    nodes = {f"n{h}": {types[h % 9]: 1} for h in range(12)}
    speeds = dict(zip(types, (3, 5, 7, 11, 13, 17, 19, 23, 29), strict=True))
    jobs = tuple(Job(n, 0, 1, 40, speeds, Table((9, 5, 2))) for n in "abc")
    instance = Instance(Cluster.of(nodes, types), jobs, 3, 1, "forked")
    result = branch_and_price(instance)
    found = verify(instance, certify(instance, result))
    assert found.proved == (result.status == "proved")
