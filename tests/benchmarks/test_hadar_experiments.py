"""The experiments on trace simulation, on a few synthetic rows."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import pytest

from benchmarks.paper import _cells, hadar_ablation, hadar_sensitivity, hadar_simulation
from benchmarks.paper import _tables as tables
from benchmarks.paper._ablation import Committed, DensityGreedy
from benchmarks.paper._assignment import assign
from benchmarks.paper._cells import Cell, run_cell, run_cells
from benchmarks.paper._misinformed import TOLD, Misinformed, telling
from benchmarks.paper._samples import CLASSES, PHILLY, Sample
from hadaropt.instance import Cluster
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.problem import RoundProblem
from hadaropt.traces.throughputs import measured
from hadaropt.traces.trace import TraceJob
from hadaropt.workload import Workload, WorkloadJob

CLUSTER = "V100=1x2,P100=1x2,K80=1x2"
HEAD = "job_id,submit_s,num_gpus,gpu_type,duration_s,status"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Twelve jobs, three of each class, and one that is too wide."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "traces").mkdir()
    hours = [0.5, 0.8, 1, 2, 3, 9, 12, 20, 49, 61, 80, 99]
    rows = [
        f"j{i},{100 * i},{1 + i % 2},,{int(h * 3600 / (1 + i % 2))},UNKNOWN"
        for i, h in enumerate(hours)
    ]
    text = "\n".join([HEAD, *rows, "wide,5,4,,3600,UNKNOWN"]) + "\n"
    for name in (PHILLY, "itp_cluster06"):
        (folder / "traces" / f"{name}.csv").write_text(text)
    return folder


def test_samples_take_as_many_of_each_class(data):
    sample = Sample(jobs=8, cluster=CLUSTER)
    names = {job.name for job in sample.workload(data).jobs}
    assert len(names) == 8 and "wide" not in names
    classes = [{f"j{3 * i + k}" for k in range(3)} for i in range(len(CLASSES))]
    assert [len(names & own) for own in classes] == [2, 2, 2, 2]


def test_samples_are_drawn_by_seed(data):
    sample = Sample(jobs=8, cluster=CLUSTER)
    drawn = [
        tuple(job.name for job in replace(sample, seed=seed).workload(data).jobs)
        for seed in (0, 0, 1, 2)
    ]
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) > 1


def test_arrivals_at_once_as_in_the_trace_and_stretched_to_a_load(data):
    at_once = Sample(rule="all", cluster=CLUSTER)
    assert {job.submit_seconds for job in at_once.workload(data).jobs} == {0}
    as_is = replace(at_once, load=0).workload(data)
    assert [job.submit_seconds for job in as_is.jobs][:3] == [0, 100, 200]
    spans = [
        replace(at_once, load=load).workload(data).jobs[-1].submit_seconds for load in (0.5, 1.0)
    ]
    assert spans[0] == pytest.approx(2 * float(spans[1]), abs=1)


def problem(**options):
    jobs = [
        WorkloadJob("long", 0, 1, 1000, {"fast": 1}),
        WorkloadJob("short", 150, 1, 100, {"fast": 1}),
    ]
    workload = Workload(Cluster.parse("fast=1"), tuple(jobs))
    return RoundProblem.of_workload(workload, round_seconds=100, objective="jct", **options)


def test_density_greedy_preempts_and_committed_does_not():
    # From 200 on: 1/9 for long (300..1000 left), 1/1 for short, so short goes first.
    own = problem()
    assert simulate_rounds(own, DensityGreedy()).finish == {0: 1100, 1: 300}
    assert simulate_rounds(own, Committed(DensityGreedy())).finish == {0: 1000, 1: 1100}


def test_density_greedy_mixes_only_where_it_may():
    jobs = [WorkloadJob("wide", 0, 2, 100, {"fast": 1, "slow": "0.5"})]
    workload = Workload(Cluster.parse("fast=1,slow=2"), tuple(jobs))
    for mixing in (True, False):
        own = RoundProblem.of_workload(workload, round_seconds=100, mixing=mixing)
        (use, *_) = simulate_rounds(own, DensityGreedy()).uses
        assert {r for _, r, _ in use.placement} == ({0, 1} if mixing else {1})


@pytest.mark.parametrize("rule", TOLD)
def test_wrong_lengths_are_told_and_the_run_still_ends(rule):
    told, values = [], []

    class Spy(DensityGreedy):
        def plan(self, view):
            told.append({q.job.name: q.remaining for q in view.queue})
            values.extend(q.job.value(3) / q.job.iterations for q in view.queue if q.index == 0)
            assert all(view.problem.jobs[q.index] is q.job for q in view.queue)
            return super().plan(view)

    own = problem()
    tell = telling(rule, own, seed=1)
    run = simulate_rounds(own, Misinformed(Spy(), own, tell, counted=True))
    assert set(run.finish) == {0, 1}
    assert all(least >= 1 for queue in told for least in queue.values())
    assert len(set(values)) == 1  # values are as wrong as the lengths


def test_what_is_told_about_lengths():
    own = problem()
    long, short = own.jobs
    many = [replace(long, name=f"{i}") for i in range(200)]

    def told(rule, jobs=(long, short), done=0):
        return [telling(rule, own)(job, done) for job in jobs]

    assert told("median") == [550, 550]
    assert told("attained") == [100, 100]
    assert told("attained", done=300) == [600, 600]
    assert set(told("half x 10", many)) == {1000, 10_000}
    assert 60 < told("half x 10", many).count(1000) < 140
    near = told("0.5 to 2", many)
    assert 500 <= min(near) < 600 and 1700 < max(near) <= 2000
    for bad in ("half", "half 2", ""):
        with pytest.raises(ValueError, match="must be one of"):
            telling(bad, own)


def test_values_that_do_not_count_iterations_stay_right():
    seen = []

    class Spy(DensityGreedy):
        def plan(self, view):
            seen.extend((q.job.iterations, q.job.value(3)) for q in view.queue if q.index == 0)
            return super().plan(view)

    own = problem()
    simulate_rounds(own, Misinformed(Spy(), own, telling("median", own), counted=False))
    assert set(seen) == {(550, own.jobs[0].value(3))}


def test_models_by_rule():
    jobs = tuple(
        TraceJob(f"{gang}/{i}", Fraction(0), gang, Fraction(60 * (i + 1)))
        for gang in (1, 3)
        for i in range(30)
    )
    table = measured()

    def gains(rule):
        speeds = [table.throughput(job.model, 1) for job in assign(jobs, rule)]
        return [speed["V100"] / speed["K80"] for speed in speeds]

    most, least = gains("long gain most"), gains("long gain least")
    for own, other in ((most[:30], least[:30]), (most[30:], least[30:])):
        assert own == sorted(own) and other == sorted(other, reverse=True)
        assert set(own) == set(other) and len(set(own)) > 20
    assert len(set(gains("one model"))) == 1
    assert all(job.model is None for job in assign(jobs, "drawn"))
    with pytest.raises(ValueError, match="must be one of"):
        assign(jobs, "nosuch")


def test_cells_are_kept_and_taken_up_again(data, tmp_path, capsys, monkeypatch):
    cells = [Cell(Sample(jobs=4, cluster=CLUSTER), name) for name in ("yarn", "hadar@jct")]
    assert run_cells(cells, data, tmp_path, seconds=-1) == {}
    first = run_cells(cells[:1], data, tmp_path)
    assert json.loads((tmp_path / cells[0].file).read_text())["cell"]["scheduler"] == "yarn"
    monkeypatch.setattr(_cells, "run_cell", lambda *_: pytest.fail("runs again"))
    assert run_cells(cells, data, tmp_path, seconds=-1) == first
    assert capsys.readouterr().err.count("times the bound") == 1


def test_no_cell_is_below_its_bounds(data):
    for name in ("hadar", "hadare", "yarn"):
        found = run_cell(Cell(Sample(jobs=4, cluster=CLUSTER), name), data)
        assert found.done == found.jobs == 4
        assert min(found.jct_gap, found.makespan_gap) >= 1
        assert 0 <= found.queueing <= found.waiting <= found.jct_mean


def test_ratios_are_paired_and_need_five_for_an_interval():
    value, low, high = tables.ratio([2, 8], [1, 4])
    assert value == pytest.approx(2) and math.isnan(low) and math.isnan(high)
    value, low, high = tables.ratio([2, 4, 2, 4, 2], [1, 1, 1, 1, 1])
    assert low < value < high
    assert tables.shown((1.234, float("nan"), float("nan"))) == "1.23"


def test_simulation_reports_every_claim_and_draws(data, tmp_path, monkeypatch):
    monkeypatch.setenv("HADAROPT_DATA", str(data))
    keep = ("hadar", "hadar@jct", "gavel", "yarn")
    short = [n for n in hadar_simulation.SCHEDULERS if n in keep or n.startswith("gavel")]
    monkeypatch.setattr(hadar_simulation, "SCHEDULERS", short)
    monkeypatch.setattr(hadar_simulation, "sized", lambda full: (4, CLUSTER))
    settings = dict(list(hadar_simulation.SETTINGS.items())[:1])
    monkeypatch.setattr(hadar_simulation, "SETTINGS", settings)
    rows = hadar_simulation.run(False, tmp_path)
    assert len(rows) == len(hadar_simulation.PUBLISHED)
    assert {path.suffix for path in tmp_path.iterdir() if path.is_file()} == {".md", ".png"}
    # The reference reads the same workload, and all its jobs complete.
    assert "| gavel_reference:max_min_fairness_perf | 20/20 |" in (
        tmp_path / "hadar_simulation.md"
    ).read_text("utf-8")


def test_without_time_nothing_is_begun_and_nothing_is_claimed(data, tmp_path, monkeypatch):
    monkeypatch.setenv("HADAROPT_DATA", str(data))
    for module in (hadar_ablation, hadar_sensitivity):
        monkeypatch.setattr(module, "sized", lambda full: (4, CLUSTER))
        assert module.perform(False, 1, tmp_path, -1) == []
    monkeypatch.setattr(hadar_simulation, "sized", lambda full: (4, CLUSTER))
    monkeypatch.setattr(hadar_simulation, "seconds_of", lambda full: -1)
    assert hadar_simulation.run(False, tmp_path) == []


def test_ablation_and_sensitivity_in_small(data, tmp_path, monkeypatch):
    monkeypatch.setenv("HADAROPT_DATA", str(data))
    for module in (hadar_ablation, hadar_sensitivity):
        monkeypatch.setattr(module, "sized", lambda full: (4, CLUSTER))
    monkeypatch.setattr(hadar_ablation, "in_slots", lambda *_: {"hadar": [0.9], "fifo": [0.5]})
    rows = hadar_ablation.perform(False, 1, tmp_path, math.inf)
    assert len(rows) == len(hadar_ablation.OBJECTIVES) + 1
    few = {"restart, s", "lengths told"}
    whole = hadar_sensitivity.settings
    monkeypatch.setattr(
        hadar_sensitivity,
        "settings",
        lambda base: {choice: own for choice, own in whole(base).items() if choice in few},
    )
    rows = hadar_sensitivity.perform(False, 1, tmp_path, math.inf)
    assert len(rows) == len(few)
    assert (tmp_path / "sensitivity.png").stat().st_size > 1000
    page = (tmp_path / "hadar_sensitivity.md").read_text("utf-8")
    assert all(f"| lengths told | {rule} |" in page for rule in TOLD)
    usual = next(line for line in page.splitlines() if "| right* |" in line)
    assert usual.endswith("| 1 | 1 |")
