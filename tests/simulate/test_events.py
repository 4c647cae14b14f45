"""The event log."""

import pytest

from hadaropt.simulate.events import COLUMNS, event_rows, write_events


def test_the_event_log_is_read_back(two, tmp_path):
    polars = pytest.importorskip("polars")
    write_events(two, tmp_path / "events.parquet")
    table = polars.read_parquet(tmp_path / "events.parquet")
    assert tuple(table.columns) == COLUMNS
    assert table.rows() == event_rows(two)
    assert table.rows()[1] == (0.0, "0", "start", "a", "fast-0:fast=1")
    assert [row[2] for row in table.rows()] == [
        *("arrive", "start", "arrive", "finish", "start", "finish")
    ]
