"""Schedulers in rounds on the jobs of a log."""

from __future__ import annotations

from hadaropt import audit
from tests.auditing.logs import Row, trace
from tests.auditing.test_log import BOTH, NARROW, WIDE, untyped


def test_jobs_of_the_common_pool_run_on_every_type_in_rounds() -> None:
    """A gang of 8 fits no type named GPU of 4: on the V100s it runs."""
    found = audit(untyped(WIDE, NARROW), BOTH, schedulers=["srtf"], round_seconds=50)
    assert found.jobs == 2
    assert not found.incomplete
    assert found.schedulers["srtf in rounds"].waiting <= 90


def test_round_schedulers_run_the_same_jobs_and_are_not_below_the_bounds() -> None:
    rows: list[Row] = [(0, [(0, 300)], 1), (0, [(300, 400)], 1), (50, [(400, 500)], 1)]
    found = audit(trace(rows), "GPU=1", schedulers=["srtf"], round_seconds=50)
    own = found.schedulers["srtf in rounds"]
    assert found.least_waiting <= own.waiting < found.recorded.waiting  # type: ignore[union-attr]
