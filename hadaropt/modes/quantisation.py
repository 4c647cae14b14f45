"""How finely progress is counted in tables over progress.

Progress is counted in units of a *quantum*: a rational number q > 0 of iterations. A table is exact
where q divides the progress of every option; else progress is rounded to whole units, to the side
that the purpose asks for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

EXACT_UNITS = 1024
"""Most units, at detail 1, of a table that counts progress exactly. More: fewer jobs are rounded,
larger and slower tables."""
ROUNDED_UNITS = 256
"""Units, at detail 1, of the table of a job whose progress is rounded; four times as many where it
takes more than 32 rounds. More: tighter bounds, larger and slower tables."""

Rounding = Literal["up", "down", "nearest"]
"""Of progress to whole units. ``up``: what is enough stays enough, as bounds need it; ``down``:
what is not enough stays not enough, as schedules need it; ``nearest``: for estimates."""


def rounded(gain: Fraction, rounding: Rounding) -> int:
    """Return a number of units; halves are rounded up."""
    if rounding == "nearest":
        return math.floor(gain + Fraction(1, 2))
    return math.ceil(gain) if rounding == "up" else math.floor(gain)


def choose_units(
    progress: Sequence[int], longest: int, rounding: Rounding, detail: int
) -> tuple[Fraction, bool]:
    """Return the quantum in iterations and whether it counts progress exactly.

    A rounded quantum is the greatest progress divided by a whole number of units, chosen so that
    the other values lose least: sum ceil(p / q) >= ceil(Q / q) is necessary for sum p >= Q, and
    sum floor(p / q) >= ceil(Q / q) is sufficient, whatever the rational q > 0.

    Parameters
    ----------
    progress : sequence of int
        Iterations in one round of every option, decreasing.
    longest : int
        Largest requirement that the table has to hold.
    rounding : {"up", "down", "nearest"}
    detail : int
        Multiplies the number of units.
    """
    several = [p for p in progress if p < longest]
    divisor = math.gcd(*several) or longest
    if -(-longest // divisor) <= EXACT_UNITS * detail:
        return Fraction(divisor), True
    # One round of more than all is no better than one of just that.
    progress = [min(p, longest) for p in progress]
    fastest = progress[0]
    rounds = longest / fastest
    units = ROUNDED_UNITS * detail * (1 if rounds <= 32 else 4)
    most = max(1, math.floor(units / rounds))

    def lost(count: int) -> float:
        error = 0.0
        for p in progress:
            part = p * count / fastest
            if rounding == "nearest":
                near = round(part)
            else:
                near = math.ceil(part - 1e-9) if rounding == "up" else math.floor(part + 1e-9)
            error = max(error, abs(near / part - 1))
        return error

    best = min(range((most + 1) // 2, most + 1), key=lambda count: (lost(count), count))
    return Fraction(fastest, max(1, best)), False
