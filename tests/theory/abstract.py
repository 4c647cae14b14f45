"""The model of ``proofs/written/01-model.md`` in exact rationals, independent of the library.

Finite resources with integer capacities; jobs, in order of arrival, that each offer a finite list
of schedules; the online rule of T4 with any charge, slack and errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

Table = Callable[[int, int], Fraction]  # (r, g) -> price of r when g units are in use
Charge = Callable[[int, int, int], Fraction]  # (r, g, w) -> what w units of r cost then


@dataclass(frozen=True)
class Offer:
    """One schedule: its value and the units it uses of every resource."""

    value: Fraction
    use: tuple[int, ...]

    @property
    def touched(self):
        return [r for r, w in enumerate(self.use) if w]


@dataclass(frozen=True)
class Abstract:
    """Capacities and, per job, the schedules it offers."""

    caps: tuple[int, ...]
    jobs: tuple[tuple[Offer, ...], ...]

    @property
    def offers(self):
        return [s for job in self.jobs for s in job]

    def bundle(self, r: int) -> int:
        """m_r, at least 1."""
        return max([1, *(s.use[r] for s in self.offers)])

    def value_per_unit(self, r: int) -> Fraction:
        """U_r: the largest u_s / w_r^s over schedules that touch r; 1 if none does."""
        return max((s.value / s.use[r] for s in self.offers if s.use[r]), default=Fraction(1))

    def least_density(self) -> Fraction:
        """L by (V): the least u_s / (total units of s)."""
        return min(s.value / sum(s.use) for s in self.offers)


@dataclass(frozen=True)
class Run:
    """P, the booked duals, the loads at the end, and the offer taken per job (or None)."""

    value: Fraction
    booked: tuple[Fraction, ...]
    loads: tuple[int, ...]
    taken: tuple[Offer | None, ...]


def linear(table: Table) -> Charge:
    return lambda r, g, w: w * table(r, g)


def run(
    instance: Abstract,
    charge: Charge,
    *,
    room: Sequence[int] | None = None,
    slack: Fraction = Fraction(1),
    errors: Sequence[Fraction] | None = None,
) -> Run:
    """Run the rule of T4'; with slack or errors it makes the WORST choice that they admit."""
    room = instance.caps if room is None else room
    errors = [Fraction(0)] * len(instance.jobs) if errors is None else errors
    loads = [0] * len(room)
    booked, taken = [], []
    for job, error in zip(instance.jobs, errors, strict=True):
        payoffs = [
            (s.value - sum(charge(r, loads[r], s.use[r]) for r in s.touched), s)
            for s in job
            if all(g + w <= c for g, w, c in zip(loads, s.use, room, strict=True))
        ]
        best = max((p for p, _ in payoffs), default=Fraction(0))
        if best <= error:
            taken.append(None)
            booked.append(error)
            continue
        admitted = [(p, s) for p, s in payoffs if p > 0 and best <= slack * p + error]
        payoff, chosen = min(admitted, key=lambda pair: pair[0])
        taken.append(chosen)
        booked.append(slack * payoff + error)
        loads = [g + w for g, w in zip(loads, chosen.use, strict=True)]
    value = sum((s.value for s in taken if s is not None), Fraction(0))
    return Run(value, tuple(booked), tuple(loads), tuple(taken))


def certificate(instance: Abstract, prices: Sequence[Fraction]) -> Fraction:
    """D(k) = sum_j max(0, max_s u_s - k w_s) + sum c k (T2)."""
    best = sum(
        max([Fraction(0), *(s.value - sum(prices[r] * s.use[r] for r in s.touched) for s in job)])
        for job in instance.jobs
    )
    return best + sum(c * k for c, k in zip(instance.caps, prices, strict=True))


def optimum(instance: Abstract) -> Fraction:
    """The best selection, by enumeration over reachable loads."""
    states = {(0,) * len(instance.caps): Fraction(0)}
    for job in instance.jobs:
        new = dict(states)
        for loads, value in states.items():
            for s in job:
                after = tuple(g + w for g, w in zip(loads, s.use, strict=True))
                if all(g <= c for g, c in zip(after, instance.caps, strict=True)):
                    new[after] = max(new.get(after, Fraction(0)), value + s.value)
        states = new
    return max(states.values())


def root_up(x: Fraction, n: int, steps: int = 64) -> Fraction:
    """A rational q >= 1, a multiple of 1/steps, with q^n >= x: the least of that form."""
    k = max(steps, int(steps * float(x) ** (1 / n)) - 1)
    while Fraction(k, steps) ** n < x:
        k += 1
    return Fraction(k, steps)


def geometric_theta(c: int, q: Fraction, w: int) -> Fraction:
    """(c/w)(q^w - 1)."""
    return Fraction(c, w) * (q**w - 1)
