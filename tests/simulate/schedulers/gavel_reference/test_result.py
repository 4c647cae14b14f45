"""Figures of a run."""


def test_steps_and_times_by_hand(tiny):
    """1500 steps at 10/s in rounds of 100 s: 1000 steps, then 500 in 50 s."""
    run = tiny("7,0,M,1,1500,1,150\n", "0,7,1,,\n", {"V100": 1})
    assert [(p.round, p.start, p.steps) for p in run.picks] == [(0, 0.0, 1000), (1, 100.0, 500)]
    assert run.jct_s == {0: 150.0}
    assert (run.makespan_s, run.utilization) == (150.0, 1.0)
    assert run.waiting == ()
