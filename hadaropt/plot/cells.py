"""What the pictures of a ratio suite need of its cells, and an axis of ratios."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from hadaropt.plot.style import literal, short, tidy

if TYPE_CHECKING:
    from fractions import Fraction

    from matplotlib.axes import Axes

_TICKS = (1, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 7)
_MOST_TICKS = 9
MANY_POINTS = 1000
"""From so many on, points are an image inside a vector file."""

MANY_CURVES = 9
"""More curves than this in one panel cannot be told apart."""


class RatioCell(Protocol):
    """What the pictures need of a cell (``hadaropt.bench.ratio.cells.Cell`` has it all)."""

    @property
    def family(self) -> str:
        """Family of the instance."""

    @property
    def seed(self) -> int:
        """Seed of the instance."""

    @property
    def policy(self) -> str:
        """Name of the policy."""

    @property
    def parallelism(self) -> str:
        """Parallelism model of the instance."""

    @property
    def primal(self) -> Fraction:
        """P, the value that the policy collected."""

    @property
    def bound(self) -> Fraction:
        """Proven bound on the optimum."""

    @property
    def ratio_low(self) -> float:
        """Best known value / P."""

    @property
    def ratio_high(self) -> float:
        """Bound / P."""

    @property
    def certified(self) -> float:
        """D / P."""

    @property
    def theorem(self) -> str:
        """Id of the theorem that holds, or an empty text."""

    @property
    def guarantee(self) -> float:
        """What the theorem promises of OPT/P."""

    @property
    def vacuous(self) -> bool:
        """Whether that promise says nothing."""


def starved(cell: RatioCell) -> bool:
    """Whether the policy collected nothing where something was to be had."""
    return cell.primal == 0 < cell.bound


def policies_of(cells: Sequence[RatioCell]) -> list[str]:
    """Return the policies in order of first occurrence."""
    return list(dict.fromkeys(cell.policy for cell in cells))


def groups(policies: Sequence[str]) -> dict[str, list[str]]:
    """Return the policies whose curves share a panel: all, or prices and others if they are many.

    Examples
    --------
    >>> groups(["fifo", "primal_dual:step"])
    {'': ['fifo', 'primal_dual:step']}
    """
    if len(policies) <= MANY_CURVES:
        return {"": list(policies)}
    prices = [name for name in policies if name.startswith("primal_dual:")]
    others = [name for name in policies if name not in prices]
    return {name: part for name, part in (("prices", prices), ("others", others)) if part}


def of_each(
    policies: Sequence[str], cells: Sequence[RatioCell]
) -> Iterator[tuple[int, str, list[RatioCell], int]]:
    """Yield (index, policy, cells that collected something, number of the others)."""
    for i, policy in enumerate(policies):
        mine = [cell for cell in cells if cell.policy == policy]
        alive = [cell for cell in mine if not starved(cell)]
        yield i, policy, alive, len(mine) - len(alive)


def largest_ratio(cells: Sequence[RatioCell]) -> float:
    """Return the largest finite upper end of OPT/P, at least 1."""
    return max((cell.ratio_high for cell in cells if not starved(cell)), default=1.0)


def log_from_one(axes: Axes, most: float) -> None:
    """Give the x axis a log scale from 1 to ``most``, with ticks in plain numbers."""
    end = max(1.02, most) ** 1.06
    axes.set_xscale("log")
    axes.set_xlim(end**-0.02, end)
    ticks = plain_ticks(end)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    tidy(axes, "x")


def plain_ticks(end: float) -> list[float]:
    """Return round numbers from 1 to ``end`` that do not crowd each other on a log scale.

    Examples
    --------
    >>> plain_ticks(20.0)
    [1, 1.5, 3, 5, 10, 20]
    """
    ticks: list[float] = []
    for tick in [
        t * 10**k
        for k in range(math.floor(math.log10(end)) + 1)
        for t in (_TICKS if k == 0 else (1, 2, 5))
    ]:
        apart = math.log(end) / _MOST_TICKS
        if tick <= end and (not ticks or math.log(tick / ticks[-1]) >= apart):
            ticks.append(tick)
    return ticks


def name_rows(axes: Axes, policies: Sequence[str]) -> None:
    """Write the policies on the left, from the top, one at each whole number."""
    axes.set_yticks(
        range(len(policies)), [literal(short(policy)) for policy in policies], fontsize="small"
    )
    axes.set_ylim(len(policies) - 0.4, -0.6)


def beside(axes: Axes, row: int, note: str) -> None:
    """Write a note on the right of a row."""
    axes.annotate(
        note,
        (1.01, row),
        xycoords=("axes fraction", "data"),
        va="center",
        fontsize="small",
        annotation_clip=False,
    )
