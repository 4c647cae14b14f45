"""Bad and odd workloads from the shell: each is answered or refused by name, none is repaired."""

import json

import pytest

from hadaropt import Cluster, Workload, WorkloadJob, write_workload
from hadaropt.cli.common.options import UsageError
from hadaropt.cli.common.workloads import parse_factors

HEADER = "job_id,submit_s,num_gpus,gpu_type,duration_s,status\n"
GOOD = "good,0,1,,100,OK\n"
CLUSTER = ("--cluster", "V100=2x2", "--round-seconds", "100")


@pytest.fixture
def simulate(run, tmp_path):
    """Run ``hadaropt simulate`` on the text of a trace."""

    def call(text, scheduler="hadar", name="t.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return run("simulate", path, *CLUSTER, "--scheduler", scheduler, "--json")

    return call


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("bad,0,0,,100,OK\n", "zero GPUs"),
        ("bad,0,-1,,100,OK\n", "negative number of GPUs"),
        ("bad,0,1,,0,OK\n", "zero duration"),
        ("bad,0,1,,-5,OK\n", "negative duration"),
        ("bad,nan,1,,100,OK\n", "submit time missing or NaN"),
        ("good,0,1,,100,OK\n", "repeated row"),
        ("good,7,1,,100,OK\n", "repeated job id in a different row"),
    ],
)
def test_rows_left_out_are_counted_by_reason(simulate, row, reason):
    answer = simulate(HEADER + GOOD + row)
    assert answer.code == 0, answer.err
    assert answer.document["workload"]["dropped"] == {reason: 1}
    assert (answer.document["done"], answer.document["jobs"]) == (1, 1)


@pytest.mark.parametrize("scheduler", ["hadar", "gavel:max_min_fairness_perf", "tiresias", "yarn"])
def test_a_job_larger_than_the_cluster_is_reported_and_the_run_ends(simulate, scheduler):
    answer = simulate(HEADER + GOOD + "huge,0,5,,100,OK\n", scheduler)
    assert answer.code == 0, answer.err
    assert (answer.document["done"], answer.document["failed"]) == (1, 1)
    assert "exceeds the 4 GPUs" in answer.document["unschedulable"]["huge"]


@pytest.mark.parametrize("scheduler", ["hadar", "gavel:max_min_fairness_perf", "tiresias", "yarn"])
def test_a_job_larger_than_any_node_runs_over_nodes(simulate, scheduler):
    answer = simulate(HEADER + "wide,0,4,,100,OK\n", scheduler)
    assert (answer.document["done"], answer.document["failed"]) == (1, 0)


def test_ties_at_the_start_go_by_their_place_in_the_file(simulate):
    """Two gangs of the whole cluster: the first row runs first, whatever its name."""
    rows = ["z,0,4,,300,OK\n", "a,0,4,,100,OK\n"]
    long_first, short_first = (
        simulate(HEADER + "".join(part), "yarn").document["metrics"]["jct_s"]
        for part in (rows, rows[::-1])
    )
    assert long_first["mean"] == pytest.approx((300 + 400) / 2, rel=0.01)
    assert short_first["mean"] == pytest.approx((100 + 400) / 2, rel=0.01)


def test_unsorted_rows_give_the_same_run_as_sorted_ones(simulate):
    rows = ["late,500,1,,100,OK\n", "early,0,2,,300,OK\n"]
    sorted_, unsorted = (simulate(HEADER + "".join(part)) for part in (rows[::-1], rows))
    assert sorted_.document["metrics"] == unsorted.document["metrics"]


@pytest.mark.parametrize(
    "text",
    [
        (HEADER + GOOD).replace("\n", "\r\n"),
        "\ufeff" + HEADER + GOOD,
        HEADER + GOOD + "\n\n",
    ],
    ids=["CRLF", "BOM", "blank lines"],
)
def test_line_ends_and_marks_change_nothing(simulate, text):
    assert simulate(text).document["metrics"] == simulate(HEADER + GOOD).document["metrics"]


def test_a_trace_without_rows_is_an_empty_run(simulate):
    answer = simulate(HEADER)
    assert answer.code == 0, answer.err
    assert (answer.document["jobs"], answer.document["avg_jct_s"]) == (0, None)
    assert answer.document["metrics"]["gru"] == 0


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("", "t.csv", "t.csv, is empty"),
        ("a,b,c\n1,2,3\n", "t.csv", "fit no format"),
        (
            "job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,x\n",
            "t.csv",
            "looks like 'tiresias'",
        ),
        ('[{"jobid": "a"', "t.json", "t.json line 1 column"),
        (b"job_id,\xff\n", "t.csv", "must be UTF-8"),
        ("[" * 200_000, "t.json", "t.json, is nested too deeply"),
        ("[" + "9" * 5000 + "]", "t.json", "t.json, holds a number of too many digits"),
    ],
    ids=["empty", "no format", "wrong columns", "truncated JSON", "no text", "deep", "digits"],
)
def test_files_that_cannot_be_read_are_refused(simulate, text, name, message):
    answer = simulate(text, name=name)
    assert answer.code == 4
    assert message in answer.err
    assert answer.document["error"]["kind"] == "TraceError"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("bad,0,99999999999,,100,OK\n", "t.csv jobs[1].gang_size = 99999999999, must be <="),
        ("bad,0,1,,1e99,OK\n", "t.csv jobs[1].iterations = "),
        ("bad,0,1,,1e300,OK\n", 'duration_s = "1e300", must be 0 or between 1e-100 and 1e100'),
        ("bad,1e399,1,,100,OK\n", 'submit_s = "1e399", must be 0 or between 1e-100 and 1e100'),
    ],
)
def test_what_is_too_large_is_named(simulate, row, message):
    answer = simulate(HEADER + GOOD + row)
    assert answer.code == 4
    assert message in answer.err


def test_an_arrival_after_all_times_is_compared(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(HEADER + GOOD + "late,1e99,1,,100,OK\n")
    answer = run("compare", path, *CLUSTER, "--schedulers", "hadar,yarn", "--json")
    assert answer.code == 0, answer.err
    assert answer.document["common"]["jobs"] == 2


@pytest.fixture
def workload_text(tmp_path):
    path = tmp_path / "w.json"
    jobs = (WorkloadJob("a", 0, 1, 150, {"fast": 1}), WorkloadJob("b", 0, 1, 50, {"fast": 1}))
    write_workload(Workload(Cluster.parse("fast=1"), jobs), path)
    return path.read_text()


def test_every_truncation_of_a_workload_is_refused(run, workload_text, tmp_path):
    path = tmp_path / "cut.json"
    start = workload_text.index("hadaropt-workload/1") + 25
    for length in range(start, len(workload_text) - 2, 23):
        path.write_text(workload_text[:length])
        answer = run("simulate", path, "--scheduler", "yarn", "--json")
        assert answer.code == 4, length
        assert "line" in answer.err and "column" in answer.err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gang_size": 0}, "jobs[1].gang_size = 0, must be >= 1"),
        ({"iterations": 0}, "jobs[1].iterations = 0, must be >= 1"),
        ({"submit_seconds": -1}, "jobs[1].submit_seconds = -1"),
        ({"submit_seconds": "nan"}, "jobs[1].submit_seconds"),
        ({"name": "a"}, "name"),
        ({"throughput": {"slow": 1}}, "jobs[1].throughput"),
    ],
)
def test_bad_jobs_of_a_workload_are_named(run, workload_text, tmp_path, change, message):
    document = json.loads(workload_text)
    document["jobs"][1] |= change
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    answer = run("compare", path, "--schedulers", "yarn", "--json")
    assert answer.code == 4
    assert message in answer.err


@pytest.mark.parametrize("text", ["", "A100", "A100=", "=2", "A100=1,A100=2", "A100=1,,H100=2"])
def test_factors_of_types_are_read_once_each(text):
    assert parse_factors("--o", " A100 = 1/2,H100=2.2") == {"A100": "1/2", "H100": "2.2"}
    with pytest.raises(UsageError, match=r'^--o ".*": must be none, or TYPE=FACTOR with each type'):
        parse_factors("--o", text, "none, or ")
