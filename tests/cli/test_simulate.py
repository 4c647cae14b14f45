import csv
import os
from pathlib import Path

import pytest

from hadaropt import Cluster, Workload, WorkloadJob, write_workload

HEADER = "job_id,arrival_s,job_type,scale_factor,total_steps,priority_weight,v100_duration_s\n"
SPEEDS = (
    "job_type,scale_factor,worker_type,consolidated,steps_per_s\n"
    "M,1,v100,1,10\nM,1,k80,1,2.5\nM,2,v100,1,16\nM,2,k80,1,0\n"
)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "trace.csv").write_text(HEADER + "7,0,M,1,1500,1,150\n8,0,M,1,1000,1,100\n")
    (tmp_path / "speeds.csv").write_text(SPEEDS)
    (tmp_path / "shares.csv").write_text(
        "time_s,job_id,v100,p100,k80\n0,7,1,,\n0,8,0,,\n150,8,1,,\n"
    )
    return tmp_path


def options(files, scheduler="gavel_reference:max_min_fairness_perf", cluster="v100=1"):
    return (
        *(files / "trace.csv", "--throughputs", files / "speeds.csv", "--cluster", cluster),
        *("--scheduler", scheduler, "--round-seconds", 100),
    )


def test_replayed_allocations_by_hand(run, files):
    answer = run(
        "simulate", *options(files), "--replay-allocations", files / "shares.csv", "--json"
    )
    assert answer.code == 0, answer.err
    found = answer.document
    # Job 7 alone has a share: rounds 0 and 1 are its own, and job 8 follows.
    assert found["jct_s"] == {"7": 150.0, "8": 250.0}
    assert (found["done"], found["failed"], found["makespan_s"]) == (2, 0, 250.0)
    assert (found["avg_jct_s"], found["utilization"]) == (200.0, 1.0)


def test_a_solved_policy_runs_every_job(run, files):
    answer = run("simulate", *options(files, "gavel_reference:isolated", "V100=1,K80=2"), "--json")
    assert answer.code == 0, answer.err
    assert (answer.document["done"], answer.document["failed"]) == (2, 0)


def test_the_answer_for_people_says_what_was_simulated(run, files):
    answer = run("simulate", *options(files, "gavel_reference:fifo_perf"))
    assert "completed" in answer.out and "2 of 2 jobs" in answer.out


def test_recorded_averages_are_answered(run):
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    data = Path(os.environ.get("HADAROPT_DATA", beside)) / "gavel"
    if not data.is_dir():
        pytest.skip(f"recorded runs of Gavel are not at hand ({data}); set HADAROPT_DATA")
    tag = "small_test__2-2-2__r360__max_min_fairness_perf__ECOS"
    with (data / "reference" / "runs.csv").open(newline="") as file:
        (recorded,) = [row for row in csv.DictReader(file) if row["tag"] == tag]
    answer = run(
        *("simulate", data / "traces" / "small_test.csv", "--json"),
        *("--throughputs", data / "throughputs.csv", "--cluster", "v100=2,p100=2,k80=2"),
        *("--scheduler", "gavel_reference:max_min_fairness_perf"),
        *("--replay-allocations", data / "reference" / "allocs" / f"{tag}.csv.gz"),
    )
    for key in ("done", "failed", "avg_jct_s", "makespan_s", "utilization"):
        assert answer.document[key] == float(recorded[key])


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (("--scheduler", "nobody"), 2, "--scheduler nobody: must be one of hadar"),
        (("--scheduler", "gavel"), 2, "did you mean gavel:max_min_fairness?"),
        (("--scheduler", "yarn", "--seed", "1"), 2, "--seed 1: is not for --scheduler yarn"),
        (("--scheduler", "yarn", "--objective", "jct"), 2, "--objective jct: is not for"),
        (("--restart-seconds", "1"), 2, "--restart-seconds 1.0: is not for"),
        (("--consolidation-seconds", "1"), 2, "--consolidation-seconds 1.0: is not for"),
        (
            ("--scheduler", "hadar", "--consolidation-seconds", "1"),
            2,
            "is not for --scheduler hadar",
        ),
        (("--scheduler", "hadare", "--objective", "jct"), 2, "--objective jct: is not for"),
        (
            ("--scheduler", "hadare", "--consolidation-seconds", "100"),
            4,
            "consolidation_seconds = 100, must be less than round_seconds = 100",
        ),
        (("--scheduler", "gavel_reference:lifo"), 4, 'policy = "lifo", must be one of'),
        (("--cluster", "v100"), 2, "--cluster[0]"),
        (("--cluster", "a100=1"), 4, "is no type of the reference"),
        (("--round-seconds", "0"), 2, "must be finite and > 0"),
        (("--replay-allocations", "absent.csv"), 4, "absent.csv"),
    ],
)
def test_bad_calls_are_named(run, files, change, code, message):
    given = list(options(files))
    if change[0] in given:
        given[given.index(change[0]) + 1] = change[1]
        change = change[2:]
    given += change
    answer = run("simulate", *given)
    assert answer.code == code, answer.err
    assert message in answer.err


@pytest.fixture
def workload(tmp_path):
    jobs = [
        WorkloadJob("a", 0, 1, 150, {"fast": 1}),
        WorkloadJob("b", 50, 1, 50, {"fast": 1}),
        WorkloadJob("wide", 60, 3, 50, {"fast": 1}),
    ]
    path = tmp_path / "workload.json"
    write_workload(Workload(Cluster.parse("fast=1,slow=1"), tuple(jobs)), path)
    return path


def test_a_workload_by_hand(run, workload, tmp_path):
    folder = tmp_path / "not" / "yet"
    answer = run(
        *("simulate", workload, "--scheduler", "yarn", "--round-seconds", "100"),
        *("--restart-seconds", "10", "-o", folder, "--json"),
    )
    assert answer.code == 0, answer.err
    found = answer.document
    # a: 90 iterations, then 60 until 160; b: 10 s of restart, 50 iterations until 260.
    assert (found["done"], found["failed"], found["jobs"]) == (2, 1, 3)
    assert (found["avg_jct_s"], found["makespan_s"]) == ((160 + 210) / 2, 260)
    assert found["utilization"] == pytest.approx((160 + 60) / (2 * 260))
    assert list(found["unschedulable"]) == ["wide"]
    # One GPU for 10 + 150 s and, after it or before, 10 + 50 s; b may start at 100.
    bounds = found["bounds"]
    assert (bounds["makespan_s"], bounds["makespan_by"]) == (pytest.approx(220), "work")
    assert (bounds["avg_jct_s"], bounds["avg_jct_by"]) == (pytest.approx(165), "shortest_first")
    with (folder / "jobs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["job"], row["finish_s"]) for row in rows] == [
        ("a", "160.0"),
        ("b", "260.0"),
        ("wide", ""),
    ]
    assert (folder / "events.parquet").stat().st_size > 0


def test_the_answer_for_people_names_what_never_ran(run, workload):
    answer = run("simulate", workload, "--scheduler", "tiresias")
    assert "2 of 3 jobs" in answer.out
    assert "its gang of 3 exceeds" in answer.out
    words = " ".join(answer.out.split())
    assert "cluster 1 fast, 1 slow on 2 nodes" in words
    # b may start at 360 only: a JCT of 360 s, and 150 s for a.
    assert "JCT mean 0.0708333 h" in words
    assert ">= 0.0708333 h: at most 1 times the least possible here" in words


@pytest.mark.parametrize("scheduler", ["yarn", "hadar", "gavel:max_min_fairness_perf"])
def test_a_trace_becomes_a_workload(run, files, scheduler):
    answer = run(
        *("simulate", files / "trace.csv", "--throughputs", files / "speeds.csv", "--json"),
        *("--cluster", "v100=1", "--round-seconds", "100", "--scheduler", scheduler),
    )
    assert answer.code == 0, answer.err
    found = answer.document
    assert (found["done"], found["workload"]["format"]) == (2, "gavel-csv")
    assert found["makespan_s"] >= 250


def test_a_workload_brings_its_own_cluster(run, workload):
    answer = run("simulate", workload, "--scheduler", "yarn", "--cluster", "fast=2")
    assert answer.code == 2
    assert "--cluster: is for traces" in answer.err


def test_forked_jobs_by_hand(run, tmp_path):
    path = tmp_path / "workload.json"
    job = WorkloadJob("a", 0, 1, 180, {"fast": 1, "slow": "0.5"})
    write_workload(Workload(Cluster.parse("fast=1,slow=1"), (job,)), path)
    answer = run(
        *("simulate", path, "--scheduler", "hadare", "--round-seconds", "100", "--json"),
        *("--consolidation-seconds", "10"),
    )
    assert answer.code == 0, answer.err
    # 90 + 45 iterations, then 30 + 15 in 30 s and 10 s to consolidate.
    assert answer.document["makespan_s"] == 140
    assert answer.document["consolidation_seconds"] == "10"
    assert answer.document["metrics"]["cru"] == 1
    told = run("simulate", path, "--scheduler", "hadare", "--round-seconds", "100")
    assert "forked job-rounds" in told.out


@pytest.mark.parametrize("command", [("simulate", "--scheduler", "yarn"), ("compare",)])
def test_no_file_is_overwritten(run, workload, tmp_path, command):
    name, *options = command
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "gantt.png").touch()
    answer = run(name, workload, *options, "-o", folder)
    assert (answer.code, "holds gantt.png already" in answer.err) == (2, True), answer.err
    answer = run(name, workload, *options, "-o", workload)
    assert (answer.code, "is a file, must be a folder" in answer.err) == (2, True), answer.err


@pytest.mark.parametrize("command", [("simulate", "--scheduler", "yarn"), ("compare",)])
def test_the_default_cluster_is_named(run, files, command):
    trace = (files / "trace.csv", "--throughputs", files / "speeds.csv", "--json")
    answer = run(*command, *trace)
    assert answer.code == 0, answer.err
    assert (
        "trace.csv names no cluster, the default is taken: 20 V100, 20 P100, 20 K80" in answer.err
    )
    assert "give another by --cluster TYPE=NODESxGPUS" in answer.err
    own = run(*command, *trace, "--cluster", "v100=2")
    assert own.code == 0 and "names no cluster" not in own.err


def test_an_instance_is_no_workload(run, instance_file):
    answer = run("simulate", instance_file, "--scheduler", "yarn")
    assert answer.code == 4
    assert "is an instance; a workload comes from `hadaropt generate" in answer.err


def test_a_trace_is_thinned_to_a_load(run, tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"job{i},{10 * i},1,,{30 + i},OK\n" for i in range(40)]
    path.write_text("job_id,submit_s,num_gpus,gpu_type,duration_s,status\n" + "".join(rows))
    options = ("simulate", path, "--scheduler", "yarn", "--cluster", "V100=2", "--json")
    whole, thin = run(*options), run(*options, "--load", 0.5)
    assert whole.document["jobs"] == 40 and whole.document["workload"]["dropped"] == {}
    lost = thin.document["workload"]["dropped"]["thinned to the load"]
    assert thin.document["jobs"] == 40 - lost and 0 < lost < 40
    assert run(*options, "--load", 0).code == 2


def test_the_strongest_bound_is_asked_for(run, tmp_path):
    jobs = [WorkloadJob(f"j{i}", 130 * i, 1, 300 + 17 * i, {"V100": 1}) for i in range(12)]
    write_workload(Workload(Cluster.parse("V100=2"), tuple(jobs)), tmp_path / "w.json")
    options = ("simulate", tmp_path / "w.json", "--scheduler", "hadar", "--round-seconds", 100)
    quick, priced = (
        run(*options, "--bound-intervals", n, "--json").document["bounds"] for n in (0, 30)
    )
    assert run(*options, "--json").document["bounds"] == quick
    assert priced["avg_jct_s"] >= quick["avg_jct_s"]
    assert run(*options, "--bound-intervals", "1.5").code == 2
