"""Cells of a ratio suite, made up."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hadaropt.results import ratio


@dataclass(frozen=True)
class Cell:
    policy: str
    primal: Fraction
    best: Fraction
    bound: Fraction
    parallelism: str = "mixed"
    family: str = "small"
    seed: int = 0
    certified: float = 50.0
    theorem: str = ""
    guarantee: float = float("inf")
    vacuous: bool = False

    @property
    def ratio_low(self) -> float:
        return ratio(self.best, self.primal)

    @property
    def ratio_high(self) -> float:
        return ratio(self.bound, self.primal)


def cell(policy: str, primal: int, best: int, bound: int, **more: object) -> Cell:
    return Cell(policy, Fraction(primal), Fraction(best), Fraction(bound), **more)  # type: ignore[arg-type]


CELLS = [
    cell("fifo", 10, 20, 20),
    cell("fifo", 10, 15, 30),
    cell("fifo", 0, 5, 5),
    cell("fifo", 0, 0, 0),
    cell("greedy", 10, 10, 10),
    cell("greedy", 4, 4, 4, parallelism="forked"),
    cell("priced", 10, 20, 20, theorem="T7", guarantee=40.0, vacuous=True),
    cell("priced", 10, 11, 12, theorem="T7", guarantee=7.0),
    cell("priced", 0, 7, 7, theorem="T7"),
]
