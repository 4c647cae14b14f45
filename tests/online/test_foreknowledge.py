"""What is computed of the future before a run."""

from fractions import Fraction

import pytest

from hadaropt import Cluster, Instance, Job
from hadaropt.online.foreknowledge import compute_foreknowledge
from hadaropt.utility import Table


@pytest.mark.parametrize("pool", ["type", "node"])
@pytest.mark.parametrize(("gang", "rounds"), [(1, 2), (2, 4)])
def test_only_a_gang_of_several_is_slowed_by_spanning_nodes(pool, gang, rounds):
    """10 iterations, 5 a round inside a node: 4 rounds at most if half speed is possible."""
    cluster = Cluster.of({"n0": {"A": 2}, "n1": {"A": 2}})
    job = Job("a", 0, gang, 10, {"A": 5}, Table((8,) * 6), Fraction(3, 5))
    known = compute_foreknowledge(Instance(cluster, (job,), 6, 1), pool)
    assert known.least_density == Fraction(8, gang * rounds)
    assert known.most_units == gang * rounds
