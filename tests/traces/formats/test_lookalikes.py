"""Formats with equal columns and other units."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from tests.traces.written import read_written

LOOKALIKES = {
    "tiresias": ("job_id,num_gpu,submit_time,iterations,model_name,duration,interval", 1),
    "muri": (
        "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,"
        "iteration_time,resource_time_0,resource_time_1,resource_time_2,priority",
        Fraction(1, 1000),
    ),
    "chronus": (
        "job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,"
        "expect_time_list,expect_value_list,best_effort,job_type",
        60,
    ),
}


@pytest.mark.parametrize("form", LOOKALIKES)
def test_units_of_the_lookalikes(tmp_path: Path, form: str) -> None:
    header, unit = LOOKALIKES[form]
    values = {"submit_time": "5", "num_gpu": "2", "iterations": "9", "duration": "1500"}
    lines = [",".join({**values, "job_id": n}.get(c, "7") for c in header.split(",")) for n in "ab"]
    trace = read_written(tmp_path, "\n".join([header, *lines]))
    assert (trace.format, trace.origin_seconds) == (form, 5 * unit)
    assert [job.duration_seconds for job in trace.jobs] == [1500 * unit] * 2
    assert trace.jobs[0].iterations == 9
