"""Speeds of types that nobody measured: given as multiples, or said to be missing."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt.errors import TraceError
from hadaropt.instance import Cluster
from hadaropt.traces import (
    Trace,
    TraceJob,
    idle_types,
    inspect_trace,
    render_inspection,
    to_workload,
)
from hadaropt.traces.throughputs import ThroughputTable, measured, throughput

JOBS = tuple(TraceJob(f"j{i}", Fraction(60 * i), 1 + i % 3, Fraction(1000)) for i in range(9))
TRACE = Trace("itp", "t.csv", JOBS, {}, len(JOBS))


def test_a_type_without_speeds_is_named() -> None:
    mixed = Cluster.parse("V100=1x4,A100=2x4,H100=1x1")
    assert idle_types(to_workload(TRACE, mixed)) == ("A100", "H100")
    assert idle_types(to_workload(TRACE)) == ()
    found = inspect_trace(TRACE, mixed)
    assert found.idle_types == ("A100", "H100")
    text = " ".join(render_inspection(found).split())
    assert "warning no job has a speed on A100, H100, whose GPUs stay idle; give speeds" in text
    assert "warning" not in render_inspection(inspect_trace(TRACE))


def test_a_type_without_gpus_is_not_idle() -> None:
    cluster = Cluster.of({"n": {"V100": 1}}, ("V100", "A100"))
    assert idle_types(to_workload(TRACE, cluster)) == ()


def test_an_empty_trace_warns_of_nothing() -> None:
    assert idle_types(to_workload(Trace("itp", "t.csv", (), {}, 0), Cluster.parse("V100=1"))) == ()


def test_relative_speeds_are_exact_multiples_of_the_reference() -> None:
    table = measured().with_relative({"A100": 1, "H100": 2.2, "k80": "1/3"})
    for model in table.model_types(1):
        cell, base = table.throughput(model, 1), throughput(model, 1)["V100"]
        assert cell["A100"] == cell["V100"] == base
        assert cell["H100"] == Fraction(11, 5) * base
        assert cell["K80"] == base / 3
        assert "k80" not in cell
    workload = to_workload(TRACE, Cluster.parse("a100=2x4,H100=1x4"), table=table)
    assert idle_types(workload) == ()
    for ours, theirs in zip(TRACE.jobs, workload.jobs, strict=True):
        assert ours.duration_seconds is not None
        seconds = theirs.iterations / theirs.throughput["a100"]
        assert abs(seconds - ours.duration_seconds) * theirs.throughput["a100"] < 1


def test_a_model_that_cannot_run_on_the_reference_gets_no_speed() -> None:
    table = ThroughputTable([("M", 1, "P100", Fraction(3)), ("N", 1, "V100", Fraction(0))])
    relative = table.with_relative({"A100": 2})
    assert dict(relative.throughput("M", 1)) == {"P100": 3}
    assert dict(relative.throughput("N", 1)) == {"V100": 0, "A100": 0}


@pytest.mark.parametrize(
    ("speeds", "reference", "message"),
    [
        ({"A100": 0}, "V100", r"relative_speeds\[A100\] = 0, must be > 0"),
        ({"A100": "fast"}, "V100", r"relative_speeds\[A100\]"),
        ({"A100": float("nan")}, "V100", "must be finite"),
        ({"A100": 1, "a100": 2}, "V100", r"relative_speeds\[a100\], stands twice"),
        ({"A100": 1}, "T4", r'reference = "T4", must be a measured type'),
    ],
)
def test_bad_relative_speeds_are_refused(
    speeds: dict[str, object], reference: str, message: str
) -> None:
    with pytest.raises(TraceError, match=message):
        measured().with_relative(speeds, reference=reference)  # type: ignore[arg-type]
