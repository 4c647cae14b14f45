"""Traces thinned to an offered load."""

from fractions import Fraction

import pytest

from hadaropt import Cluster
from hadaropt.errors import InstanceError, TraceError
from hadaropt.traces import Trace, TraceJob, thin_trace
from hadaropt.traces.thinning import REASON

CLUSTER = Cluster.parse("V100=2x2")


def trace(jobs):
    return Trace("normalised", "ours", tuple(jobs), {"zero GPUs": 1}, len(jobs) + 1)


@pytest.fixture
def whole():
    return trace(
        [TraceJob(f"j{i}", Fraction(i), 1 + i % 3, Fraction(5 + i % 7)) for i in range(60)]
    )


def offered(own, span=59):
    work = sum(job.num_gpus * job.duration_seconds for job in own.jobs)
    return Fraction(work, 4 * span)


def test_the_load_is_just_not_exceeded_and_every_row_is_accounted_for(whole):
    thin = thin_trace(whole, CLUSTER, "3/2")
    assert Fraction(3, 2) - Fraction(33, 4 * 59) < offered(thin) <= Fraction(3, 2)
    assert dict(thin.dropped) == {"zero GPUs": 1, REASON: 60 - len(thin.jobs)}
    assert [job.submit_seconds for job in thin.jobs] == sorted(j.submit_seconds for j in thin.jobs)


def test_less_load_keeps_some_of_the_same_jobs_and_seeds_differ(whole):
    some, fewer = (set(thin_trace(whole, CLUSTER, load).jobs) for load in (1, 0.5))
    assert fewer < some
    assert set(thin_trace(whole, CLUSTER, 1, seed=1).jobs) != some


def test_a_trace_of_less_load_stays_as_it_is(whole):
    assert thin_trace(whole, CLUSTER, 100) is whole
    assert thin_trace(trace([]), CLUSTER, 1).jobs == ()


@pytest.mark.parametrize(
    ("job", "load", "error", "message"),
    [
        (TraceJob("b", Fraction(1), 1, Fraction(1)), 0, TraceError, "load = 0, must be > 0"),
        (TraceJob("b", Fraction(1), 1, Fraction(1)), "1e-9", TraceError, "for any of 2 jobs"),
        (TraceJob("b", Fraction(1), 1, Fraction(1)), "x", InstanceError, "load"),
        (TraceJob("b", Fraction(0), 1, Fraction(1)), 1, TraceError, "must not all arrive at once"),
        (TraceJob("b", Fraction(1), 1, None), 1, TraceError, "ours jobs[1].duration_seconds"),
    ],
)
def test_what_has_no_load_is_refused(job, load, error, message):
    first = TraceJob("a", Fraction(0), 1, Fraction(1))
    with pytest.raises(error) as raised:
        thin_trace(trace([first, job]), CLUSTER, load)
    assert message in str(raised.value)
