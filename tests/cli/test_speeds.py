"""Types without speeds are said, and speeds may be given as multiples."""

from __future__ import annotations

from pathlib import Path

import pytest

from hadaropt import Cluster, Workload, WorkloadJob, write_workload

ROOT = Path(__file__).parents[2]
ROWS = "job_id,submission_time,duration,num_gpu\na,0,1000,1\nb,100,500,2\n"
COMMANDS = {
    "simulate": ("--scheduler", "yarn"),
    "compare": ("--schedulers", "yarn"),
    "inspect": (),
}


@pytest.fixture
def trace_file(tmp_path):
    path = tmp_path / "itp.csv"
    path.write_text(ROWS)
    return path


def words(command):
    return ("trace", "inspect") if command == "inspect" else (command,)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_type_without_speeds_is_said_with_the_way_to_give_them(run, trace_file, command):
    call = (*words(command), trace_file, *COMMANDS[command], "--cluster", "V100=1x4,A100=2x4")
    (warning,) = run(*call, "--json").document["warnings"]
    assert warning.startswith("no job has a speed on A100, whose GPUs stay idle; give speeds by ")
    assert "--throughputs" in warning and "--relative-speeds" in warning
    text = " ".join(run(*call).out.split())
    assert f"warning {warning}" in text
    given = run(*call, "--relative-speeds", "A100=2.5", "--json")
    assert given.code == 0, given.err
    assert given.document["warnings"] == []


def test_a_cluster_of_types_that_nobody_measured_runs_at_relative_speeds(run, trace_file):
    call = ("simulate", trace_file, "--scheduler", "yarn", "--cluster", "A100=1x4,H100=1x4")
    refused = run(*call)
    assert refused.code == 4 and "--relative-speeds" in refused.err
    found = run(*call, "--relative-speeds", "A100=1,H100=11/5", "--json").document
    assert (found["done"], found["failed"]) == (2, 0)
    assert found["workload"]["relative_speeds"] == "A100=1,H100=11/5"


@pytest.mark.parametrize(
    "text", ["A100", "A100=", "=2", "A100=0", "A100=-1", "A100=x", "A100=nan", "A100=1,A100=2", ""]
)
def test_bad_relative_speeds_are_refused(run, trace_file, text):
    answer = run("trace", "inspect", trace_file, "--relative-speeds", text)
    assert answer.code == 2, answer.err
    assert "--relative-speeds" in answer.err


def test_relative_speeds_are_for_traces(run, tmp_path):
    path = tmp_path / "w.json"
    cluster = Cluster.parse("fast=1,slow=1")
    write_workload(Workload(cluster, (WorkloadJob("a", 0, 1, 10, {"fast": 1}),)), path)
    call = ("simulate", path, "--scheduler", "yarn")
    answer = run(*call, "--relative-speeds", "A100=1")
    assert answer.code == 2 and "is for traces" in answer.err
    (warning,) = run(*call, "--json").document["warnings"]
    assert warning.startswith("no job has a speed on slow")


def test_hostile_names_of_a_trace_are_literal_in_tables_and_exact_in_json(run, tmp_path):
    name = "[red]$x$\x1b[31m\N{RIGHT-TO-LEFT OVERRIDE}\x0c\N{LINE SEPARATOR}\n_"
    path = tmp_path / "itp.csv"
    path.write_text(f'job_id,submission_time,duration,num_gpu\n"{name}",0,9,99\nb,1,5,1\n')
    for call in (("trace", "inspect", path), ("simulate", path, "--scheduler", "yarn")):
        answer = run(*call)
        assert answer.code == 0, answer.err
        assert "[red]$x$\\x1b[31m\\u202e\\x0c\\u2028\\n_" in answer.out
        assert name in str_values(run(*call, "--json").document["unschedulable"])


def str_values(found):
    """Return the names of jobs in a document."""
    return list(found) if isinstance(found, dict) else [entry["name"] for entry in found]


def test_the_commands_of_the_page_on_own_hardware_run(run, tmp_path, monkeypatch):
    """With its table, on a trace of the name that the page gives it."""
    page = (ROOT / "docs/howto/own_hardware.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trace.csv").write_text(ROWS)
    (tmp_path / "speeds.csv").write_text(page.partition("```text\n")[2].partition("```")[0])
    commands = [line.split() for line in page.splitlines() if line.startswith("hadaropt ")]
    assert [command[1] for command in commands] == ["compare", "compare"]
    for command in commands:
        answer = run(*command[1:], "--schedulers", "yarn", "--json")
        assert answer.code == 0, answer.err
        assert answer.document["schedulers"]["yarn"]["done"] == 2


@pytest.mark.parametrize("command", ["simulate", "compare"])
def test_gang_sizes_whose_speed_is_guessed_are_said(run, tmp_path, command):
    trace, table = tmp_path / "itp.csv", tmp_path / "speeds.csv"
    trace.write_text(f"{ROWS}c,200,500,4\nd,300,500,8\n")
    measured = "m,1,A100,1,9.4\nm,2,A100,1,18.1\n"
    table.write_text(f"job_type,scale_factor,worker_type,consolidated,steps_per_s\n{measured}")
    call = (command, trace, *COMMANDS[command], "--cluster", "A100=1x8", "--throughputs", table)
    (warning,) = run(*call, "--json").document["warnings"]
    assert warning.startswith("gangs of 4, 8 were not measured: W GPUs are taken to be W times as")
    assert f"warning {warning}" in " ".join(run(*call).out.split())
    table.write_text(f"{table.read_text()}m,4,A100,1,30\nm,8,A100,1,50\n")
    assert run(*call, "--json").document["warnings"] == []
