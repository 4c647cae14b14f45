"""The pictures with a baseline, on small fixed data, and how they are rendered without text."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np

from hadaropt import Cluster, Instance, Job
from hadaropt.plot import (
    plot_against,
    plot_anytime,
    plot_calibration,
    plot_certified,
    plot_completion_times,
    plot_gantt,
    plot_guarantees,
    plot_paired,
    plot_prices,
    plot_profile,
    plot_ratio_boxes,
    plot_ratio_curves,
    plot_ratios,
    plot_runtime,
    plot_trace,
    plot_trajectories,
    plot_use,
    plot_window,
)
from hadaropt.plot.calibration import TRACE
from hadaropt.policies import PrimalDual
from hadaropt.results import Prices, Result
from hadaropt.traces import Trace, TraceJob, inspect_trace
from hadaropt.utility import Linear
from tests.plot.test_calibration import summary
from tests.plot.test_gantt import INSTANCE, SCHEDULE
from tests.plot.test_ratios import cell
from tests.simulate.small import job, run

BASELINES = Path(__file__).parent / "baselines"
DPI = 40


def cells(open_share: int = 0) -> list:
    """Return three policies on twelve instances of two models; every n-th cell open."""
    return [
        cell(
            policy,
            10 - i * k % 4,
            best := 10 + k * (i + 1) % 17,
            best + 3 if open_share and i % open_share == 0 else best,
            parallelism=model,
            seed=i,
            theorem="T7" if k == 2 else "",
            guarantee=60.0 + i if k == 2 else float("inf"),
            vacuous=i % 2 == 0,
            certified=float(best) / 5,
        )
        for model in ("mixed", "forked")
        for i in range(12)
        for k, policy in enumerate(("fifo", "greedy_density", "primal_dual:zero_start"), 1)
    ]


def _calibration(folder: Path):
    path = folder / "summary.json"
    path.write_text(json.dumps({TRACE: summary()}))
    return plot_calibration(path, num_jobs=200, seed=1)


def _trace(folder: Path):
    jobs = tuple(
        TraceJob(f"j{i}", Fraction(1800 * i), 1 + i % 9, Fraction(60 * 2 ** (i % 11)))
        for i in range(60)
    )
    return plot_trace(inspect_trace(Trace("itp", "t.csv", jobs, {}, len(jobs))))


def _trajectories(folder: Path):
    cluster = Cluster.of({"n0": {"V100": 2}, "n1": {"P100": 2}})
    jobs = tuple(
        Job(f"j{i}", i % 3, 1 + i % 2, 3 + i, {"V100": 2, "P100": 1}, Linear(20 + 7 * i, 2))
        for i in range(8)
    )
    return plot_trajectories(Instance(cluster, jobs, 6, 1), PrimalDual())


PAIRED = [
    ("fifo", "load=1", 1.2, 1.0, 1.5),
    ("yarn", "load=1", 0.7, 0.6, 0.9),
    ("fifo", "load=2", 1.9, math.nan, math.nan),
    ("yarn", "load=2", 0.5, 0.4, 1.1),
]


def _prices(folder: Path):
    cluster = Cluster.of({"n0": {"V100": 2}, "n1": {"V100": 1, "P100": 2}})
    by_type = np.array([[5, 0], [5, 2], [3, 2], [0, 1]])
    by_node = np.array([[[2, 0], [8, 0]], [[2, 0], [2, 4]], [[0, 0], [0, 4]], [[0, 0], [0, 0]]])
    prices = {"policy": Prices(by_type, Fraction(1), "type")}
    prices["optimum"] = Prices(by_node, Fraction(2), "node")
    return plot_prices(Instance(cluster, (), 4, 1), prices)


def _anytime(folder: Path):
    steps = ((0.1, None, 30), (0.3, 12, 25), (0.8, 15, 22), (2.0, 19, 20), (4.0, 20, 20))
    history = tuple(
        (seconds, None if value is None else Fraction(value), Fraction(bound))
        for seconds, value, bound in steps
    )
    return plot_anytime(Result(method="auto", termination="optimal", history=history))


def _runs():
    jobs = [job(f"j{i}", 60 * i, 1 + i % 2, 100 + 40 * i) for i in range(6)]
    return [run("fast=2,slow=1", name, *jobs) for name in ("hadar", "yarn")]


PICTURES: dict[str, Callable[[Path], object]] = {
    "against": lambda folder: plot_against(cells(), [float(i % 7) for i in range(72)], "load"),
    "anytime": _anytime,
    "boxes": lambda folder: plot_ratio_boxes(cells()),
    "boxes-open": lambda folder: plot_ratio_boxes(cells(2)),
    "calibration": _calibration,
    "certified": lambda folder: plot_certified(cells(3)),
    "completion_times": lambda folder: plot_completion_times(_runs()),
    "curves": lambda folder: plot_ratio_curves(cells()),
    "curves-open": lambda folder: plot_ratio_curves(cells(6)),
    "gantt": lambda folder: plot_gantt(INSTANCE, SCHEDULE),
    "guarantees": lambda folder: plot_guarantees(cells()),
    "paired": lambda folder: plot_paired(PAIRED, reference=1.0, log=True),
    "prices": _prices,
    "profile": lambda folder: plot_profile(cells()),
    "ratios": lambda folder: plot_ratios(cells()),
    "runtime": lambda folder: plot_runtime(
        {"fifo": [(n, 0.01 * n) for n in (10, 20, 40)], "random": [(n, 0.2) for n in (10, 40)]}
    ),
    "trace": _trace,
    "trajectories": _trajectories,
    "use": lambda folder: plot_use(_runs()),
    "window": lambda folder: plot_window(_runs(), (0, 6)),
}


def render(name: str, folder: Path) -> Path:
    """Draw a picture without its text, which fonts of another version would draw differently."""
    drawn = PICTURES[name](folder)
    axes = drawn[0] if isinstance(drawn, tuple) else drawn
    figure = axes.get_figure(root=True)
    figure.suptitle("")
    for legend in figure.legends:
        legend.remove()
    figure.legends.clear()
    for each in figure.axes:
        each.set(title="", xlabel="", ylabel="")
        each.set_xticks(each.get_xticks(), [""] * len(each.get_xticks()))
        each.set_yticks(each.get_yticks(), [""] * len(each.get_yticks()))
        if each.get_legend() is not None:
            each.get_legend().remove()
        for text in list(each.texts):
            text.remove()
    file = folder / f"{name}.png"
    figure.savefig(file, dpi=DPI)
    return file


if __name__ == "__main__":  # python -m tests.plot.pictures writes the baselines anew
    import shutil
    import tempfile

    BASELINES.mkdir(exist_ok=True)
    for each_name in PICTURES:
        with tempfile.TemporaryDirectory() as temporary:
            shutil.copy(render(each_name, Path(temporary)), BASELINES)
