"""How bad a play is for a policy: exact values, checked schedules."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from hadaropt.bench.adversary.space import UNIT, Limits, Play, belongs, told
from hadaropt.bench.ratio.contestants import run_contestant
from hadaropt.instance import Instance
from hadaropt.interrupts import uninterrupted
from hadaropt.offline.compact.solve import solve_ilp
from hadaropt.policies import Policy
from hadaropt.results import OnlineRun

Objective = Literal["ratio", "certified", "rival"]
MAX_CACHED = 20_000


@dataclass(frozen=True)
class Judged:
    """A play with its score; None stands for P = 0, where the ratio is infinite.

    ``against`` / ``primal`` is the score: the optimum, the certified bound, or the value of the
    rival. The optimum of the search is the exact value of a checked schedule, so that the score
    never claims too much; it is proved for what is kept.
    """

    play: Play
    primal: Fraction
    against: Fraction

    @property
    def score(self) -> Fraction | None:
        """Return ``against`` / ``primal``."""
        return None if self.primal == 0 else self.against / self.primal


@dataclass
class Judge:
    """Scores plays for one policy; counts what it has judged."""

    policy: Policy
    limits: Limits
    objective: Objective = "ratio"
    rival: Policy | None = None
    count: int = 0

    def __post_init__(self) -> None:
        self._optima: dict[object, Fraction] = {}

    def run(self, instance: Instance, policy: Policy | None = None) -> OnlineRun:
        """Run a policy that is told the class."""
        limits = self.limits
        chosen = told(instance, policy or self.policy, gang=limits.gang, spread=limits.spread)
        return run_contestant(instance, chosen)

    def __call__(self, play: Play, floor: Fraction) -> Judged | None:
        """Return the judged play, or None if it is outside the class or not above the floor."""
        self.count += 1
        if not play.offers or any(offer.release >= play.rounds for offer in play.offers):
            return None
        instance = play.instance(self.limits.parallelism)
        if not belongs(instance, self.limits):
            return None
        run = self.run(instance)
        if self.objective == "certified":
            judged = Judged(play, run.value, run.bound)
        elif self.objective == "rival":
            assert self.rival is not None
            judged = Judged(play, run.value, self.run(instance, self.rival).value)
        else:
            if relaxed(play) <= floor * run.value:
                return None
            judged = Judged(play, run.value, self._optimum(play, instance))
        return judged if judged.score is None or judged.score > floor else None

    def _optimum(self, play: Play, instance: Instance) -> Fraction:
        key = (play.gpus, play.rounds, tuple(sorted(map(repr, play.offers))))
        if key not in self._optima:
            if len(self._optima) >= MAX_CACHED:
                self._optima.clear()
            answer = uninterrupted(solve_ilp(instance, time_limit=10.0))
            self._optima[key] = answer.value or Fraction(0)
        return self._optima[key]


def relaxed(play: Play) -> Fraction:
    """Return an upper bound on the optimum: jobs cut into pieces, all GPU-rounds alike.

    A job needs gang x work / (its fastest speed) GPU-rounds at least, copies or not.
    """
    left = Fraction(sum(map(sum, play.gpus)) * play.rounds)
    offers = sorted(
        (
            (Fraction(offer.gang * offer.work, max(offer.speeds)), offer.value)
            for offer in play.offers
        ),
        key=lambda pair: pair[0] / pair[1],
    )
    total = Fraction(0)
    for units, value in offers:
        part = min(Fraction(1), left / units)
        total += part * value
        left -= part * units
    return total / UNIT
