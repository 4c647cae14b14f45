"""A task that needs nothing, and engines that misbehave on purpose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hadaropt.forking.training.copies import Report
from hadaropt.forking.training.engines.engine import Lost, SimulatedNodes


@dataclass(frozen=True)
class Slope:
    """Least squares in one unknown; the optimiser's counter counts the steps of a lineage."""

    name: str = "slope"
    metric: str = "minus error"
    higher_is_better: bool = True
    fails_at: float = 10.0
    """Steps of learning rate 1/8 never get w there: no failure by default."""

    def initial(self, seed):
        w = np.random.default_rng(seed).normal(size=1)
        return {"parameters": {"w": w}, "optimiser": {"t": 0}}

    def learner(self, state, rng):
        return SlopeLearner(self, state, rng)

    def score(self, state):
        return -float(abs(state["parameters"]["w"][0] - 3))


class SlopeLearner:
    def __init__(self, task, state, rng):
        self.task, self.rng = task, rng
        self.w, self.t = state["parameters"]["w"].copy(), state["optimiser"]["t"]

    def advance(self, steps):
        for _ in range(steps):
            x = self.rng.normal()
            self.w -= (self.w * x - 3 * x) * x / 8
        self.t += steps
        return float("nan") if self.w[0] > self.task.fails_at else float((self.w[0] - 3) ** 2)

    def state(self):
        return {"parameters": {"w": self.w.copy()}, "optimiser": {"t": self.t}}


class Misbehaving(SimulatedNodes):
    """Draws what becomes of each copy; reports late and twice; nodes come and go.

    Parameters
    ----------
    speeds : mapping
    draw : callable
        ``draw(n)`` returns 0..n-1.
    """

    def __init__(self, speeds, draw, mishaps=30):
        super().__init__(speeds)
        self.everybody, self.draw, self.mishaps = dict(speeds), draw, mishaps
        self.kept = []

    def chance(self):
        if self.mishaps and self.draw(3) == 0:
            self.mishaps -= 1
            return True
        return False

    def nodes(self):
        for node in self.everybody:
            if self.chance():
                if node not in self.speeds:
                    self.speeds[node] = self.everybody[node]
                elif len(self.speeds) > 1:
                    del self.speeds[node]
        if not self.mishaps:
            self.speeds = dict(self.everybody)
        return super().nodes()

    def finished(self, timeout):
        self.speeds = {**self.everybody, **self.speeds}
        ended = super().finished(timeout) + self.kept
        self.kept = []
        told = []
        for ticket, outcome in ended:
            if self.chance():
                fate = self.draw(5)
                if fate == 0:
                    outcome = Lost("drawn", by_node=bool(self.draw(2)))
                elif fate == 1:
                    self.kept.append((ticket, outcome))
                    continue
                elif fate == 2:
                    self.kept.append((ticket, outcome))
                elif isinstance(outcome, Report) and fate == 3:
                    outcome = outcome._replace(steps=self.draw(outcome.steps) + 1)
                elif isinstance(outcome, Report):
                    bad = {"parameters": {"w": np.array([np.nan])}, "optimiser": {"t": 1}}
                    outcome = outcome._replace(state=bad)
            told.append((ticket, outcome))
        return told

    def forget(self, ticket):
        """Nothing is forgotten: what was given up reports late."""
