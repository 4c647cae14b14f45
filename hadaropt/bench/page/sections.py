"""The sections that draw: distributions, profiles, hardness, certificates, run time."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hadaropt.bench.page.html import Figure, Numbers, Section, Table, Text
from hadaropt.bench.page.instances import Instances
from hadaropt.bench.page.listings import PLACE, cell_numbers
from hadaropt.bench.ratio import report
from hadaropt.bench.ratio.cells import Cell
from hadaropt.bench.ratio.summary import summarise
from hadaropt.plot.cells import groups, policies_of
from hadaropt.plot.guarantees import plot_certified, plot_guarantees, promised
from hadaropt.plot.profiles import performance_ratios, plot_against, plot_profile
from hadaropt.plot.ratios import plot_ratio_boxes, plot_ratio_curves
from hadaropt.plot.runtime import growth, plot_runtime
from hadaropt.plot.style import new_figure, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_GROWTH = 2
"""Largest over smallest number of jobs from which on an exponent of run time is shown."""
NARROW = (5.2, 3.9)
"""Inches of a figure that stays readable on a phone."""


def _axes(height: float = NARROW[1]) -> Axes:
    return new_figure(NARROW[0], height).subplots()


def _untitled(axes: Axes) -> Axes:
    axes.set_title("")
    return axes


def _titled(model: str, setting: str) -> tuple[str, str]:
    """Return the title and the name of files of a part that is kept apart."""
    name = re.sub(r"[^a-z0-9.]+", "-", f"{model} {setting}".lower()).strip("-")
    return f"{model}{f' ({setting})' if setting else ''}", name


def ratio_section(cells: Sequence[Cell], instances: Instances) -> Section:
    """Tables and distributions of OPT/P, per parallelism model and per value of what varies."""
    section = Section("ratios", "Empirical ratios")
    section.blocks.append(Text(report.NOTE))
    parts = instances.apart(cells)
    for place, part in parts.items():
        section.blocks += _ratio_tables(*_titled(*place), report.ratio_rows(summarise(part)))
    if len(parts) > 1 and not any(setting for _, setting in parts):
        section.blocks += _ratio_tables("all", "all", report.ratio_rows(summarise(cells)))
    for place, part in parts.items():
        section.blocks += _ratio_figures(*_titled(*place), part)
    cross = report.cross_model_rows(cells)
    if cross:
        heads = report.CROSS_COLUMNS
        section.blocks.append(
            Table(heads, cross, Numbers("models", heads, cross), "Between parallelism models")
        )
    return section


def _ratio_figures(title: str, name: str, part: Sequence[Cell]) -> list[Figure]:
    names = policies_of(part)
    numbers = cell_numbers(f"ratios-cells-{name}", part, (*PLACE, "ratio_low", "ratio_high"))
    curves = [
        Figure(
            f"{title}: cumulative distribution of OPT/P{f' ({kind})' if kind else ''}",
            f"Per policy the share of the {title} cells at or below each ratio OPT over P.",
            _untitled(plot_ratio_curves(part, policies=group, ax=_axes(4.4))),
            numbers,
        )
        for kind, group in groups(names).items()
    ]
    boxes = Figure(
        f"{title}: quartiles and tails of OPT/P (box 25-75 %, whiskers 5-95 %, bar: median"
        f"{'; hollow: best known/P' if any(not cell.closed for cell in part) else ''})",
        f"One box per policy of the ratios OPT over P of the {title} cells.",
        _untitled(plot_ratio_boxes(part, ax=_axes(1.2 + 0.36 * len(names)))),
        numbers,
    )
    return [*curves, boxes]


HEADLINE = ("policy", "median OPT/P", "95 % interval", "p95", "worst", "P = 0", "median D/P")
"""Of `RATIO_COLUMNS`, what the page shows at once; the others are folded away."""


def _ratio_tables(title: str, name: str, rows: Sequence[Sequence[str]]) -> list[Table]:
    """Return the figures that matter most, and a second table with the others."""
    columns = report.RATIO_COLUMNS

    def table(chosen: Sequence[str]) -> tuple[list[str], list[list[str]]]:
        places = [columns.index(head) for head in chosen]
        heads = [f"policy ({title})" if head == "policy" else head for head in chosen]
        return heads, [[short(row[0]), *(row[i] for i in places[1:])] for row in rows]

    rest = ["policy", *(head for head in columns if head not in HEADLINE)]
    numbers = Numbers(f"ratios-{name}", columns, rows)
    return [
        Table(*table(HEADLINE)),
        Table(*table(rest), numbers, folded=f"{title}: {', '.join(rest[1:])}"),
    ]


def profile_section(cells: Sequence[Cell], instances: Instances) -> Section:
    """Draw performance profiles per parallelism model and per value of what varies."""
    section = Section("profiles", "Performance profiles")
    section.blocks.append(
        Text(
            "Share of the instances on which a policy is within a factor of the best policy there."
        )
    )
    for place, part in instances.apart(cells).items():
        title, name = _titled(*place)
        rows = [
            (policy, value)
            for policy, values in performance_ratios(part).items()
            for value in values
        ]
        section.blocks += [
            Figure(
                f"{title}: best P / P{f' ({kind})' if kind else ''}",
                f"Performance profile of the policies on the {title} instances.",
                _untitled(plot_profile(part, policies=group, ax=_axes(4.4))),
                Numbers(f"profile-{name}", ("policy", "best P / P"), rows),
            )
            for kind, group in groups(policies_of(part)).items()
        ]
    return section


def hardness_section(cells: Sequence[Cell], instances: Instances) -> Section:
    """Ratio against offered load and against U/L, where the instances can be had again."""
    section = Section("hardness", "What makes instances hard")
    known = [(cell, found) for cell in cells if (found := instances.hardness(cell)) is not None]
    if len(known) < len(cells):
        reasons = dict.fromkeys(why for cell in cells if isinstance(why := instances.of(cell), str))
        lost = len(cells) - len(known)
        section.blocks.append(
            Text(
                f"Load and U/L of {lost} of {len(cells)} cells are not known: "
                f"{'; '.join(list(reasons)[:3])}.",
                missing=True,
            )
        )
    if not known:
        return section
    shown = [cell for cell, _ in known]
    rows = [
        (c.family, c.seed, c.parallelism, c.policy, h.load, h.spread, c.ratio_low, c.ratio_high)
        for c, h in known
    ]
    columns = (*PLACE, "load", "spread", "ratio_low", "ratio_high")
    numbers = Numbers("hardness", columns, rows)
    choices: tuple[tuple[str, str, Callable[[int], float], bool], ...] = (
        ("Ratio against offered load", "offered load", lambda i: known[i][1].load, False),
        (
            "Ratio against the spread U/L",
            "spread of densities U/L",
            lambda i: known[i][1].spread,
            True,
        ),
    )
    for caption, label, value, log in choices:
        places = [i for i in range(len(known)) if math.isfinite(value(i)) and value(i) > 0]
        axes = plot_against(
            [shown[i] for i in places], [value(i) for i in places], label, log=log, ax=_axes(4.4)
        )
        section.blocks.append(
            Figure(caption, f"Ratio of each cell against the {label}, per policy.", axes, numbers)
        )
    return section


def certificate_section(cells: Sequence[Cell]) -> Section:
    """Certified intervals, and theorems against measurement."""
    section = Section("certificates", "Certified intervals and guarantees")
    columns = (*PLACE, "ratio_low", "ratio_high", "certified", "theorem", "guarantee", "vacuous")
    numbers = cell_numbers("certificates", cells, columns)
    names = policies_of(cells)
    axes = _untitled(plot_certified(cells, ax=_axes(1.3 + 0.36 * len(names))))
    section.blocks += [
        Text(
            "Every run carries a bound D that a verifier checks without a solver: OPT/P lies "
            "between best known/P and D/P. A guarantee is what a theorem promises before the run."
        ),
        Figure(
            "From best known/P to D/P: thick between medians, thin between 95th percentiles",
            "Per policy the interval that its certificates leave for OPT over P.",
            axes,
            numbers,
        ),
    ]
    if any(promised(cell) for cell in cells):
        axes = _untitled(plot_guarantees(cells, ax=_axes(4.9)))
        axes.set_xlabel("measured OPT / P")
        section.blocks.append(
            Figure(
                "Guarantee against measured ratio (below the dashed line: refuted)",
                "Guarantee of each cell with a theorem against its measured ratio.",
                axes,
                numbers,
            )
        )
    else:
        section.blocks.append(Text("No cell has a theorem.", missing=True))
    return section


def runtime_section(cells: Sequence[Cell]) -> Section:
    """Run time against the number of jobs, with growth exponents."""
    section = Section("runtime", "Run time")
    points = {
        policy: [(float(c.jobs), c.seconds) for c in cells if c.policy == policy]
        for policy in policies_of(cells)
    }
    sizes = sorted({cell.jobs for cell in cells})
    rows = [(p, size, s) for p, pairs in points.items() for size, s in pairs]
    numbers = Numbers("runtime", ("policy", "jobs", "seconds"), rows)
    if sizes[-1] < LEAST_GROWTH * sizes[0]:
        span = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        told = f"All instances have {span} jobs: how time grows is not in these results."
        section.blocks.append(Text(told, missing=True))
        times = []
        for policy, pairs in points.items():
            taken = np.array([seconds for _, seconds in pairs])
            figures = (*np.quantile(taken, [0.5, 0.95], method="inverted_cdf"), taken.max())
            times.append((short(policy), *(f"{x:.3g}" for x in figures)))
        section.blocks.append(
            Table(("policy", "median seconds", "95 % of the runs", "longest"), times, numbers)
        )
        return section
    section.blocks.append(
        Figure(
            "Seconds of a run against jobs: points are runs, lines join medians",
            "Seconds of every run against the number of jobs, per policy.",
            plot_runtime(points, ax=_axes(4.4)),
            numbers,
        )
    )
    growths = [(short(p), f"{growth(pairs):.2f}") for p, pairs in points.items()]
    section.blocks.append(Table(("policy", "growth exponent"), growths))
    return section
