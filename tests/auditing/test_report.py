"""Audits of small logs: sentences, edges told honestly, and what is left out."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt import Cluster, audit
from hadaropt.auditing.sentences import assumptions, headline
from hadaropt.errors import LimitError, TraceError
from hadaropt.traces import Trace, TraceJob
from tests.auditing.brute import least_in_one_piece, least_with_preemption
from tests.auditing.logs import fitting_rows, trace


@pytest.mark.parametrize("seed", range(25))
def test_no_feasible_recorded_schedule_is_below_the_bounds(seed: int) -> None:
    rows, gpus = fitting_rows(seed, most=4)
    found = audit(trace(rows), Cluster.of({"n": {"GPU": gpus}}))
    assert not found.misfits
    assert found.recorded is not None
    jobs = [(s, runs[0][1] - runs[0][0], w) for s, runs, w in rows]
    alone = sum(s + p for s, p, _ in jobs)
    assert found.least_waiting <= least_with_preemption(jobs, gpus) - alone
    assert found.least_waiting_in_one_piece <= least_in_one_piece(jobs, gpus) - alone
    assert found.least_waiting_in_one_piece <= found.recorded.waiting
    assert found.least_last <= found.recorded.last


def test_failed_and_cut_jobs_are_left_out_of_sums_unless_asked_for() -> None:
    good = trace([(0, [(0, 10)], 1)]).jobs
    bad = trace([(0, [(90, 100)], 1)], status="FAILED").jobs
    both = Trace("normalised", "ours.csv", (*good, *bad), {}, 2)
    assert audit(both, "GPU=1").jobs == 1
    assert audit(both, "GPU=1").recorded.waiting == 0  # type: ignore[union-attr]
    everyone = audit(both, "GPU=1", everyone=True)
    assert everyone.recorded is not None
    assert everyone.recorded.waiting == 90
    assert any("under that condition" in line for line in assumptions(everyone))


def test_a_log_without_starts_is_bounded_and_not_judged() -> None:
    jobs = tuple(TraceJob(f"{i}", Fraction(0), 1, Fraction(100)) for i in range(3))
    found = audit(Trace("itp", "itp.csv", jobs, {}, 3), "GPU=1")
    assert found.recorded is None
    assert found.least_waiting == 300
    assert headline(found).startswith("The log has no starts")
    with pytest.raises(TraceError, match="give --cluster"):
        audit(Trace("itp", "itp.csv", jobs, {}, 3))


def test_a_gang_that_cannot_be_bounded_is_named() -> None:
    jobs = trace([(0, [(0, 10)], 1), (0, [(0, 10)], 1 << 20)])
    with pytest.raises(LimitError, match=rf'job "{jobs.jobs[1].name}" holds 1048576 GPUs, must be'):
        audit(jobs)
