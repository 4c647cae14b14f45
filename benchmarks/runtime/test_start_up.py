"""P13: seconds of start-up, in fresh processes."""

from __future__ import annotations

import pytest

from . import start_up


@pytest.mark.row("P13", "start up (wall seconds)", quick=[1], small=[1], full=[1])
@pytest.mark.parametrize("way", start_up.CASES)
def test_start_up(record, size, way, tmp_path):
    code = start_up.CASES[way].replace("EXAMPLE", repr(start_up.write_example(tmp_path)))
    record(
        lambda: start_up.median_seconds(code, 3), way=way, rounds=1, own=lambda result: result[0]
    )
