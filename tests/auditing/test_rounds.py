"""Schedulers in rounds on the jobs of a log."""

from __future__ import annotations

from hadaropt import audit
from tests.auditing.test_log import BOTH, NARROW, WIDE, untyped


def test_jobs_of_the_common_pool_run_on_every_type_in_rounds() -> None:
    """A gang of 8 fits no type named GPU of 4: on the V100s it runs."""
    found = audit(untyped(WIDE, NARROW), BOTH, schedulers=["srtf"], round_seconds=50)
    assert found.jobs == 2
    assert not found.incomplete
    assert found.schedulers["srtf in rounds"].waiting <= 90
