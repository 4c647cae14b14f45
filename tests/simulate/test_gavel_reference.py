import gzip

import pytest

from benchmarks.paper.gavel_validation import differences, recorded_runs, replayed
from hadaropt.errors import InstanceError, TraceError
from hadaropt.simulate.schedulers.gavel_reference import simulate_gavel_reference
from hadaropt.simulate.schedulers.gavel_reference.fifo import ReferenceFifo
from hadaropt.simulate.schedulers.gavel_reference.inputs import ReferenceJob
from hadaropt.simulate.schedulers.gavel_reference.mechanism import Mechanism, View
from hadaropt.simulate.schedulers.gavel_reference.selection import place, select

HEADER = "job_id,arrival_s,job_type,scale_factor,total_steps,priority_weight,v100_duration_s\n"
SPEEDS = (
    "job_type,scale_factor,worker_type,consolidated,steps_per_s\n"
    "M,1,v100,1,10\nM,1,k80,1,2.5\nM,2,v100,1,16\nM,2,k80,1,0\n"
)


@pytest.fixture
def tiny(tmp_path):
    """Return a run of rows of a trace under recorded shares, or solved where they are None."""
    speeds = tmp_path / "throughputs.csv"
    speeds.write_text(SPEEDS)

    def run(rows, shares, counts, policy="max_min_fairness_perf", **options):
        trace, allocations = tmp_path / "trace.csv", tmp_path / "allocations.csv.gz"
        trace.write_text(HEADER + rows)
        if shares is None:
            allocations = None
        else:
            with gzip.open(allocations, "wt") as file:
                file.write("time_s,job_id,v100,p100,k80\n" + shares)
        return simulate_gavel_reference(
            trace, speeds, counts, policy, round_seconds=100, replay=allocations, **options
        )

    return run


def test_recorded_runs_are_reproduced_exactly(gavel_data):
    small = [run for run in recorded_runs(gavel_data) if int(run["rounds"]) <= 120]
    assert len(small) >= 60
    found = {
        run["tag"]: list(differences(gavel_data, run, replayed(gavel_data, run))) for run in small
    }
    assert found == {run["tag"]: [] for run in small}


def test_fifo_needs_no_record(gavel_data):
    """It solves no program, so that its own decisions reproduce the runs exactly."""
    runs = [
        run
        for run in recorded_runs(gavel_data)
        if run["policy"] == "fifo" and (int(run["rounds"]) <= 250 or run["cluster"] == "8:16:24")
    ]
    assert len(runs) >= 10
    for run in runs:
        own = replayed(gavel_data, run, solved=True)
        assert list(differences(gavel_data, run, own)) == [], run["tag"]


def test_fifo_sends_no_job_where_it_cannot_run():
    """It loses its turn; as the successor of a completed job it keeps it."""

    def seen(*jobs):
        return View(0.0, {j: every[j] for j in jobs}, {j: 100 for j in jobs}, counts)

    def sent(shares):
        return {j: [kind for kind, x in own.items() if x] for j, own in shares.items()}

    counts = {"v100": 2, "k80": 2}
    both, fast = {"v100": 10.0, "k80": 2.0}, {"v100": 16.0, "k80": 0.0}
    every = {
        j: ReferenceJob(str(j), 0.0, gang, 100, 1.0, speeds)
        for j, (gang, speeds) in enumerate([(2, both), (2, fast), (1, both), (1, both)])
    }
    policy = ReferenceFifo(0)
    assert sent(policy(seen(0))) == {0: ["v100"]}
    assert sent(policy(seen(0, 1, 2))) == {0: ["v100"], 1: [], 2: ["k80"]}
    assert sent(policy(seen(0, 1, 3))) == {0: ["v100"], 1: [], 3: ["k80"]}
    assert sent(policy(seen(1, 3))) == {1: ["v100"], 3: ["k80"]}


def test_blind_policies_are_solved(tiny, tmp_path):
    """Two equal jobs on a fast and a slow GPU: no policy that takes speeds to be 1 tells them."""
    for policy in ("finish_time_fairness", "min_total_duration"):
        run = tiny("0,0,M,1,1000,1,100\n1,0,M,1,1000,1,100\n", None, {"v100": 1, "k80": 1}, policy)
        assert len(run.finish) == 2, policy


def test_the_comparison_sees_another_run(gavel_data):
    runs = {run["tag"]: run for run in recorded_runs(gavel_data)}
    run = runs["small_test__2-2-2__r360__max_min_fairness_perf__ECOS"]
    other = runs["small_test__2-2-2__r360__isolated__ECOS"]
    found = list(differences(gavel_data, run, replayed(gavel_data, other)))
    assert "picks are not recorded" in found[0]
    assert any(line.startswith("makespan_s") for line in found)


def test_steps_and_times_by_hand(tiny):
    """1500 steps at 10/s in rounds of 100 s: 1000 steps, then 500 in 50 s."""
    run = tiny("7,0,M,1,1500,1,150\n", "0,7,1,,\n", {"V100": 1})
    assert [(p.round, p.start, p.steps) for p in run.picks] == [(0, 0.0, 1000), (1, 100.0, 500)]
    assert run.jct_s == {0: 150.0}
    assert (run.makespan_s, run.utilization) == (150.0, 1.0)
    assert run.waiting == ()


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


def test_an_instant_without_record_is_an_error(tiny):
    with pytest.raises(TraceError, match=r"no allocation at time_s = 5\.0"):
        tiny("0,5,M,1,1500,1,150\n", "0,0,1,,\n", {"v100": 1})


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"A100": 1}, r"cluster\.A100, is no type"),
        ({"v100": -1}, r"cluster\.v100 = -1, must be >= 0"),
        ({"v100": 1, "V100": 1}, "stands twice"),
        ({"v100": 0}, "must have a GPU"),
    ],
)
def test_bad_clusters_are_named(tiny, counts, message):
    with pytest.raises(InstanceError, match=message):
        tiny("0,0,M,1,1500,1,150\n", "0,0,1,,\n", counts)


def test_a_model_that_was_not_measured_is_named(tiny):
    with pytest.raises(TraceError, match=r"trace\.csv job 0.*gang size 4"):
        tiny("0,0,M,4,1500,1,150\n", "0,0,1,,\n", {"v100": 4})


def test_leftovers_are_filled_with_priority_0_except_under_fifo():
    ranked = {"v100": [(0, 2.0), (1, 0.0)]}
    scale, speeds = {0: 1, 1: 1}, {0: {"v100": 1.0}, 1: {"v100": 1.0}}
    both = select(["v100"], {"v100": 2}, ranked, scale, speeds, needs_priority=False)
    fifo = select(["v100"], {"v100": 2}, ranked, scale, speeds, needs_priority=True)
    assert both == [(0, "v100"), (1, "v100")]
    assert fifo == [(0, "v100")]


def test_larger_gangs_are_placed_first_and_keep_their_workers():
    workers = {"v100": range(2, 6)}
    scale = {0: 1, 1: 2}
    picks = [(0, "v100"), (1, "v100")]
    assert place(picks, scale, workers, {}) == {1: (2, 3), 0: (4,)}
    assert place(picks, scale, workers, {1: (4, 5), 0: (5,)}) == {1: (4, 5), 0: (2,)}
