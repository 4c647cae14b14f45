"""Evolution with local search over plays; by seed, but for where the clock ends it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from hadaropt.bench.adversary.judge import Judge, Judged
from hadaropt.bench.adversary.moves import Rng, mutate, start
from hadaropt.bench.adversary.shrink import sharpen, shrink

POPULATION = 24
STALE = 600
"""Evaluations without a better play after which the best is sharpened and all begun anew."""


@dataclass(frozen=True)
class Budget:
    """When to stop: seconds of wall clock, judged plays, or both.

    The last tenth is for local search and shrinking.
    """

    seconds: float | None = 60.0
    evaluations: int | None = None


@dataclass
class Search:
    """What has been found so far.

    Attributes
    ----------
    best : Judged or None
        The play of the highest finite score.
    starved : Judged or None
        The smallest play with P = 0 where something was to be had.
    interrupted : bool
        Whether Ctrl-C ended it: what was found until then is kept.
    keep : callable
        Told at once of each new ``worst`` and ``starved`` play.
    """

    judge: Judge
    seed: int = 0
    best: Judged | None = None
    starved: Judged | None = None
    interrupted: bool = False
    restarts: int = 0
    trail: list[tuple[int, float]] = field(default_factory=list)
    keep: Callable[[str, Judged], None] = lambda label, judged: None

    def run(self, budget: Budget, report: Callable[[Search], None] = lambda _: None) -> Search:
        """Search until the budget is spent, shrink the best play, and return this object."""
        began = time.monotonic()

        def spent(share: float) -> bool:
            late = budget.seconds is not None and time.monotonic() - began > share * budget.seconds
            enough = budget.evaluations is not None and (
                self.judge.count >= share * budget.evaluations
            )
            return late or enough

        rng = np.random.default_rng(np.random.SeedSequence(self.seed))
        try:
            while not spent(0.9):
                self._populate(rng, lambda: spent(0.9), report)
                self.restarts += 1
            if self.best is not None:
                self.best = sharpen(self.best, self.judge, lambda: spent(0.96))
                self.keep("worst", self.best)
                self.best = shrink(self.best, self.judge, lambda: spent(1.0))
                self.keep("worst", self.best)
        except KeyboardInterrupt:
            self.interrupted = True
        return self

    def _populate(
        self, rng: Rng, spent: Callable[[], bool], report: Callable[[Search], None]
    ) -> None:
        """Evolve one population until it is stale."""
        limits = self.judge.limits
        kept: list[tuple[Fraction, Judged]] = []
        best, since = Fraction(0), self.judge.count
        while not spent():
            report(self)
            if len(kept) < POPULATION // 2:
                play = start(rng, limits)
            else:
                parent, mate = (_tournament(rng, kept).play for _ in range(2))
                play = mutate(rng, parent, mate, limits)
            full = len(kept) >= POPULATION
            judged = self.judge(play, kept[-1][0] if full else Fraction(0))
            if judged is not None:
                score = self._record(judged)
                if score is not None and all(judged.play != other.play for _, other in kept):
                    kept = sorted([*kept, (score, judged)], key=lambda pair: -pair[0])[:POPULATION]
                    if score > best:
                        best, since = score, self.judge.count
            if self.judge.count - since > STALE:
                self._record(sharpen(kept[0][1], self.judge, spent))
                return

    def _record(self, judged: Judged) -> Fraction | None:
        """Keep the play if it is the worst so far; return its score if that is finite."""
        score = judged.score
        if score is None:
            if judged.against > 0 and (
                self.starved is None or len(judged.play.offers) < len(self.starved.play.offers)
            ):
                self.starved = judged
                self.keep("starved", judged)
            return None
        if self.best is None or score > (self.best.score or 0):
            self.best = judged
            self.keep("worst", judged)
            self.trail.append((self.judge.count, float(score)))
        return score


def _tournament(rng: Rng, kept: list[tuple[Fraction, Judged]]) -> Judged:
    """Return the better of two at random (they stand in order)."""
    return kept[int(rng.integers(len(kept), size=2).min())][1]
