"""Pictures of simulated runs, and the figures behind them."""

import pytest

from hadaropt.plot import comparison
from hadaropt.plot.comparison import (
    busiest_window,
    gpu_share,
    jobs_in_system,
    plot_completion_times,
    plot_use,
    plot_window,
    save_run_figures,
)
from hadaropt.plot.gantt import MIXED, PLAIN
from tests.simulate.small import job, run

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


@pytest.fixture(scope="module")
def runs():
    """Round 0: a alone on fast. Round 1: b mixes both types; in the second run it is too wide."""
    a, wide = job("a", 0, 1, 100), job("wide", 0, 9, 10)
    return [
        run("fast=1,slow=1", "hadar", a, job("b", 100, 2, 125), wide),
        run("fast=1,slow=1", "yarn", a, job("b", 100, 9, 125), wide),
    ]


def test_the_share_of_gpus_by_hand(runs):
    edges, shares = gpu_share(runs[0])
    assert edges.tolist() == [0, 100, 200, 300, 400]
    # b runs at half speed: 50, 50, 25 iterations, the last in 50 s.
    assert shares.tolist() == [0.5, 1, 1, 0.5]


def test_rounds_are_joined_when_there_are_too_many(runs, monkeypatch):
    monkeypatch.setattr(comparison, "MOST_BINS", 2)
    edges, shares = gpu_share(runs[0])
    assert (edges.tolist(), shares.tolist()) == ([0, 200, 400], [0.75, 0.75])


def test_the_jobs_in_the_system_by_hand(runs):
    instants, counts = jobs_in_system(runs[0])
    assert list(zip(instants, counts, strict=True)) == [
        (0, 0),
        (0, 1),
        (100, 0),
        (100, 1),
        (350, 0),
    ]


def test_the_window_is_where_gangs_mix_types(runs, monkeypatch):
    assert busiest_window(runs) == (0, 4)
    monkeypatch.setattr(comparison, "WINDOW_ROUNDS", 2)
    assert busiest_window(runs) == (1, 3)
    assert busiest_window(runs[1:]) == (0, 1)


def test_mixed_gangs_are_marked_in_the_window(runs):
    hadar, yarn = plot_window(runs, (0, 3))
    assert [patch.get_label() for patch in hadar.patches] == [PLAIN, MIXED, MIXED]
    assert [patch.get_label() for patch in yarn.patches] == [PLAIN]
    assert [text.get_text() for text in hadar.texts] == ["0", "1", "1"]
    assert hadar.get_title() == "hadar, jobs on mixed types: 1"
    assert hadar.get_xlim() == (0, 3) and hadar.get_ylim() == (2, 0)
    names = [label.get_text() for label in hadar.get_yticklabels()]
    assert names == ["fast-0  fast", "slow-0  slow"]


def test_kinds_of_gangs_are_named_below_the_panels_where_there_are_several(runs):
    (legend,) = plot_window(runs, (0, 3))[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [PLAIN, MIXED]
    assert plot_window(runs[1:], (0, 3))[0].figure.legends == []


def test_curves_end_at_the_share_of_jobs_that_complete(runs):
    curves, boxes = plot_completion_times(runs)
    ends = [line.get_ydata()[-1] for line in curves.get_lines()]
    assert ends == pytest.approx([200 / 3, 100 / 3])
    assert [label.get_text() for label in boxes.get_yticklabels()] == ["hadar", "yarn"]


def test_all_pictures_are_written(runs, tmp_path):
    files = save_run_figures(runs, tmp_path)
    assert set(files) == {"jct", "use", "gantt"}
    for file in files.values():
        assert file.read_bytes().startswith(b"\x89PNG")


def test_runs_in_which_nothing_completes_are_drawn():
    nothing = [run("fast=1", "yarn"), run("fast=1", "yarn", job("wide", 0, 9, 10))]
    for panels in (
        plot_completion_times(nothing),
        plot_use(nothing),
        plot_window(nothing, busiest_window(nothing)),
    ):
        panels[0].figure.draw_without_rendering()
