"""One dive as a task, and what it found, so told that any limit and any value can be laid on it.

A dive may begin before it is known what the dives before it find: in another process, at an older
best value and with more work left. `Descent.within` says what it would have found in its turn. So
the answer of a solve does not depend on how many dives run at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.offline.clock import PER_SECOND, Clock
from hadaropt.offline.colgen.column_generation import Proof
from hadaropt.offline.colgen.plan import Plan


@dataclass(frozen=True)
class Dive:
    """What a dive does.

    Attributes
    ----------
    proof : Proof
        Prices to begin with.
    floor : Fraction
        LPs stop as soon as no plan can be worth more than this.
    at_once : int
        Most columns fixed before the LP is solved again.
    noise : float
        Standard deviation of the noise on the logarithm of the scores by which columns are chosen;
        0 for none.
    seed : int
        Of the noise.
    plan : Plan or None
        What to keep, except for some jobs; None to begin from nothing.
    loose : tuple of int
        The jobs that are scheduled anew.
    """

    proof: Proof
    floor: Fraction = Fraction(0)
    at_once: int = 1
    noise: float = 0.0
    seed: int = 0
    plan: Plan | None = None
    loose: tuple[int, ...] = ()


@dataclass(frozen=True)
class Allowance:
    """What a dive may use up.

    Attributes
    ----------
    seconds : float
        Of the machine.
    work : float
        Of work, in seconds of `PER_SECOND` operations; infinite where it is not limited.
    """

    seconds: float = math.inf
    work: float = math.inf

    @classmethod
    def of(cls, clock: Clock) -> Allowance:
        """Return what is left of a clock."""
        if not clock.counts:
            return cls(clock.left())
        return cls(clock.machine_seconds(), clock.left())


@dataclass(frozen=True)
class Descent:
    """What a dive found.

    Attributes
    ----------
    plan : Plan or None
    steps : tuple of (operations, bound)
        After each step, the operations so far, and an upper bound on the plan that it leads to,
        None where there is none.
    operations : int
        Of the whole dive.
    """

    plan: Plan | None
    steps: tuple[tuple[int, Fraction | None], ...]
    operations: int

    def within(self, value: Fraction, work: float) -> tuple[Plan | None, int]:
        """Return plan and operations of the same dive for a plan worth more, within some work."""
        for operations, bound in self.steps:
            if ends(operations, bound, value, work):
                return None, operations
        better = self.plan is not None and self.plan.value > value
        return (self.plan if better else None), self.operations


def ends(operations: int, bound: Fraction | None, value: Fraction, work: float) -> bool:
    """Return whether a dive ends after a step: in vain, or for want of work that is left."""
    return bound is None or bound <= value or operations >= work * PER_SECOND


__all__ = ["Allowance", "Descent", "Dive", "ends"]
