"""The picture of a trace."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt.errors import MissingExtraError
from hadaropt.plot.trace import plot_trace, wanted_gpus
from hadaropt.traces import Trace, TraceInspection, TraceJob, inspect_trace

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


def _inspection(*jobs: tuple[int, int, int]) -> TraceInspection:
    made = tuple(
        TraceJob(f"j{i}", Fraction(submit), gang, Fraction(seconds))
        for i, (submit, gang, seconds) in enumerate(jobs)
    )
    return inspect_trace(Trace("itp", "t.csv", made, {}, len(made)))


def test_wanted_gpus_are_half_open() -> None:
    times, levels = wanted_gpus(_inspection((0, 2, 10), (10, 3, 5), (12, 1, 1)))
    assert times == [0, 10, 12, 13, 15]
    assert levels == [2, 3, 4, 3, 0]


@pytest.mark.parametrize(
    "jobs",
    [
        (),
        ((0, 1, 1),),
        ((0, 1, 50), (0, 8, 70)),
        tuple((3600 * i, 1 + i, 10 ** (i % 6)) for i in range(30)),
    ],
)
def test_every_panel_is_drawn(tmp_path: Path, jobs: tuple[tuple[int, int, int], ...]) -> None:
    panels = plot_trace(_inspection(*jobs))
    assert [axes.get_title() for axes in panels] == [
        "GPUs wanted if every job started on arrival",
        "Arrivals by hour of the day",
        "Durations, cumulative",
        "Who holds the GPUs",
    ]
    heights = [bar.get_height() for bar in panels[1].patches]
    assert sum(heights) == len(jobs)
    path = tmp_path / "t.png"
    panels[0].figure.savefig(path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_shares_add_up_to_the_whole() -> None:
    panels = plot_trace(_inspection((0, 1, 50), (5, 8, 70), (9, 8, 1)))
    heights = [bar.get_height() for bar in panels[3].patches]
    assert sum(heights[:2]) == pytest.approx(100)
    assert heights[0] == pytest.approx(100 / 3)
    assert sum(heights[2:]) == pytest.approx(100)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hadaropt\[plot\]'"):
        plot_trace(_inspection((0, 1, 1)))


def test_importing_the_module_loads_no_matplotlib() -> None:
    code = "import sys, hadaropt.plot.trace; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
