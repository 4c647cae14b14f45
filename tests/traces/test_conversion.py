"""From a trace to a workload and on to an instance."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt.errors import TraceError
from hadaropt.instance import Cluster
from hadaropt.traces import Trace, TraceJob, read_trace, to_workload
from hadaropt.traces.conversion import guess_warning, guessed_gangs
from hadaropt.traces.throughputs import ThroughputTable, measured, model_types, throughput


def _trace(*jobs: TraceJob) -> Trace:
    return Trace("normalised", "t.csv", jobs, {}, len(jobs))


def _job(name: str, gang: int = 1, duration: int | None = 100, **fields: object) -> TraceJob:
    length = None if duration is None else Fraction(duration)
    return TraceJob(name, Fraction(0), gang, length, **fields)  # type: ignore[arg-type]


def test_drawn_model_was_measured_at_the_gang_size_and_gives_the_iterations() -> None:
    job = to_workload(_trace(_job("a", gang=4, duration=1000))).jobs[0]
    speeds = [throughput(model, 4) for model in model_types(4)]
    assert dict(job.throughput) in [{r: x for r, x in row.items() if x} for row in speeds]
    assert job.iterations == math.floor(1000 * job.throughput["V100"])


def test_other_gang_sizes_scale_linearly() -> None:
    job = to_workload(_trace(_job("a", gang=3))).jobs[0]
    assert dict(job.throughput) in [measured().linear(model, 3) for model in model_types(1)]


def test_gang_sizes_that_scale_linearly_are_told() -> None:
    trace = _trace(*(_job(str(gang), gang) for gang in (16, 1, 3, 4)), _job("b", 3))
    assert guessed_gangs(trace) == (3, 16)
    table = ThroughputTable([("M", 1, "V100", Fraction(9)), ("N", 4, "V100", Fraction(20))])
    assert guessed_gangs(_trace(_job("a", 4)), table) == ()
    assert guessed_gangs(_trace(_job("a", 4, model="M")), table) == (4,)
    assert guess_warning((3, 16)).startswith("gangs of 3, 16 were not measured: W GPUs are taken")
    assert "gangs of 1, 2, 3, 4, 5, 6, 7, 8 and 2 more sizes were" in guess_warning(range(1, 11))


def test_draw_depends_on_seed_and_name_alone() -> None:
    many = [_job(f"j{i}") for i in range(300)]
    whole = to_workload(_trace(*many), model_seed=1)
    part = to_workload(_trace(*many[200:]), model_seed=1)
    assert whole.jobs[200:] == part.jobs
    assert whole.jobs != to_workload(_trace(*many), model_seed=2).jobs
    drawn = Counter(job.throughput["V100"] for job in whole.jobs)
    assert len(drawn) == 26


def test_own_model_and_iterations_are_kept() -> None:
    job = to_workload(_trace(_job("a", model="A3C", iterations=7))).jobs[0]
    assert (job.iterations, job.throughput["V100"]) == (7, throughput("A3C", 1)["V100"])
    timed = to_workload(_trace(_job("a", model="A3C"))).jobs[0]
    assert timed.iterations == math.floor(100 * throughput("A3C", 1)["V100"])


def test_short_job_has_one_iteration() -> None:
    job = replace(_job("a"), duration_seconds=Fraction(1, 10**6))
    assert to_workload(_trace(job)).jobs[0].iterations == 1


def test_types_keep_the_clusters_spelling() -> None:
    cluster = Cluster.parse("v100=2x4,T4=1x4")
    workload = to_workload(_trace(_job("a")), cluster)
    assert list(workload.jobs[0].throughput) == ["v100"]


def test_what_cannot_be_converted_is_an_error() -> None:
    with pytest.raises(TraceError, match=r"jobs\[0\]\.model = \"VGG\", is not in the throughput"):
        to_workload(_trace(_job("a", duration=None, model="VGG", iterations=5)))
    with pytest.raises(TraceError, match=r"reference = \"H100\", must be a measured type"):
        to_workload(_trace(_job("a")), reference="H100")


def test_a_gang_size_that_the_own_model_was_not_measured_at_is_named() -> None:
    table = ThroughputTable([("wide", 4, "V100", Fraction(5))])
    job = TraceJob("a", Fraction(0), 2, Fraction(9), model="wide")
    with pytest.raises(TraceError, match=r'num_gpus = 2, is no gang size of "wide", measured at 4'):
        to_workload(Trace("columns", "ours", (job,), {}, 1), table=table)


def test_without_a_v100_durations_are_those_on_the_first_type_of_the_table() -> None:
    own = ThroughputTable([("M", 1, "A100", Fraction(3)), ("M", 1, "H100", Fraction(7))])
    (job,) = to_workload(_trace(_job("a")), Cluster.parse("H100=4"), table=own).jobs
    assert (job.iterations, dict(job.throughput)) == (300, {"H100": 7})
    mixed = ThroughputTable([("M", 1, "A100", Fraction(3)), ("M", 1, "v100", Fraction(2))])
    assert to_workload(_trace(_job("a")), Cluster.parse("A100=4"), table=mixed).jobs[0] == replace(
        job, iterations=200, throughput={"A100": 3}
    )
    with pytest.raises(
        TraceError, match=r"cluster\.accelerators = T4, must have a type of known speed"
    ):
        to_workload(_trace(_job("a")), Cluster.parse("T4=1x4"))
    nowhere = ThroughputTable([("M", 1, "V100", Fraction(0))])
    with pytest.raises(TraceError, match="no measured model that runs on V100"):
        to_workload(_trace(_job("a")), table=nowhere)


def test_philly_sample_becomes_an_instance(data: Path) -> None:
    trace = read_trace(data / "traces" / "philly_480_busyhours_seed0.csv")
    instance = to_workload(trace, model_seed=3).to_instance(round_seconds=360)
    assert len(instance.jobs) == 480
    assert sum(instance.cluster.pooled_capacity) == 60
    submits = {job.name: job.submit_seconds for job in trace.jobs}
    assert all(job.release == math.ceil(submits[job.name] / 360) for job in instance.jobs)


@pytest.mark.parametrize("name", ["small_test.csv", "gen480_poisson_multi.csv"])
def test_gavel_jobs_keep_their_steps(data: Path, name: str) -> None:
    trace = read_trace(data / "gavel" / "traces" / name)
    workload = to_workload(trace)
    assert [job.iterations for job in workload.jobs] == [job.iterations for job in trace.jobs]
    for ours, theirs in zip(workload.jobs, trace.jobs, strict=True):
        assert theirs.duration_seconds is not None
        seconds = ours.iterations / ours.throughput["V100"]
        assert abs(seconds / theirs.duration_seconds - 1) < Fraction(1, 1000)
