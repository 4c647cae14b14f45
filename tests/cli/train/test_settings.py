"""Settings of a run, and those of a checkpoint."""

from __future__ import annotations

import pytest

from hadaropt.cli.train.settings import Settings
from hadaropt.errors import TrackerError

pytest.importorskip("distributed", reason="the extra 'train' is not installed")
pytest.importorskip("sklearn", reason="the extra 'train' is not installed")
pytestmark = pytest.mark.train


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": "5"}, r'settings.steps = "5", must be an integer >= 1'),
        ({"tasks": "digits"}, r'settings.tasks = "digits", must be a list of strings'),
        ({"optimiser": "sum"}, r'settings.optimiser = "sum", must be one of average, reset'),
        ({"extra": 1}, r"settings = .*, must hold just tasks, steps"),
    ],
)
def test_settings_of_a_checkpoint_are_checked(change, message):
    settings = Settings(("digits",), 5, None, None, 1.0, "average", 0)
    assert Settings.read(settings.document()) == settings
    with pytest.raises(TrackerError, match=message):
        Settings.read(settings.document() | change)
