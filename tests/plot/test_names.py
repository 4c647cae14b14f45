"""Names in pictures are literal text: no formulas, nothing hidden, nothing broken."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")

from hadaropt import Allocation, Cluster, Instance, Job, Schedule
from hadaropt.forking.training.events import CopyRecord, CurvePoint
from hadaropt.plot import (
    plot_against,
    plot_anytime,
    plot_certified,
    plot_completion_times,
    plot_gantt,
    plot_guarantees,
    plot_paired,
    plot_prices,
    plot_profile,
    plot_ratios,
    plot_runtime,
    plot_trace,
    plot_trajectories,
    plot_use,
    plot_window,
)
from hadaropt.plot.style import MOST_CHARACTERS, ZERO_WIDTH, figure_of, literal, new_figure
from hadaropt.plot.training import plot_training
from hadaropt.policies import PrimalDual
from hadaropt.results import Prices, Result
from hadaropt.traces import Trace, TraceJob, inspect_trace
from hadaropt.utility import Linear
from tests.plot.test_ratios import cell
from tests.simulate.small import job, run

NAMES = {
    "$V$100": "$V$100",
    "cost$5 to $9": "cost$5 to $9",
    "one $": "one $",
    "\\$": "\\$",
    "$\\frac": "$\\frac",
    "_P100": "_P100",
    "__": "__",
    "a_b^c": "a_b^c",
    "100 %": "100 %",
    "{0} {}": "{0} {}",
    "<script>&amp;": "<script>&amp;",
    "two\nlines\ttab": "two\\nlines\\ttab",
    "null\0": "null\\x00",
    "\N{RIGHT-TO-LEFT OVERRIDE}gnp": "\\u202egnp",
    "\udcff": "\\udcff",
    "": '""',
}
HOSTILE = "_$x_1$ \\frac{ %d <b>\n"
SHOWN = "_$x_1$ \\frac{ %d <b>\\n"


def texts(drawn: object, folder: Path) -> list[str]:
    """Return the texts of a picture as they are drawn."""
    from matplotlib import rc_context

    file = folder / "drawn.svg"
    with rc_context({"svg.fonttype": "none"}):
        figure_of(drawn[0] if isinstance(drawn, tuple) else drawn).savefig(file)
    root = ElementTree.parse(file).getroot()
    elements = root.iter("{http://www.w3.org/2000/svg}text")
    return ["".join(element.itertext()).replace(ZERO_WIDTH, "") for element in elements]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_name_is_drawn_as_it_is_written_wherever_it_stands(name: str, tmp_path: Path) -> None:
    axes = new_figure(4, 3).subplots()
    axes.plot([1, 2], [1, 2], label=literal(name))
    axes.set_title(literal(name))
    axes.set_yticks([1], [literal(name)])
    axes.legend()
    assert texts(axes, tmp_path).count(NAMES[name]) == 3


def test_two_names_in_one_text_make_no_formula(tmp_path: Path) -> None:
    axes = new_figure(4, 3).subplots()
    axes.set_title(f"{literal('a$')}  {literal('b$')}")
    assert "a$  b$" in texts(axes, tmp_path)


def test_a_long_name_is_cut_in_the_middle() -> None:
    name = literal("begin" + 500 * "x" + "end")
    assert len(name) == MOST_CHARACTERS
    assert name.startswith("begin") and name.endswith("end")


def _instance() -> Instance:
    cluster = Cluster.of({HOSTILE + "n": {HOSTILE + "r": 2}})
    jobs = tuple(
        Job(HOSTILE + f"j{i}", 0, 1, 3, {HOSTILE + "r": 1}, Linear(50, 1)) for i in range(2)
    )
    return Instance(cluster, jobs, 5, 1)


def _cells() -> list:
    kinds = {"family": HOSTILE, "parallelism": HOSTILE, "theorem": HOSTILE + "t", "guarantee": 9.0}
    return [cell(HOSTILE + "p", 10 - i, 10, 10, seed=i, **kinds) for i in range(3)]


def _runs() -> list:
    from dataclasses import replace

    runs = [run("fast=2,slow=1", "yarn", job(f"j{i}", 60 * i, 1, 200)) for i in range(1)]
    return [replace(each, scheduler=HOSTILE + "s") for each in runs]


def _gantt() -> object:
    rounds = tuple(Allocation(t, ((0, 0, 1),)) for t in range(3))
    return plot_gantt(_instance(), Schedule((rounds, ())))


def _prices() -> object:
    prices = Prices(np.ones((5, 1), np.int64), Fraction(1), "type")
    return plot_prices(_instance(), {HOSTILE + "k": prices})


def _anytime() -> object:
    history = ((0.1, Fraction(1), Fraction(2)),)
    result = Result(method="auto", termination="optimal", history=history)
    return plot_anytime(result, HOSTILE + "a")


def _trace() -> object:
    jobs = (TraceJob("j", Fraction(0), 1, Fraction(9)), TraceJob("k", Fraction(9), 1, Fraction(9)))
    trace = Trace("itp", HOSTILE + "f", jobs, {}, 2, calendar=HOSTILE + "c")
    return plot_trace(inspect_trace(trace))


def _training() -> object:
    name = HOSTILE + "j"
    copies = [CopyRecord(name, 0, HOSTILE + "n", 7, 1.0, 0.5)]
    return plot_training([CurvePoint(name, 0, 1, 1.0, 0.1, 1)], copies, {name: HOSTILE + "m"})


PICTURES: dict[str, tuple[Callable[[], object], tuple[str, ...]]] = {
    "against": (lambda: plot_against(_cells(), [1.0, 2.0, 3.0], HOSTILE + "x"), ("p", "x")),
    "anytime": (_anytime, ("a",)),
    "certified": (lambda: plot_certified(_cells()), ("p",)),
    "completion_times": (lambda: plot_completion_times(_runs()), ("s",)),
    "gantt": (_gantt, ("n", "r", "j0", "j1")),
    "guarantees": (lambda: plot_guarantees(_cells()), ("p", "t")),
    "paired": (
        lambda: plot_paired([(HOSTILE + "p", HOSTILE + "w", 1.0, math.nan, 2.0)], label=HOSTILE),
        ("p", "w", ""),
    ),
    "prices": (_prices, ("r", "k")),
    "profile": (lambda: plot_profile(_cells()), ("p",)),
    "ratios": (lambda: plot_ratios(_cells()), ("p", "")),
    "runtime": (
        lambda: plot_runtime({HOSTILE + "p": [(1, 0.1), (2, 0.2)]}, size=HOSTILE + "x"),
        ("p", "x"),
    ),
    "trace": (_trace, ("f", "c")),
    "training": (_training, ("j", "n", "m")),
    "trajectories": (lambda: plot_trajectories(_instance(), PrimalDual()), ("r",)),
    "use": (lambda: plot_use(_runs()), ("s",)),
    "window": (lambda: plot_window(_runs(), (0, 3)), ("s",)),
}


@pytest.mark.parametrize("picture", PICTURES)
def test_every_picture_shows_hostile_names_as_they_are(picture: str, tmp_path: Path) -> None:
    draw, ends = PICTURES[picture]
    drawn = "\n".join(texts(draw(), tmp_path))
    for end in ends:
        assert SHOWN + end in drawn


def test_every_picture_is_here() -> None:
    import hadaropt.plot

    drawn = {name.removeprefix("plot_") for name in hadaropt.plot.__all__}
    assert drawn - set(PICTURES) <= {"calibration", "ratio_boxes", "ratio_curves"}
