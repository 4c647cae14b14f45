import pytest

from hadaropt.simulate.schedulers.baselines import RandomOrder
from tests.simulate.small import finish, job, rounds_of, run


def who(found):
    return [set(held) for _, held in sorted(rounds_of(found).items())]


def test_shortest_remaining_time_first_by_hand():
    """c arrives in round 1 with less to do than what is left of a."""
    jobs = job("a", 0, 1, 250), job("b", 0, 1, 300), job("c", 100, 1, 50)
    found = run("fast=1", "srtf", *jobs)
    assert who(found) == [{"a"}, {"c"}, {"a"}, {"a"}, {"b"}, {"b"}, {"b"}]
    assert finish(found) == {"a": 350, "b": 700, "c": 150}


def test_the_remaining_time_is_that_on_the_fastest_type():
    jobs = job("many", 0, 1, 1000, throughput={"fast": 10}), job("few", 0, 1, 150)
    assert who(run("fast=1", "srtf", *jobs))[0] == {"many"}


def test_the_shortest_takes_the_fastest_type():
    jobs = job("long", 0, 1, 300), job("short", 0, 1, 100)
    found = run("slow=1,fast=1", "srtf", *jobs)
    assert rounds_of(found)[0] == {"long": {"slow": 1}, "short": {"fast": 1}}


def test_least_attained_service_takes_turns():
    """A gang of two attains twice as much in a round as a job on one GPU."""
    jobs = job("pair", 0, 2, 200), job("single", 0, 1, 300)
    found = run("fast=1x2", "las", *jobs)
    assert who(found) == [{"pair"}, {"single"}, {"single"}, {"pair"}, {"single"}]


def test_chance_never_preempts_and_is_fixed_by_its_seed():
    jobs = [job(f"j{i}", 0, 1, 250) for i in range(6)]
    orders = set()
    for seed in range(8):
        found = run("fast=1", RandomOrder(seed), *jobs)
        again = run("fast=1", RandomOrder(seed), *jobs)
        assert found.finish == again.finish
        order = [use.job for use in found.uses]
        assert order == [j for j in dict.fromkeys(order) for _ in range(3)]
        orders.add(tuple(order))
    assert len(orders) > 1


@pytest.mark.parametrize("name", ["srtf", "las", "random"])
def test_only_a_gang_that_no_type_can_hold_mixes_types(name):
    found = run("fast=1x2,slow=1x2", name, job("a", 0, 3, 10), job("b", 0, 2, 10))
    assert set(finish(found)) == {"a", "b"}
    kinds = {use.job: {r for _, r, _ in use.placement} for use in found.uses}
    assert len(kinds[0]) == 2 and len(kinds[1]) == 1
