"""Utilities worth a whole number at the earliest completion, with few digits everywhere."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from hadaropt.utility import (
    Completion,
    EffectiveThroughput,
    Linear,
    Sigmoid,
    Step,
    Table,
    Utility,
)

Maker = Callable[[int, int, int, int, Fraction], Utility]


def _linear(value: int, shortest: int, slack: int, *_: object) -> Utility:
    decay = max(1, round(Fraction(2 * value, 3 * slack)))
    return Linear(value + decay * (shortest - 1), decay)


def _step(value: int, shortest: int, slack: int, *_: object) -> Utility:
    return Step(value, slack)


def _sigmoid(value: int, shortest: int, slack: int, *_: object) -> Utility:
    return Sigmoid(
        peak=value, steepness=Fraction(round(100 / max(1.0, slack / 8)), 100), deadline=slack
    )


def _effective(
    value: int, shortest: int, slack: int, iterations: int, round_seconds: Fraction
) -> Utility:
    return EffectiveThroughput(_three_digits(value * shortest * round_seconds / iterations))


def _completion(value: int, shortest: int, slack: int, *_: object) -> Utility:
    weight = max(1, round(Fraction(2 * value, 3 * slack)))
    return Completion(weight, shortest + max(1, value // weight))


def _table(value: int, shortest: int, slack: int, *_: object) -> Utility:
    half = max(1, slack // 2)
    return Table((value,) * slack + (value // 2,) * half + (value // 4,) * half)


MAKERS: dict[str, Maker] = {
    "linear": _linear,
    "effective_throughput": _effective,
    "sigmoid": _sigmoid,
    "step": _step,
    "completion": _completion,
    "table": _table,
}
"""By kind: (value, shortest, slack, iterations, round_seconds) to the utility.

``value`` (a whole number) is what completion in ``shortest`` rounds is worth (for a sigmoid, its
peak), and ``slack`` >= ``shortest`` rounds is the deadline of the kinds that have one; the others
are down to nothing at about 1.5 ``slack``, but for ``effective_throughput``, value * shortest / d.
"""


def _three_digits(number: Fraction) -> Fraction:
    """Return the decimal of three significant digits next to a number > 0."""
    return Fraction(f"{float(number):.3g}")
