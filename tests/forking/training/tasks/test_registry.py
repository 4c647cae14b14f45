"""Tasks by name."""

from __future__ import annotations

import pytest

from hadaropt.errors import MissingExtraError, TrackerError
from hadaropt.forking.training.tasks.registry import make_task


def test_unknown_tasks_and_missing_extras(monkeypatch):
    with pytest.raises(TrackerError, match='task = "x", must be one of digits'):
        make_task("x")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hadaropt\[train\]'"):
        make_task("digits")
