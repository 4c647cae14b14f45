"""The picture of generated against published figures, on a made-up summary."""

from __future__ import annotations

import json

import pytest

from hadaropt.errors import TraceError
from hadaropt.plot.calibration import TRACE, plot_calibration

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")

QUANTILES = {"p10": 10.0, "p50": 1000.0, "p99": 100000.0, "mean": 3000.0}


def summary() -> dict:
    return {
        "n_jobs": 300,
        "duration_by_gpu_bucket_s": dict.fromkeys(("1", "2_to_4", "5_to_8", "gt8"), QUANTILES),
        "gpu_count_distribution": {"1": {"share": 0.9}, "8": {"share": 0.1}},
        "interarrival_s_quantiles": QUANTILES,
        "arrivals_by_hour_of_day": {"relative_rate": [1.0] * 24},
        "arrivals_by_hour_of_day_robust": {"trimmed_mean_over_days": [1.0] * 24},
    }


@pytest.fixture
def write(tmp_path):
    def call(entry: object):
        path = tmp_path / "summary.json"
        path.write_text(json.dumps({TRACE: entry}))
        return path

    return call


@pytest.mark.parametrize("count", [None, 2, 50])
def test_four_panels(write, tmp_path, count):
    panels = plot_calibration(write(summary()), num_jobs=count, seed=1)
    titles = [axes.get_title() for axes in panels]
    figure = panels[0].figure
    assert len(titles) == 4
    assert all(titles)
    assert f"{count or 300:,} generated jobs" in figure.get_suptitle()
    figure.savefig(tmp_path / "x.png")
    assert (tmp_path / "x.png").stat().st_size > 10_000


def test_published_points_are_drawn_where_they_are(write):
    durations = plot_calibration(write(summary()))[0]
    markers = [line for line in durations.lines if line.get_linestyle() == "None"]
    assert len(markers) == 4
    assert list(markers[0].get_xdata()) == [10.0, 1000.0, 100000.0]
    assert list(markers[0].get_ydata()) == [10.0, 50.0, 99.0]


def test_generated_lines_are_cumulative(write):
    gaps = plot_calibration(write(summary()))[2]
    line = gaps.lines[0]
    assert (line.get_ydata()[0], line.get_ydata()[-1]) == (0, 100)
    assert list(line.get_xdata()) == sorted(line.get_xdata())


@pytest.mark.parametrize("name", sorted(summary()))
def test_a_missing_figure_is_named(write, name):
    entry = summary()
    del entry[name]
    with pytest.raises(TraceError, match=f"summary.json: {TRACE}.{name}, is missing"):
        plot_calibration(write(entry))


def test_bad_files_are_refused(write, tmp_path):
    with pytest.raises(TraceError, match="is missing"):
        plot_calibration(write(None))
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(TraceError, match=r"bad\.json, must be a JSON file"):
        plot_calibration(tmp_path / "bad.json")
    with pytest.raises(FileNotFoundError):
        plot_calibration(tmp_path / "absent.json")
    with pytest.raises(ValueError, match="num_jobs = 1, must be >= 2"):
        plot_calibration(write(summary()), num_jobs=1)
