"""When a job held its GPUs: starts, ends, nodes, queues and users of logs that have them."""

from __future__ import annotations

import pytest

from hadaropt.traces import read_trace
from tests.traces.edge import EDGE


@pytest.mark.parametrize("name", ["helios.csv", "acme_seren.csv", "acme_kalos.csv", "openb.csv"])
def test_attempts_last_as_long_as_the_job_and_start_after_its_submit(name: str) -> None:
    for job in read_trace(EDGE / name).jobs:
        ((start, end),) = job.attempts
        assert end - start == job.duration_seconds
        assert start >= job.submit_seconds


def test_formats_without_starts_have_no_attempts() -> None:
    assert all(not job.attempts for job in read_trace(EDGE / "itp.csv").jobs)
