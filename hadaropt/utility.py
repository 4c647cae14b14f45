"""Utility families: the value U_j(d) of completing with flow time d = 1, 2, ... rounds.

Every family is non-increasing in d and never negative, and every value is an exact Fraction.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from hadaropt.errors import InstanceError, one_of, shown
from hadaropt.exact import Exact, to_non_negative, to_text
from hadaropt.keywords import known_fields

SIGMOID_DIGITS = 50
SIGMOID_DECIMALS = 9


@dataclass(frozen=True)
class Utility:
    """Base class of the utility families."""

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        for field in fields(self):
            value = to_non_negative(getattr(self, field.name), field.name)
            object.__setattr__(self, field.name, value)

    def value(self, flow_time: int, iterations: int, round_seconds: Fraction) -> Fraction:
        """Return U(d) for a flow time d >= 1 in rounds.

        Parameters
        ----------
        flow_time : int
            d = completion - release + 1, at least 1.
        iterations : int
            Q_j, used by `EffectiveThroughput` only.
        round_seconds : Fraction
            tau, used by `EffectiveThroughput` only.
        """
        raise NotImplementedError

    def last_flow_time(self, most: int, iterations: int, round_seconds: Fraction) -> int:
        """Return the largest d in 1 .. ``most`` with U(d) > 0, or 0 if there is none."""
        low, high = 0, max(0, most)
        while low < high:
            middle = (low + high + 1) // 2
            if self.value(middle, iterations, round_seconds) > 0:
                low = middle
            else:
                high = middle - 1
        return low

    def parameters(self) -> dict[str, object]:
        """Return the parameters in their canonical text form."""
        return {field.name: to_text(getattr(self, field.name)) for field in fields(self)}


def _kept(parameter: Exact) -> Fraction:
    """Return a parameter as what `Utility` made of it: to make a Fraction of one takes longer."""
    assert isinstance(parameter, Fraction)
    return parameter


def _within(last: int, most: int) -> int:
    """Return ``last`` within 0 .. ``most``."""
    return max(0, min(last, most))


@known_fields
@dataclass(frozen=True)
class Linear(Utility):
    """max(0, peak - decay * (d - 1))."""

    kind = "linear"
    peak: Exact
    decay: Exact

    def value(self, flow_time: int, iterations: int, round_seconds: Fraction) -> Fraction:
        """Return U(d)."""
        return max(Fraction(0), _kept(self.peak) - _kept(self.decay) * (flow_time - 1))

    def last_flow_time(self, most: int, iterations: int, round_seconds: Fraction) -> int:
        """Return the largest d in 1 .. ``most`` with U(d) > 0, or 0: ceil(peak / decay)."""
        peak, decay = _kept(self.peak), _kept(self.decay)
        if decay.numerator > 0:  # whole numbers are several times faster than fractions
            a, b = peak.numerator * decay.denominator, decay.numerator * peak.denominator
            return _within(-(-a // b), most)
        return _within(most if peak.numerator > 0 else 0, most)


@known_fields
@dataclass(frozen=True)
class Step(Utility):
    """Peak if d <= deadline, else 0."""

    kind = "step"
    peak: Exact
    deadline: Exact

    def value(self, flow_time: int, iterations: int, round_seconds: Fraction) -> Fraction:
        """Return U(d)."""
        return _kept(self.peak) if flow_time <= _kept(self.deadline) else Fraction(0)

    def last_flow_time(self, most: int, iterations: int, round_seconds: Fraction) -> int:
        """Return the largest d in 1 .. ``most`` with U(d) > 0, or 0: floor(deadline)."""
        return _within(math.floor(_kept(self.deadline)) if _kept(self.peak) > 0 else 0, most)


@known_fields
@dataclass(frozen=True, kw_only=True)
class Sigmoid(Utility):
    """peak / (1 + exp(steepness * (d - deadline))), rounded half-even to 9 decimals.

    Its parameters are given by name. The value is evaluated to 50 digits before it is rounded; from
    there on it is exact.
    """

    kind = "sigmoid"
    peak: Exact
    steepness: Exact
    deadline: Exact

    def value(self, flow_time: int, iterations: int, round_seconds: Fraction) -> Fraction:
        """Return U(d)."""
        peak, steepness = _kept(self.peak), _kept(self.steepness)
        return _sigmoid(peak, steepness * (flow_time - _kept(self.deadline)))

    def last_flow_time(self, most: int, iterations: int, round_seconds: Fraction) -> int:
        """Return the largest d in 1 .. ``most`` with U(d) > 0, or 0.

        A guess by floats (U(d) is 0 where ``1 + exp(..) >= 2 * 10^9 * peak``) that values confirm.
        """
        peak, slope = _kept(self.peak), _kept(self.steepness)
        if peak > 0 and slope > 0:
            with suppress(ArithmeticError):  # floats do not reach so far
                room = math.log(peak.numerator) - math.log(peak.denominator) + math.log(2e9)
                last = _within(int(float(_kept(self.deadline)) + room / float(slope)), most)
                ends = [
                    self.value(d, iterations, round_seconds) > 0
                    for d in range(max(1, last), min(last + 1, most) + 1)
                ]
                if ends == [True] * (last > 0) + [False] * (last < most):
                    return last
        return super().last_flow_time(most, iterations, round_seconds)


@known_fields
@dataclass(frozen=True)
class EffectiveThroughput(Utility):
    """scale * iterations / (d * round_seconds)."""

    kind = "effective_throughput"
    scale: Exact

    def value(self, flow_time: int, iterations: int, round_seconds: Fraction) -> Fraction:
        """Return U(d)."""
        return _kept(self.scale) * iterations / (flow_time * round_seconds)

    def last_flow_time(self, most: int, iterations: int, round_seconds: Fraction) -> int:
        """Return the largest d in 1 .. ``most`` with U(d) > 0, or 0: it never falls to 0."""
        return _within(most if _kept(self.scale) * iterations > 0 else 0, most)


@known_fields
@dataclass(frozen=True)
class Completion(Utility):
    """weight * max(0, horizon - d)."""

    kind = "completion"
    weight: Exact
    horizon: Exact

    def value(self, flow_time: int, iterations: int, round_seconds: Fraction) -> Fraction:
        """Return U(d)."""
        return _kept(self.weight) * max(Fraction(0), _kept(self.horizon) - flow_time)

    def last_flow_time(self, most: int, iterations: int, round_seconds: Fraction) -> int:
        """Return the largest d in 1 .. ``most`` with U(d) > 0, or 0: ceil(horizon) - 1."""
        return _within(math.ceil(_kept(self.horizon)) - 1 if _kept(self.weight) > 0 else 0, most)


@known_fields
@dataclass(frozen=True)
class Table(Utility):
    """values[d - 1], and 0 beyond the end of the table."""

    kind = "table"
    values: tuple[Exact, ...]

    def __post_init__(self) -> None:
        if isinstance(self.values, str | Mapping) or not hasattr(self.values, "__iter__"):
            raise InstanceError("values", "must be a list of numbers", shown(self.values))
        values = tuple(to_non_negative(v, f"values[{i}]") for i, v in enumerate(self.values))
        for i in range(1, len(values)):
            if values[i] > values[i - 1]:
                rule = f"must not increase (values[{i - 1}] = {to_text(values[i - 1])})"
                raise InstanceError(f"values[{i}]", rule, to_text(values[i]))
        object.__setattr__(self, "values", values)

    def value(self, flow_time: int, iterations: int, round_seconds: Fraction) -> Fraction:
        """Return U(d)."""
        within = flow_time <= len(self.values)
        return _kept(self.values[flow_time - 1]) if within else Fraction(0)

    def parameters(self) -> dict[str, object]:
        """Return the parameters in their canonical text form."""
        return {"values": [to_text(_kept(v)) for v in self.values]}


FAMILIES: dict[str, type[Utility]] = {
    family.kind: family
    for family in (Linear, Step, Sigmoid, EffectiveThroughput, Completion, Table)
}


@lru_cache(maxsize=65536)
def _sigmoid(peak: Fraction, exponent: Fraction) -> Fraction:
    """Return peak / (1 + e^exponent) to 50 digits, then half-even to 9 decimals."""
    whole_digits = len(str(peak.numerator // peak.denominator))
    context = decimal.Context(
        prec=SIGMOID_DIGITS + whole_digits + SIGMOID_DECIMALS,
        rounding=decimal.ROUND_HALF_EVEN,
        Emax=decimal.MAX_EMAX,
        Emin=decimal.MIN_EMIN,
        traps=[decimal.InvalidOperation, decimal.DivisionByZero],
    )

    def ratio(value: Fraction) -> decimal.Decimal:
        return context.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))

    denominator = context.add(decimal.Decimal(1), context.exp(ratio(exponent)))
    value = context.divide(ratio(peak), denominator)
    return Fraction(value.quantize(decimal.Decimal(1).scaleb(-SIGMOID_DECIMALS), context=context))


def make_utility(kind: object, parameters: Mapping[str, object]) -> Utility:
    """Return the utility of a file's ``kind`` and parameters.

    Raises
    ------
    InstanceError
        If the kind is unknown or a parameter is missing, unknown or out of range.
    """
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise InstanceError("kind", one_of(str(kind), FAMILIES), shown(kind))
    family = FAMILIES[kind]
    names = [field.name for field in fields(family)]
    for name in parameters:
        if name not in names:
            raise InstanceError(name, f"is an unknown field (kind {kind} has {', '.join(names)})")
    for name in names:
        if name not in parameters:
            raise InstanceError(name, f"is missing (kind {kind} requires it)")
    return family(**parameters)


__all__ = [
    "Completion",
    "EffectiveThroughput",
    "Linear",
    "Sigmoid",
    "Step",
    "Table",
    "Utility",
    "make_utility",
]
