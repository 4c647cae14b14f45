"""Prices that learn L, the least value per GPU (theorem T18): not to be told costs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from hadaropt.errors import InstanceError, refuse_class, shown
from hadaropt.instance import Instance
from hadaropt.modes import is_pooled
from hadaropt.online.foreknowledge import Foreknowledge, compute_foreknowledge, least_densities
from hadaropt.online.mixed_hypotheses import check_learnt
from hadaropt.online.prices.doubling import Doubling
from hadaropt.online.prices.mixed_threshold import MixedThreshold
from hadaropt.online.prices.rounding import RoundedTables, round_tables
from hadaropt.online.primal_dual import Decisions, arrival_order, commit_one_by_one
from hadaropt.policies import Policy
from hadaropt.results import Pool, Theorem


@dataclass(frozen=True)
class LearntLeast(Policy):
    """The online primal-dual algorithm at prices for the least value per GPU that has come so far.

    When a job comes whose schedules may be worth less per GPU than all before, the tables are made
    anew for that L, and no price is raised by it: min(old, new). On one resource where each job
    offers one bundle, OPT <= rho P with the rho that the price function has for the least L of the
    instance (T18), although it was not told. U and m are told; `Doubling` does not use U.

    Parameters
    ----------
    price : MixedThreshold or Doubling
    """

    price: MixedThreshold | Doubling = field(default_factory=MixedThreshold)

    def __post_init__(self) -> None:
        refuse_class(self.price)
        if not isinstance(self.price, MixedThreshold | Doubling):
            raise InstanceError("price", "must be a MixedThreshold or Doubling", shown(self.price))

    @property
    def name(self) -> str:
        """Name for tables."""
        return f"learnt_least:{self.price.name}"


@dataclass(frozen=True)
class Learnt:
    """What was decided, and the tables that were posted.

    Attributes
    ----------
    decisions : Decisions
    truth : Foreknowledge
        The true U, m and L.
    pooled : bool
        Whether nodes do not matter.
    posted : tuple of (Fraction, RoundedTables)
        Each L, and the tables from the arrival of a job with that L on; in the order of time.
    """

    decisions: Decisions
    truth: Foreknowledge
    pooled: bool
    posted: tuple[tuple[Fraction, RoundedTables], ...]

    def theorem(self, policy: LearntLeast) -> tuple[Theorem | None, str]:
        """Return T18 if it holds for the tables that were posted, or why it does not."""
        if not self.pooled:
            return None, "nodes matter here: T18 is for one resource"
        checked = check_learnt(self.truth, self.posted)
        if checked.failure:
            return None, checked.failure
        theorem = Theorem(
            "T18",
            checked.constant,
            self.decisions.slack,
            ("m",) if isinstance(policy.price, Doubling) else ("U", "m"),
            self.posted[-1][1].closed_form if self.posted else None,
            self.truth.spread,
        )
        return theorem, ""


def play_learnt(instance: Instance, policy: LearntLeast) -> Learnt:
    """Run the policy: at the arrival of a job the tables are made for the least L so far."""
    pooled = is_pooled(instance)
    pool: Pool = "type" if pooled else "node"
    truth = compute_foreknowledge(instance, pool)
    density = least_densities(instance)
    posted: list[tuple[Fraction, RoundedTables]] = []

    def repost(j: int) -> RoundedTables | None:
        least = density[j]
        if least is None or (posted and posted[-1][0] <= least):
            return None
        told = replace(truth, least_density=least)
        tables = round_tables(policy.price.name, told, policy.price.tables(told))
        if posted:
            tables = _lower(posted[-1][1], tables)
        posted.append((least, tables))
        return tables

    # jobs before the first of any value buy nothing, at whatever prices
    first = next((j for j in arrival_order(instance) if density[j] is not None), None)
    start = None if first is None else repost(first)
    decisions = commit_one_by_one(instance, start, pool, truth.scale, repost=repost)
    return Learnt(decisions, truth, pooled, tuple(posted))


def _lower(old: RoundedTables, new: RoundedTables) -> RoundedTables:
    """Return the new tables, no price above the old one."""
    made: dict[tuple[int, int], tuple[int, ...]] = {}
    tables: Mapping[tuple[int, ...], tuple[int, ...]] = {
        place: made.setdefault(
            (id(old.tables[place]), id(row)), tuple(map(min, old.tables[place], row))
        )
        for place, row in new.tables.items()
    }
    return replace(new, tables=tables)
