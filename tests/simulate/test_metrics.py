from dataclasses import replace

import pytest

from hadaropt.simulate.metrics import Distribution, common_jobs, metrics
from tests.simulate.small import job, run


def test_figures_by_hand(two):
    found = metrics(two)
    assert (found.jobs, found.done, found.unschedulable, found.unfinished) == (2, 2, 0, 0)
    assert found.jct_s == Distribution(175, 175, pytest.approx(197.5), pytest.approx(199.5), 200)
    assert found.queueing_s.mean == 75
    assert (found.ttd_s, found.makespan_s) == (250, 250)
    # One of two GPUs (on one of two nodes) is held for 200 of 250 s.
    assert found.gru == pytest.approx(200 / 500)
    assert found.cru == pytest.approx(200 / 500)
    assert found.useful_utilization == 1
    assert (found.restarts, found.rounds) == (2, 3)


def test_jct_is_compared_over_the_jobs_that_all_complete(two):
    other = replace(two, finish={0: two.finish[0]})
    common = common_jobs([two, other])
    assert common == [0]
    assert metrics(two, common).jct_s == metrics(other, common).jct_s == metrics(other).jct_s
    assert metrics(two, common).jct_s.mean == 150
    assert metrics(two).jct_s.mean == 175


def test_a_gpu_is_not_held_after_its_job_has_finished():
    found = metrics(run("fast=1", "yarn", job("a", 0, 1, 10), job("b", 300, 1, 10)))
    assert found.gru == pytest.approx(20 / 310)


def test_restarts_and_slow_types_are_not_useful():
    only = {"slow": "0.5"}
    slow = metrics(run("slow=1,fast=1", "yarn", job("a", 0, 1, 50)))
    assert slow.useful_utilization == pytest.approx(0.5)
    restarted = metrics(
        run("slow=1", "yarn", job("a", 0, 1, 45, throughput=only), restart_seconds=10)
    )
    assert restarted.useful_utilization == pytest.approx(0.9)


def test_finish_time_fairness_by_hand(two):
    """a shares with b for 100 of its 150 s, b with a for 100 of its 200 s."""
    rho = metrics(two).finish_time_fairness
    # Two GPUs, n = 5/3 and 3/2: 6/5 and 4/3 GPUs, scaled to 1; half of it is the fast one.
    assert rho.max == pytest.approx(200 * 0.5 / 50)
    assert rho.mean == pytest.approx((150 * 0.5 / 150 + 200 * 0.5 / 50) / 2)


def test_unschedulable_jobs_are_counted_apart():
    found = metrics(run("fast=1", "yarn", job("a", 0, 2, 10)))
    assert (found.done, found.unschedulable, found.jct_s, found.gru) == (0, 1, None, 0)
