"""Tables of a ratio suite, for people."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hadaropt.bench.ratio.cells import Cell
from hadaropt.bench.ratio.summary import Interval, Summary, cross_model, summarise

RATIO_COLUMNS = (
    "policy",
    "cells",
    "OPT proved",
    "median OPT/P",
    "95 % interval",
    "p95",
    "worst",
    "P = 0",
    "median D/P",
    "guarantee",
    "theorem",
    "jobs/s",
)


def figure(value: float, digits: int = 3) -> str:
    """Return a ratio for a table."""
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return "inf"
    return f"{value:.{digits}f}" if value < 1000 else f"{value:.3g}"


def interval(value: Interval) -> str:
    """Return a point where it is one, else ``low..high``."""
    low, high = figure(value.low), figure(value.high)
    return low if low == high else f"{low}..{high}"


def confidence(ends: tuple[float, float]) -> str:
    """Return an interval of confidence, or - where there are too few draws for one."""
    return "-" if math.isnan(ends[0]) else f"{figure(ends[0])}..{figure(ends[1])}"


def ratio_rows(summaries: Sequence[Summary]) -> list[tuple[str, ...]]:
    """Return the rows of the ratio table; a guarantee marked * is vacuous in most cells."""
    rows: list[tuple[str, ...]] = []
    for s in summaries:
        mark = "*" if s.with_theorem and 2 * s.vacuous > s.with_theorem else ""
        rows.append(
            (
                s.policy,
                str(s.cells),
                str(s.closed),
                interval(s.median),
                confidence(s.median_confidence),
                interval(s.p95),
                interval(s.worst),
                str(s.starved),
                figure(s.certified),
                "-" if not s.with_theorem else figure(s.guarantee, 1) + mark,
                f"{s.with_theorem}/{s.cells}",
                figure(s.jobs_per_second, 0),
            )
        )
    return rows


NOTE = (
    "OPT/P: against proved optima; where one is open, the interval best known/P .. bound/P. "
    "P = 0: cells with P = 0 < OPT; they count as ratio inf in every quantile. "
    "D/P: verified without a solver. "
    "guarantee: (constant P + additive)/P of the theorem that was checked; * above U/L or 1000 in "
    "most cells, where it says nothing. Interval: bootstrap of the median over these cells."
)


def cross_model_rows(cells: Sequence[Cell]) -> list[tuple[str, ...]]:
    """Return the rows of OPT(more) / OPT(less) between parallelism models."""
    rows: list[tuple[str, ...]] = []
    for (more, less), ratios in cross_model(cells).items():
        if not ratios:
            continue
        low = sorted(pair[0] for pair in ratios)
        high = sorted(pair[1] for pair in ratios)
        middle = len(ratios) // 2
        strict = sum(pair[0] > 1 for pair in ratios)
        rows.append(
            (
                f"OPT({more}) / OPT({less})",
                str(len(ratios)),
                interval(Interval(low[middle], high[middle])),
                interval(Interval(low[-1], high[-1])),
                str(strict),
            )
        )
    return rows


CROSS_COLUMNS = ("ratio of optima", "instances", "median", "largest", "proved > 1")


def by_model(cells: Sequence[Cell]) -> dict[str, list[Summary]]:
    """Return the summaries of each parallelism model, and of all together under ``all``."""
    models = dict.fromkeys(cell.parallelism for cell in cells)
    tables = {
        model: summarise([cell for cell in cells if cell.parallelism == model]) for model in models
    }
    return {**tables, "all": summarise(cells)} if len(models) > 1 else tables
