"""Conservation laws and figures of every scheduler on fixed odd workloads."""

import random
from pathlib import Path

import pytest

from hadaropt.instance import Cluster
from hadaropt.io import read_workload
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.metrics import metrics
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import BUILT_IN, make_scheduler
from hadaropt.workload import Workload, WorkloadJob

from . import conservation
from . import metrics as figures

EXAMPLES = Path(__file__).parent / "examples"


def job(name, submit, gang, iterations, speeds, spread="1", weight=1):
    return WorkloadJob(name, submit, gang, iterations, speeds, spread, weight=weight)


def swap_on_one_gpu():
    """Two jobs that take turns lose all their time to restarts."""
    cluster = Cluster.of({"n0": {"t0": 1}})
    jobs = [job(name, 0, 1, 4, {"t0": 1}) for name in "ab"]
    return Workload(cluster, jobs), {"round_seconds": 10, "restart_seconds": "9.9"}


def worth_nothing():
    cluster = Cluster.of({"n0": {"t0": 1}, "empty": {}})
    jobs = [job("free", 0, 1, 9, {"t0": 1}, weight=0), job("paid", 3, 1, 9, {"t0": 1})]
    return Workload(cluster, jobs), {"round_seconds": 5}


def first_type_in_vain():
    """Over the nodes of t0 the gang does nothing; beside it, a job that never ends the queue."""
    cluster = Cluster.of({"n0": {"t0": 1}, "n1": {"t0": 1, "t1": 2}})
    jobs = [
        job("gang", 0, 2, 50, {"t0": 1, "t1": "1/2"}, "1/20"),
        job("long", 0, 1, 200, {"t0": 2, "t1": 2}),
    ]
    return Workload(cluster, jobs), {"round_seconds": 4}


def less_than_a_round():
    cluster = Cluster.of({"n0": {"t0": 2}})
    jobs = [job(name, 5, 2, 1, {"t0": 7}) for name in "abc"]
    return Workload(cluster, jobs), {"round_seconds": 100, "restart_seconds": 99}


def example(name, **options):
    return read_workload(EXAMPLES / name), options


WORKLOADS = {
    "slow over nodes": lambda: example("gang_slow_over_nodes.json", round_seconds="3.5"),
    "only a mix": lambda: example("gang_that_only_a_mix_holds.json", round_seconds="3.5"),
    "swap": swap_on_one_gpu,
    "worth nothing": worth_nothing,
    "first type in vain": first_type_in_vain,
    "less than a round": less_than_a_round,
}


@pytest.mark.parametrize("scheduler", BUILT_IN)
@pytest.mark.parametrize("name", WORKLOADS)
def test_every_job_that_can_run_completes_and_nothing_is_made_up(name, scheduler):
    workload, options = WORKLOADS[name]()
    problem = RoundProblem.of_workload(workload, **options)
    run = simulate_rounds(problem, make_scheduler(scheduler))
    assert set(run.finish) == set(range(len(workload.jobs)))
    conservation.check_run(run)
    figures.check_metrics(run)


@pytest.mark.parametrize("seed", range(40))
def test_laws_hold_on_odd_workloads(seed):
    conservation.check(random.Random(seed))
    figures.check(random.Random(seed))


def test_no_built_in_scheduler_declares_that_it_may_starve():
    assert not any(getattr(make_scheduler(name), "may_starve", False) for name in BUILT_IN)


def test_shares_count_what_is_held_until_the_last_completion_only():
    """Beside a job that completes, another one holds its GPU in vain for long after."""

    class InVain:
        name = "in vain"
        may_starve = True

        def plan(self, view):
            return {q.index: ((q.index, 0, 1),) for q in view.queue}

    cluster = Cluster.of({"n0": {"t0": 1}, "n1": {"t0": 1}})
    jobs = [job("done", 0, 1, 10, {"t0": 1}), job("in vain", 0, 1, 10, {"t0": "0.15"})]
    problem = RoundProblem.of_workload(Workload(cluster, jobs), round_seconds=10)

    class Stopped(InVain):
        def plan(self, view):
            plan = super().plan(view)
            return {j: own for j, own in plan.items() if j == 0 or view.round < 3}

    run = simulate_rounds(problem, Stopped())
    found = metrics(run)
    assert set(run.finish) == {0} and found.ttd_s == 10
    assert found.gru == 1.0 and found.cru == 1.0
    figures.check_metrics(run)
    conservation.check_run(run, may_starve=True)
