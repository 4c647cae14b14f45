"""What a certificate can be made of, and what is said of anything else."""

from fractions import Fraction

import pytest

import hadaropt
from hadaropt.certificates import certify, verify
from hadaropt.utility import Linear


def queue():
    cluster = hadaropt.Cluster.of({"n0": {"V100": 2}})
    jobs = [hadaropt.Job(f"j{j}", 0, 1 + j % 2, 4, {"V100": 2}, Linear(9, 1)) for j in range(3)]
    return hadaropt.Instance(cluster, jobs, 5, 1)


def test_a_round_run_is_refused_with_what_to_give_instead():
    run = hadaropt.run_rounds(queue(), "hadar")
    with pytest.raises(TypeError, match="a RoundRun has no prices") as refused:
        certify(queue(), run)
    assert "give certify(instance, {}, schedule=run.schedule)" in str(refused.value)
    found = verify(queue(), certify(queue(), {}, schedule=run.schedule))
    assert (found.value, found.bound) == (run.value, run.bound)


@pytest.mark.parametrize("source", [3, "zero_start", [Fraction(1)], queue().jobs[0]])
def test_what_is_no_source_of_prices_is_told_what_is(source):
    with pytest.raises(TypeError, match=r"run_or_prices = .*must be an OnlineRun, a Result"):
        certify(queue(), source)


@pytest.mark.parametrize(
    ("prices", "rule"),
    [
        ({"a": 1}, r'prices\["a"\] = 1, must be at a place \(round, type\)'),
        (
            {(0, 0): 1, (0, 0, 0): 1},
            r"prices\[\(0, 0, 0\)\] = 1, must be at a place \(round, type\)",
        ),
        ({(9, 0): 1}, r"must be at a place of the instance, below \(5, 1\)"),
        ({(-1, 0): 1}, r"must be at a place of the instance, below \(5, 1\)"),
        ({(0, 0): "much"}, r"prices\[\(0, 0\)\] = "),
        ({(0, 0): -1}, r"prices\[\(0, 0\)\] = -1, must be >= 0"),
    ],
)
def test_prices_of_a_mapping_are_numbers_at_places_of_the_instance(prices, rule):
    with pytest.raises(hadaropt.InstanceError, match=rule):
        certify(queue(), prices)


def test_the_prices_of_a_mapping_count():
    """Each of 3 payoffs falls by 1, paid or lost by a round of waiting; 2 GPUs cost 1 each."""
    free, dear = (certify(queue(), prices) for prices in ({}, {(0, 0): 1}))
    assert verify(queue(), dear).bound == dear.bound
    assert dear.prices == {(0, 0): 1}
    assert free.bound - dear.bound == 3 * 1 - 2


def test_the_schedule_is_no_run():
    run = hadaropt.run_online(queue(), "fifo")
    with pytest.raises(TypeError, match=r"schedule = .*must be of type Schedule: such as run"):
        certify(queue(), {}, schedule=run)
    assert certify(queue(), {}, schedule=run.schedule).value == run.value


@pytest.mark.parametrize("policy", ["fifo", "greedy_density"])
def test_the_bound_of_a_run_without_prices_is_certified_at_zero_prices(policy):
    run = hadaropt.run_online(queue(), policy)
    assert run.prices is None
    certificate = certify(queue(), run)
    assert certificate.level == "L1"
    found = verify(queue(), certificate)
    assert (found.value, found.bound) == (run.value, run.bound)
    assert certify(queue(), None, schedule=run.schedule).level == "L0"
