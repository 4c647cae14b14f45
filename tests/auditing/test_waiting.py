"""Who waited, and what was idle meanwhile."""

from __future__ import annotations

from hadaropt import audit
from tests.auditing.logs import trace


def test_idle_gpus_count_only_what_a_waiting_job_would_take() -> None:
    found = audit(trace([(0, [(0, 10)], 3), (2, [(10, 12)], 2), (4, [(10, 12)], 1)]), "GPU=4")
    assert found.idle == 6  # one GPU, from 4 to 10, for the job of one


def test_attempts_wait_between_them() -> None:
    found = audit(trace([(0, [(1, 3), (8, 10)], 1)]), "GPU=1")
    assert found.recorded is not None
    assert found.recorded.waiting == 6
    assert found.avoidable_in_one_piece is None
