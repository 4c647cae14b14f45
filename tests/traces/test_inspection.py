"""Figures of an inspection against figures worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt.errors import TraceError
from hadaropt.instance import Cluster
from hadaropt.traces import (
    Trace,
    TraceInspection,
    TraceJob,
    inspect_trace,
    read_trace,
    render_inspection,
    to_workload,
)
from hadaropt.traces.inspection import quantiles
from hadaropt.traces.throughputs import ThroughputTable

# Speeds on which everything can be worked out: V100 twice as fast as P100, nothing on K80.
TABLE = ThroughputTable(
    [
        ("M", 1, "V100", Fraction(2)),
        ("M", 1, "P100", Fraction(1)),
        ("M", 1, "K80", Fraction(0)),
    ]
)
CLUSTER = Cluster.parse("V100=2x2,P100=1x4,K80=1x8")


def _inspect() -> TraceInspection:
    jobs = (
        TraceJob("a", Fraction(0), 1, Fraction(100), status="OK"),
        TraceJob("b", Fraction(0), 2, Fraction(50), status="OK", gpu_type="V100"),
        TraceJob("c", Fraction(30), 4, Fraction(90000), status="KO"),
        TraceJob("d", Fraction(100), 9, Fraction(10), status="OK"),
    )
    trace = Trace("itp", "t.csv", jobs, {"zero GPUs": 2}, 6, ("a rule",), Fraction(3590), "UTC")
    return inspect_trace(trace, CLUSTER, table=TABLE)


def test_loads() -> None:
    seen = _inspect()
    work = 100 + 100 + 360000 + 90
    assert (seen.span_seconds, seen.gpu_seconds) == (100, work)
    assert seen.total_load == Fraction(work, 16 * 100)
    # All jobs are fastest on V100; iterations are 2 * gang * duration, speed there 2 * gang.
    assert seen.offered_load == {"V100": Fraction(work, 400), "P100": 0, "K80": 0}
    assert seen.load_alone == {
        "V100": Fraction(work, 400),
        "P100": Fraction(2 * work, 400),
        "K80": 0,
    }


def test_gangs_that_do_not_fit() -> None:
    seen = _inspect()
    assert seen.unschedulable == (("d", "needs 9 GPUs, the types that it can use have 8"),)
    assert (seen.wider_than_type, seen.wider_than_node) == (1, 1)
    nowhere = ThroughputTable([("M", 1, "V100", Fraction(2)), ("M", 1, "K80", Fraction(0))])
    only_k80 = inspect_trace(seen.trace, Cluster.parse("K80=1x16"), table=nowhere)
    assert {reason for _, reason in only_k80.unschedulable} == {"runs on no type of the cluster"}
    assert only_k80.load_alone == {"K80": 0}


def test_a_log_of_types_without_speeds_is_loaded_by_the_types_that_it_records() -> None:
    jobs = (
        TraceJob("a", Fraction(0), 2, Fraction(100), gpu_type="a100"),
        TraceJob("b", Fraction(0), 1, Fraction(50), gpu_type="K80"),
        TraceJob("c", Fraction(50), 1, Fraction(10), gpu_type="A100"),
        TraceJob("d", Fraction(100), 9, Fraction(10)),
    )
    trace = Trace("slurm", "t", jobs, {}, 4)
    seen = inspect_trace(trace, Cluster.parse("A100=2x2,H100=1x2"))
    assert seen.recorded_gpus == {"A100": Fraction(10, 100), "K80": Fraction(1, 2), "a100": 2}
    assert seen.recorded_load == {"A100": Fraction(210, 400), "H100": 0}
    assert (seen.offered_load, seen.load_alone, seen.idle_types) == ({}, {}, ())
    assert seen.unschedulable == (("d", "needs 9 GPUs, the cluster has 6"),)
    text = render_inspection(seen)
    assert "  by type      A100 52.5 %, H100 0.0 % by the types on which jobs ran\n" in text
    assert "not in this cluster, GPUs asked for on average: 0.50 K80\n" in text
    assert "1 job without one type" in text
    assert "fastest type" not in text and "default" not in text
    asked = TABLE.with_relative({"A100": 2})
    fast = inspect_trace(trace, Cluster.parse("A100=2x2,H100=1x2"), table=asked)
    assert fast.recorded_load == seen.recorded_load
    assert (fast.idle_types, set(fast.offered_load)) == (("H100",), {"A100", "H100"})
    assert "fastest type" in render_inspection(fast)
    with pytest.raises(TraceError, match="must have a type of known speed"):
        inspect_trace(trace, Cluster.parse("A100=2x2"), table=TABLE)


def test_a_log_without_types_on_types_without_speeds_says_that_these_are_missing() -> None:
    seen = inspect_trace(replace(_inspect().trace, jobs=_untyped()), Cluster.parse("A100=2x4"))
    assert (seen.idle_types, seen.recorded_load) == (("A100",), {})
    assert "warning        no job has a speed on A100" in render_inspection(seen)
    only_steps = (TraceJob("a", Fraction(0), 1, None, model="M", iterations=70),)
    with pytest.raises(TraceError, match="must have a type of known speed"):
        inspect_trace(Trace("gavel-10", "t", only_steps, {}, 1), Cluster.parse("A100=1"))


def test_the_default_cluster_is_called_so() -> None:
    text = render_inspection(inspect_trace(_inspect().trace))
    assert "20 K80 (the default: --cluster names yours)\n" in text
    assert "default" not in render_inspection(_inspect())


def _untyped() -> tuple[TraceJob, ...]:
    return tuple(replace(job, gpu_type=None) for job in _inspect().trace.jobs)


def test_counts_and_quantiles() -> None:
    seen = _inspect()
    assert seen.by_gpus == {1: (1, 100), 2: (1, 100), 4: (1, 360000), 9: (1, 90)}
    assert (seen.by_status, seen.by_gpu_type) == ({"OK": 3, "KO": 1}, {"-": 3, "V100": 1})
    assert list(seen.by_status) == ["OK", "KO"]
    assert seen.over_a_day == (1, Fraction(360000, 360290))
    assert seen.by_hour == (2, 2, *[0] * 22)
    assert [seen.durations[p] for p in (0, 25, 50, 75, 100)] == [10, 10, 50, 100, 90000]
    assert [seen.interarrivals[p] for p in (0, 50, 100)] == [0, 30, 70]


def test_hours_without_calendar_count_from_the_start() -> None:
    trace = replace(_inspect().trace, calendar=None)
    assert inspect_trace(trace, CLUSTER, table=TABLE).by_hour == (4, *[0] * 23)


def test_nearest_rank() -> None:
    ten = [Fraction(n) for n in range(1, 11)]
    assert [quantiles(ten)[p] for p in (0, 10, 25, 50, 90, 95, 100)] == [1, 1, 3, 5, 9, 10, 10]
    assert quantiles([]) == {}


def test_jobs_that_give_iterations_get_their_running_time_from_the_reference() -> None:
    jobs = (TraceJob("a", Fraction(0), 1, None, model="M", iterations=70),)
    trace = Trace("gavel-10", "t", jobs, {}, 1)
    assert inspect_trace(trace, CLUSTER, table=TABLE).seconds == (35,)
    assert inspect_trace(trace, Cluster.parse("P100=1x1"), table=TABLE).seconds == (70,)


def test_no_jobs_and_one_instant() -> None:
    empty = inspect_trace(Trace("itp", "t.csv", (), {"zero GPUs": 1}, 1))
    assert (empty.total_load, empty.offered_load, empty.load_alone) == (None, {}, {})
    assert "no jobs" in render_inspection(empty)
    assert "        1  zero GPUs" in render_inspection(empty)
    jobs = tuple(TraceJob(n, Fraction(0), 1, Fraction(5)) for n in "ab")
    static = inspect_trace(Trace("itp", "t.csv", jobs, {}, 2))
    assert static.total_load is None
    assert "all jobs arrive at once" in render_inspection(static)


def test_table_shows_what_matters() -> None:
    text = render_inspection(_inspect())
    for line in (
        "rows                   6",
        "kept                   4",
        "dropped                2  zero GPUs",
        "cluster        4 V100, 4 P100, 8 K80",
        "offered load   22518.1 %: GPU-hours of the jobs over those of all GPUs while jobs arrive",
        "unschedulable  1 job",
        "  d: needs 9 GPUs, the types that it can use have 8",
        "over 24 h      1 job, 99.9 % of the GPU-hours",
        "clock          UTC",
        "status         OK 3, KO 1",
    ):
        assert line in text
    assert max(map(len, text.splitlines())) <= 100


def test_philly_sample_is_dominated_by_a_few_long_jobs(data: Path) -> None:
    trace = read_trace(data / "traces" / "philly_480_busyhours_seed0.csv")
    jobs, share = inspect_trace(trace).over_a_day
    assert (jobs, round(float(share), 2)) == (18, 0.87)


@pytest.mark.parametrize("seed", [0, 1])
def test_loads_are_those_of_the_workload(data: Path, seed: int) -> None:
    trace = read_trace(data / "raw" / "shockwave_120.trace")
    seen = inspect_trace(trace, model_seed=seed)
    assert seen.offered_load == to_workload(trace, model_seed=seed).offered_load()
    assert seen.model_seed == seed
