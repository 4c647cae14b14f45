import pytest

from hadaropt.instance import Cluster, Instance, Job
from hadaropt.simulate.levels import progress_levels, rounds_needed
from hadaropt.simulate.problem import RoundProblem
from hadaropt.utility import Step

TWO_NODES = Cluster.of({"a": {"fast": 2, "slow": 1}, "b": {"fast": 2}})


def problem(gang, iterations=100, *, speeds=(10, 4), rho="0.55", deadline=10, parallelism="mixed"):
    throughput = {r: x for r, x in zip(("fast", "slow"), speeds, strict=True) if x}
    job = Job("j", 0, gang, iterations, throughput, Step(1, deadline), spread_factor=rho)
    return RoundProblem.of_instance(Instance(TWO_NODES, (job,), 10, 1, parallelism))


@pytest.mark.parametrize(
    ("gang", "options", "levels"),
    [
        (1, {}, (10, 4)),
        (2, {}, (10, 5, 4, 2)),  # inside a node, or over two
        (3, {}, (5, 4, 2)),  # three fast ones only over nodes; two fast and the slow one inside
        (2, {"parallelism": "single_type"}, (10, 5)),  # one slow GPU takes no gang of 2
        (2, {"speeds": (10, 0)}, (10, 5)),
        (2, {"speeds": (10, 1)}, (10, 5, 1, 0)),  # over nodes at 0.55 iterations
        (6, {}, ()),
    ],
)
def test_levels_are_those_of_every_placement(gang, options, levels):
    assert progress_levels(problem(gang, **options), 0) == levels


def test_rounds_are_rounded_up_and_levels_that_come_too_late_do_not_count():
    assert rounds_needed(problem(1, 21), 0) == (3, 6)
    assert rounds_needed(problem(1, 21, deadline=5), 0) == (3,)
    assert rounds_needed(problem(1, 21, deadline=2), 0) == ()
    assert rounds_needed(problem(1, 101), 0) == ()  # the horizon is 10
