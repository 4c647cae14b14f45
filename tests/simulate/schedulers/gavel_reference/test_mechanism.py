"""The rounds of the reference, defects included."""

import pytest

from hadaropt.simulate.schedulers.gavel_reference.mechanism import Mechanism


def test_the_gpus_of_a_finished_job_idle_until_the_round_ends(tiny):
    rows = "0,0,M,1,500,1,50\n1,0,M,1,1000,1,100\n2,0,M,1,1000,1,100\n"
    run = tiny(rows, "0,0,1,,\n0,1,1,,\n0,2,,,\n50,0,1,,\n100,2,1,,\n", {"v100": 2})
    assert run.jct_s == {0: 50.0, 1: 100.0, 2: 200.0}


def test_a_type_on_which_a_job_cannot_run_is_never_used(tiny):
    run = tiny("0,0,M,2,100,1,10\n", "0,0,0,,1\n", {"v100": 1, "k80": 2})
    assert run.picks == ()
    assert run.waiting == (0,)
    assert run.avg_jct_s is None


def test_a_gang_with_fewer_steps_than_workers_is_dropped_after_five_failures(tiny):
    run = tiny("0,0,M,2,1601,1,100\n", "0,0,1,,\n", {"v100": 2})
    assert [p.steps for p in run.picks] == [1600, 1, 1, 1, 1, 1]
    assert run.finish == {}
    assert list(run.dropped) == [0]


def test_a_gang_larger_than_every_type_starves_as_is_declared(tiny):
    run = tiny("0,0,M,2,100,1,10\n1,0,M,1,100,1,10\n", None, {"v100": 1, "k80": 1})
    assert Mechanism.may_starve
    assert set(run.finish) == {1}
    assert not run.dropped


def test_the_clock_jumps_over_a_job_without_shares(tiny):
    """Job 1 arrives in the first round and has no shares before the next reallocation."""
    rows = "0,0,M,1,1000,1,100\n1,50,M,1,1000,1,100\n2,10000,M,1,1000,1,100\n"
    shares = "0,0,1,,\n100,1,1,,\n10000,1,.5,,\n10000,2,.5,,\n"
    run = tiny(rows, shares, {"v100": 2})
    assert run.finish[1] == 200.0
    late = rows.replace("1,50", "1,150")
    run = tiny(late, shares.replace("100,1,1,,\n", ""), {"v100": 2})
    assert run.finish[1] == 10100.0
    assert run.utilization == pytest.approx((100 + 10000 + 10000) / 2 / 10100)
