"""Every picture against its baseline; ``python -m tests.plot.pictures`` writes them anew."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")

from matplotlib.testing.compare import compare_images

import hadaropt.plot
from tests.plot.pictures import BASELINES, PICTURES, render

TOLERANCE = 4.0
"""Root mean square of 256 grey levels: lines shift by a pixel between versions of matplotlib."""


@pytest.mark.parametrize("name", PICTURES)
def test_picture_is_as_it_was(name, tmp_path):
    baseline = BASELINES / f"{name}.png"
    difference = compare_images(str(baseline), str(render(name, tmp_path)), TOLERANCE)
    assert difference is None, f"{difference}\nlook at it; {__doc__}"


def test_the_tolerance_tells_pictures_apart(tmp_path):
    other = render("boxes", tmp_path)
    assert compare_images(str(BASELINES / "boxes-open.png"), str(other), TOLERANCE) is not None


def test_every_function_has_a_picture():
    drawn = {name.removeprefix("plot_").removeprefix("ratio_") for name in hadaropt.plot.__all__}
    assert drawn <= {name.partition("-")[0] for name in PICTURES}
    assert {path.stem for path in BASELINES.iterdir()} == set(PICTURES)


def test_names_are_loaded_when_they_are_used():
    code = (
        "import sys, hadaropt.plot as p; assert 'matplotlib' not in sys.modules;"
        "assert 'hadaropt.plot.gantt' not in sys.modules; p.plot_gantt; dir(p)\n"
        "try: p.plot_nothing\n"
        "except AttributeError as error: assert 'plot_nothing' in str(error)\n"
        "else: raise SystemExit(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
