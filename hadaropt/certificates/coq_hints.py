"""Hints with which the verified checker sees the bound of a leaf of a tree with little work.

A hint states, for every job, an upper bound on its payoff and a price of progress. The checker
takes nothing from them: it drops what cannot exceed the bounds, and where they prove too little it
computes the payoffs. Where it can be seen so, payoffs are bounded in units of the prices: short
numbers are fast to add.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import numpy as np

from hadaropt.certificates.coq_tokens import digits, integer, items, scaled
from hadaropt.certificates.tree import Ability, Evaluated, Evaluator, paths
from hadaropt.certificates.tree_document import Tree
from hadaropt.instance import Instance

GRID = 16
"""Prices of progress that are tried at once."""
PRICE_BITS = 5
"""Of a price of progress that labels are compared by."""
MAX_UNITS = 500
"""Of the progress of a job: finer ones make no more labels."""
MARGIN = 32
"""What rounding may add to a ceiling, in units of the bounds."""


@dataclass(frozen=True)
class Hints:
    """Hints for the leaves of a tree.

    Attributes
    ----------
    worths : dict
        Unit of prices -> utilities by job and flow time, in that unit, rounded up.
    leaves : dict
        Leaf -> a term of type ``CheckerTree.hint``.
    cells : dict
        Leaf -> about how much work its bound is, in (round, unit of progress) of a job.
    """

    worths: Mapping[int, tuple[tuple[int, ...], ...]]
    leaves: Mapping[int, str]
    cells: Mapping[int, int]

    @property
    def worths_term(self) -> str:
        """A term of type ``list CheckerTree.worths``."""
        return items(
            (f"({integer(unit)}, rows {digits(rows)})" for unit, rows in self.worths.items()),
            "\n  ",
        )


@dataclass(frozen=True)
class LeafFacts:
    """What the evaluation of a leaf finds.

    Attributes
    ----------
    payoffs : tuple of Fraction
        Of every job.
    supply : Fraction
        What the cluster and the right sides of the cuts cost.
    priced : tuple of (float, float)
        Of every job, a price of progress and what it proves of the payoff: see `progress_price`.
    """

    payoffs: tuple[Fraction, ...]
    supply: Fraction
    priced: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, instance: Instance, found: Evaluated) -> LeafFacts:
        """Return the facts of a leaf that has been evaluated."""
        able = found.evaluator.abilities(found.leaf, found.answers)
        return cls(
            found.payoffs,
            found.evaluator.supply(found.leaf),
            tuple(progress_price(instance, j, a) for j, a in enumerate(able)),
        )


def facts_of_leaves(instance: Instance, tree: Tree, *, by_node: bool) -> dict[int, LeafFacts]:
    """Return the facts of all leaves that some schedule can reach and that claim a bound."""
    evaluator = Evaluator(instance, tree, by_node)
    facts = {}
    for i, answers in paths(tree):
        leaf = tree.leaves[i]
        payoffs = None if leaf.bound is None else evaluator.payoffs(leaf, answers)
        if payoffs is not None:
            found = Evaluated(i, leaf, answers, tuple(payoffs), evaluator)
            facts[i] = LeafFacts.of(instance, found)
    return facts


def leaf_hints(
    instance: Instance,
    tree: Tree,
    facts: Mapping[int, LeafFacts],
    *,
    scale: int,
    units: Sequence[int],
    divisors: Sequence[int],
) -> Hints:
    """Return the hints of all leaves whose bound the checker can see with them.

    Parameters
    ----------
    instance : Instance
    tree : Tree
    facts : mapping of int to LeafFacts
        By leaf; others get no hint.
    scale : int
        Numbers are multiples of 1/scale.
    units : sequence of int
        Of each price vector and the cuts charged beside it: what its numbers are multiples of.
    divisors : sequence of int
        What the checker divides the progress of each job by.
    """
    worths: dict[int, tuple[tuple[int, ...], ...]] = {}
    found, cells = {}, {}
    for i, fact in facts.items():
        leaf = tree.leaves[i]
        cells[i] = _cells(instance, divisors, frozenset())
        if leaf.bound is None:
            continue
        own = units[leaf.prices]
        room = (leaf.bound - fact.supply) * scale
        size = Fraction(scale, own)
        kind, bounds = "Coarse", [ceil(payoff * size) for payoff in fact.payoffs]
        left = floor(room / own) - sum(bounds)
        if left < 0:
            kind, bounds = "Fine", [scaled(payoff, scale) for payoff in fact.payoffs]
            left = floor(room) - sum(bounds)
        elif own not in worths:
            worths[own] = tuple(
                tuple(ceil(value * scale / own) for value in instance.utility_values(j))
                for j in range(len(instance.jobs))
            )
        if left < 0:
            continue
        per = size if kind == "Coarse" else Fraction(scale)
        ceilings = [ceil(Fraction(most) * per) for _, most in fact.priced]
        raised, seen = _raised(bounds, ceilings, left)
        cells[i] = _cells(instance, divisors, seen)
        prices = [
            round(Fraction(price) * divisor * size)
            for (price, _), divisor in zip(fact.priced, divisors, strict=True)
        ]
        pairs = [
            n
            for j, (bound, price) in enumerate(zip(raised, prices, strict=True))
            for n in (bound, price if j in seen else short(price))
        ]
        found[i] = f"({kind} (pairs {digits([pairs])}))"
    return Hints(worths, found, cells)


def _cells(instance: Instance, divisors: Sequence[int], seen: frozenset[int]) -> int:
    """Return the rounds of all jobs, times their units of progress but for those seen easily."""
    return sum(
        max(0, instance.num_rounds - job.release)
        * (1 if j in seen else min(MAX_UNITS, ceil(Fraction(job.iterations, divisors[j]))))
        for j, job in enumerate(instance.jobs)
    )


def short(price: int) -> int:
    """Return a price about so large with few binary digits that are not 0: fast to multiply."""
    cut = max(0, price.bit_length() - PRICE_BITS)
    return ((price >> cut) + (price >> cut - 1 & 1 if cut else 0)) << cut


def _raised(
    bounds: Sequence[int], ceilings: Sequence[int], left: int
) -> tuple[list[int], frozenset[int]]:
    """Return the bounds, some of them raised, by ``left`` in all; and which are seen easily.

    First, those that are raised least by it, to what is seen without labels; the others equally.
    """
    raised, seen = list(bounds), set()
    for j in sorted(range(len(raised)), key=lambda j: ceilings[j] - bounds[j]):
        more = max(0, ceilings[j] + MARGIN - bounds[j])
        if more > left:
            break
        raised[j] += more
        left -= more
        seen.add(j)
    share = left // max(1, len(raised) - len(seen))
    return [bound + (0 if j in seen else share) for j, bound in enumerate(raised)], frozenset(seen)


def progress_price(instance: Instance, j: int, able: Ability | None) -> tuple[float, float]:
    """Return a price of progress at which it hardly pays job j to make any it does not need.

    And what it proves of the payoff: of max_f (U_j(f) + sum of max(0, lam p - cost) over rounds to
    f) - lam Q_j, over rounds f by which Q_j can be made, about the least. It bounds the payoff of
    completing for any lam >= 0. The price is 0, which is as valid, for a job that cannot complete,
    and where numbers are beyond floats.
    """
    if able is None or able.first > able.last or not able.options.progress:
        return 0.0, 0.0
    try:
        return _least_price(instance, j, able)
    except OverflowError:
        return 0.0, 0.0


def _least_price(instance: Instance, j: int, able: Ability) -> tuple[float, float]:
    options, start = able.options, instance.jobs[j].release
    progress = np.array(options.progress, dtype=np.float64)
    cost = np.array(options.cost[start:], dtype=np.float64) / able.scale
    cost[options.cost[start:] >= options.unavailable] = np.inf
    finite = np.isfinite(cost)
    top = float((cost / progress)[finite].max(initial=0.0))
    rounds = np.arange(able.first, able.last + 1)
    reach = np.where(finite, progress, 0.0).max(axis=1).cumsum()
    rounds = rounds[reach[rounds - start] >= instance.jobs[j].iterations]
    if not rounds.size:
        return 0.0, 0.0
    worth = np.array([float(instance.value(j, f)) for f in rounds.tolist()])
    low = 0.0
    best, least = 0.0, float(worth.max())
    for _ in range(3):
        if top <= low:
            break
        grid = np.linspace(low, top, GRID)
        gain = np.max(grid[:, None, None] * progress - cost, axis=2, initial=0.0).cumsum(axis=1)
        ahead = (gain[:, rounds - start] + worth).max(axis=1)
        bound = ahead - grid * instance.jobs[j].iterations
        k = int(np.argmin(bound))
        best, least = float(grid[k]), float(bound[k])
        step = (top - low) / (GRID - 1)
        low, top = max(0.0, best - step), best + step
    return best, least
