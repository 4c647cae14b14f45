"""Arguments that are easily mistaken for others are told apart."""

import pytest

import hadaropt
from hadaropt.simulate.bounds import workload_bounds


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda own: hadaropt.run_rounds(own, "yarn"), "of type Instance: Workload.to_instance"),
        (workload_bounds, "of type RoundProblem: RoundProblem.of_workload makes one"),
        (lambda _: hadaropt.solve("own.json"), "of type Instance: read one with"),
        (
            lambda own: hadaropt.run_online(own, hadaropt.policies.Fifo()),
            "of type Instance: read one with",
        ),
    ],
)
def test_arguments_of_the_wrong_kind_are_named(call, message):
    job = hadaropt.WorkloadJob("a", 0, 1, 1, {"V100": 1})
    workload = hadaropt.Workload(hadaropt.Cluster.of({"n0": {"V100": 1}}), (job,))
    with pytest.raises(TypeError, match=message):
        call(workload)
