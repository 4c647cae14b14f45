"""Schedules and jobs as rows and frames."""

import builtins
from dataclasses import replace

import pytest

import hadaropt
from hadaropt.errors import MissingExtraError
from tests.cli.conftest import SMALL_OPTIMUM, make_instance


def test_rows_of_jobs_add_up_to_the_value():
    found = hadaropt.solve(make_instance())
    rows = found.to_rows("jobs")
    assert [row["job"] for row in rows] == [job.name for job in make_instance().jobs]
    assert sum(row["value"] for row in rows) == found.value == SMALL_OPTIMUM
    assert all((row["completion"] is None) == (row["flow_time"] is None) for row in rows)


def test_rows_of_a_schedule_hold_every_gpu_of_every_round():
    found = hadaropt.solve(make_instance())
    held = sum(count for own in found.schedule.jobs for a in own for _, _, count in a.gpus)
    rows = found.to_rows()
    assert sum(row["gpus"] for row in rows) == held
    assert [row["round"] for row in rows] == sorted(row["round"] for row in rows)
    assert hadaropt.solve(make_instance(), "lp").to_rows() == []


@pytest.mark.parametrize("what", ["schedule", "jobs", "prices"])
def test_frames_have_the_rows_and_columns(what):
    pytest.importorskip("polars")
    found = hadaropt.solve(make_instance())
    rows, frame = found.to_rows(what), found.to_frame(what)
    assert frame.height == len(rows) and frame.columns == list(rows[0])
    empty = replace(found, schedule=None, prices=None).to_frame(what)
    assert empty.height == 0 and empty.columns == frame.columns


def test_without_polars_and_pandas_a_frame_names_the_extra(monkeypatch):
    honest = builtins.__import__

    def without(name, *arguments, **options):
        if name in ("polars", "pandas"):
            raise ImportError(name)
        return honest(name, *arguments, **options)

    found = hadaropt.solve(make_instance())
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"hadaropt\[bench\]"):
        found.to_frame()
