import csv
from contextlib import contextmanager

import pytest

from hadaropt import Cluster, Workload, WorkloadJob, write_workload
from hadaropt.cli.common import progress
from hadaropt.cli.common.names import chosen
from hadaropt.cli.common.options import UsageError

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


@pytest.fixture
def workload(tmp_path):
    jobs = [
        WorkloadJob("a", 0, 1, 250, {"fast": 1}),
        WorkloadJob("b", 50, 1, 50, {"fast": 1}),
        WorkloadJob("wide", 60, 3, 50, {"fast": 1}),
    ]
    path = tmp_path / "workload.json"
    write_workload(Workload(Cluster.parse("fast=1,slow=1"), tuple(jobs)), path)
    return path


def test_schedulers_stand_side_by_side(run, workload, tmp_path):
    folder = tmp_path / "there"
    folder.mkdir()
    answer = run(
        *("compare", workload, "--schedulers", "yarn,hadar", "--round-seconds", "100"),
        *("--objective", "jct", "-o", folder, "--json"),
    )
    assert answer.code == 0, answer.err
    found = answer.document["schedulers"]
    assert list(found) == ["yarn", "hadar"]
    # yarn: a until 250, b from 300 to 350. hadar: b, which can complete at once, from 100 to 150.
    assert found["yarn"]["jct_s"]["mean"] == (250 + 300) / 2
    assert found["hadar"]["jct_s"]["mean"] == (350 + 100) / 2
    assert found["hadar"]["unschedulable"] == 1
    with (folder / "comparison.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["scheduler"], row["jct_s_mean"]) for row in rows] == [
        ("yarn", "275.0"),
        ("hadar", "225.0"),
    ]
    assert set(answer.document["files"]) == {"table", "jct", "use", "gantt"}


def test_the_table_for_people(run, workload):
    answer = run("compare", workload, "--schedulers", "yarn,tiresias")
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ["scheduler", "yarn", "tiresias"]
    assert "jobs" not in answer.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--schedulers", "yarn,nobody"), "--schedulers nobody: must be one of hadar"),
        (("--schedulers", "tiresia"), "did you mean tiresias?"),
        (("--schedulers", ","), "selects nothing"),
        (("--window", "5"), "--window 5: must be FIRST:LAST"),
        (("--window", "5:5"), "--window 5:5: must end after it begins"),
        (("--window", "0:²"), "--window 0:²: must be FIRST:LAST"),
        (("--window", "0:" + "9" * 5000), "must be FIRST:LAST, two rounds >= 0; must have at most"),
        (("--schedulers", "gavel"), "did you mean gavel:max_min_fairness?"),
        (
            ("--schedulers", "yarn,gavel_reference:fifo"),
            "--schedulers gavel_reference:fifo: is for hadaropt simulate only",
        ),
    ],
)
def test_bad_calls_are_named(run, workload, arguments, message):
    answer = run("compare", workload, *arguments)
    assert (answer.code, message in answer.err) == (2, True), answer.err


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("hadar,hadar", "names hadar twice"),
        ("hadar,,yarn", "holds an empty name"),
        ("hadar,", "holds an empty name"),
        (",", "selects nothing"),
    ],
)
def test_no_name_is_dropped_silently(names, said):
    with pytest.raises(UsageError, match=said):
        chosen("--schedulers", names, (), ("hadar", "yarn"))


def test_every_scheduler_completes_a_gang_that_only_a_mix_can_hold(run, tmp_path):
    jobs = [
        WorkloadJob("a", 0, 1, 250, {"fast": 1}),
        WorkloadJob("both", 0, 2, 5000, {"fast": 1, "slow": 1}),
    ]
    path = tmp_path / "workload.json"
    write_workload(Workload(Cluster.parse("fast=1,slow=1"), tuple(jobs)), path)
    answer = run("compare", path, "--schedulers", "yarn,hadar", "--round-seconds", "100", "--json")
    own, common = answer.document["schedulers"], answer.document["common"]
    assert (own["yarn"]["done"], own["hadar"]["done"], common["jobs"]) == (2, 2, 2)
    for name, found in common["schedulers"].items():
        assert found["jct_s"] == own[name]["jct_s"]


def test_every_mean_stands_beside_the_proven_least(run, workload):
    options = ("compare", workload, "--schedulers", "yarn,hadar,hadare", "--round-seconds", "100")
    for intervals in ((), ("--bound-intervals", 0), ("--bound-intervals", 12)):
        answer = run(*options, *intervals, "--json")
        bounds = answer.document["bounds"]
        for name, found in answer.document["common"]["schedulers"].items():
            assert 0 < bounds[name]["avg_jct_s"] <= found["jct_s"]["mean"]
        assert bounds["yarn"] == bounds["hadar"]
    assert bounds["hadare"]["avg_jct_s"] <= bounds["hadar"]["avg_jct_s"]
    refused = run(*options, "--bound-intervals", -1)
    assert refused.code == 2 and "--bound-intervals -1: must be >= 0" in refused.err


LOG = """JobID|Submit|Start|End|State|AllocTRES
1|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T02:00:00|COMPLETED|gres/gpu:V100=1
2|2024-01-01T00:00:00|2024-01-01T02:00:00|2024-01-01T02:30:00|FAILED|gres/gpu:V100=1
"""


def test_a_log_s_own_schedule_is_a_contestant_with_its_bound(run, tmp_path):
    """Two hours, then half an hour on one GPU: mean JCT 2.25 h, and 1.5 h was possible."""
    path = tmp_path / "sacct.txt"
    path.write_text(LOG)
    asked = ("compare", path, "--cluster", "V100=1", "--schedulers")
    answer = run(*asked, "yarn,recorded", "--json")
    assert answer.code == 0, answer.err
    found = answer.document["recorded"]
    assert (found["jobs"], found["jct_s"]["mean"], found["restarts"]) == (2, 8100, 0)
    assert found["queueing_s"]["mean"] == 3600 and found["gru"] == 1
    assert found["least_mean_jct_s"] == "5400"
    assert set(answer.document["schedulers"]) == {"yarn"}
    people = run(*asked, "recorded,yarn").out
    assert people.splitlines()[-1].split()[:5] == ["recorded", "2", "-", "2.25", "1.5"]
    assert "1 V100, given" in people


def test_a_record_that_does_not_fit_has_no_bound(run, tmp_path):
    path = tmp_path / "sacct.txt"
    path.write_text(LOG.replace("T02:00:00|2024-01-01T02:30:00", "T01:00:00|2024-01-01T01:30:00"))
    answer = run("compare", path, "--cluster", "V100=1", "--schedulers", "yarn,recorded", "--json")
    assert answer.document["recorded"]["least_mean_jct_s"] is None
    other = run("compare", path, "--cluster", "P100=1", "--schedulers", "yarn,recorded", "--json")
    assert other.document["recorded"]["cluster"] == {"V100": 2}  # inferred: it ran elsewhere


@pytest.mark.parametrize(
    ("text", "options", "why"),
    [
        (None, (), "is no log"),
        ("job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n", (), "recorded"),
        (LOG, ("--load", "0.5"), "without --load"),
    ],
)
def test_recorded_needs_a_whole_log(run, workload, tmp_path, text, options, why):
    path = workload
    if text is not None:
        path = tmp_path / "log.txt"
        path.write_text(text)
    answer = run("compare", path, "--schedulers", "yarn,recorded", *options)
    assert answer.code in {2, 4}
    assert why in answer.err or answer.code == 4


def test_recorded_alone_compares_nothing(run, tmp_path):
    path = tmp_path / "sacct.txt"
    path.write_text(LOG)
    answer = run("compare", path, "--schedulers", "recorded")
    assert answer.code == 2 and "beside it" in answer.err


def test_any_csv_is_read_by_naming_its_columns(run, tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text("who,asked,n,took\na,0,1,1000\nb,100,2,500\n")
    columns = ("--columns", "id=who,submit=asked,gpus=n,duration=took")
    for words in (
        ("compare", path, "--schedulers", "yarn"),
        ("simulate", path, "--scheduler", "yarn"),
        ("trace", "inspect", path),
    ):
        refused = run(*words)
        assert refused.code == 4
        assert "fit no format" in refused.err and "--columns submit=SUBMIT" in refused.err
        wrong = run(*words, "--columns", "submit=asked")
        assert wrong.code == 2 and "--columns" in wrong.err
        assert run(*words, *columns, "--json").code == 0
    found = run("compare", path, "--schedulers", "yarn", *columns, "--json").document
    assert (found["workload"]["format"], found["jobs"]) == ("columns", 2)


def test_columns_are_for_traces(run, workload, tmp_path):
    answer = run("compare", workload, "--columns", "submit=a,gpus=b,end=c")
    assert answer.code == 2 and "--columns: is for traces" in answer.err
    columns = ("--columns", "submit=a,gpus=b,end=c")
    both = run("trace", "inspect", workload, "--format", "itp", *columns)
    assert both.code == 2 and "--columns: is for a file without --format" in both.err


def test_each_step_is_shown_while_it_runs(run, workload, tmp_path, monkeypatch):
    steps = []

    @contextmanager
    def bar(total):
        assert total == 3
        yield lambda what, settled: steps.append(what)

    monkeypatch.setattr(progress, "job_bar", bar)
    call = ("compare", workload, "--schedulers", "yarn,srtf")
    assert run(*call, "-o", tmp_path / "drawn").code == 0
    assert list(dict.fromkeys(steps)) == ["yarn", "srtf", "drawing", "proving bounds"]
    steps.clear()
    assert run(*call).code == 0
    assert "drawing" not in steps
