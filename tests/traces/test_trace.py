"""A trace as a value."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest

from hadaropt.traces import Trace, TraceJob


def test_rows_must_add_up() -> None:
    job = TraceJob("a", Fraction(0), 1, Fraction(1))
    with pytest.raises(ValueError, match="rows = 3, must be 1 kept \\+ 1 dropped"):
        Trace("itp", "t", (job,), {"zero GPUs": 1}, 3)


def test_a_trace_survives_pickling() -> None:
    trace = Trace("itp", "t", (TraceJob("a", Fraction(1, 3), 1, None),), {"zero GPUs": 1}, 2)
    assert pickle.loads(pickle.dumps(trace)) == trace


def test_rows_that_are_part_of_a_kept_job_are_not_lost() -> None:
    job = TraceJob("a", Fraction(0), 1, Fraction(1))
    parts = {"step": ("a", "gone")}
    trace = Trace("slurm", "t", (job,), {"step": 2, "zero GPUs": 1}, 4, parts=parts)
    assert (trace.merged, trace.lost) == ({"step": 1}, {"step": 1, "zero GPUs": 1})
    assert pickle.loads(pickle.dumps(trace)).parts == parts
    with pytest.raises(ValueError, match=r"parts\['step'\] has 2 rows, must have <= 1"):
        Trace("slurm", "t", (job,), {"step": 1}, 2, parts=parts)
