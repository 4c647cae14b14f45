"""Prices calibrated on an earlier instance: yesterday's trace tells what is not known of today's.

A primal-dual policy is told U, L and m of the earlier instance, by type of GPU, instead of its own
instance's; of that it uses nothing but the size of the cluster and the grid. Its certificate judges
it: D(k) of its final prices is a bound whatever they were calibrated on. A theorem is claimed only
where its hypotheses, checked for the true U, L and m, hold on the tables.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, get_args

from hadaropt.errors import InstanceError, shown
from hadaropt.instance import Instance
from hadaropt.interrupts import uninterrupted
from hadaropt.names import known_name
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.online.foreknowledge import Foreknowledge, compute_foreknowledge
from hadaropt.online.prices.exponential import Exponential
from hadaropt.online.prices.tables import Resource
from hadaropt.online.quotation import quote
from hadaropt.online.run import run_quoted
from hadaropt.policies import Policy, PrimalDual
from hadaropt.results import OnlineRun

Source = Literal["bounds", "duals"]
SOLVE_SECONDS = 20.0
"""Limit of the solve of the earlier instance, whose dual prices are taken."""


@dataclass(frozen=True)
class Calibrated(Policy):
    """A primal-dual policy that is told what an earlier instance was like.

    Parameters
    ----------
    inner : PrimalDual
    source : {"bounds", "duals"}
        ``bounds``: U, L and m of the earlier instance. ``duals``: U and m; and the exponential
        prices of a type begin at its mean dual price in the earlier instance's optimum.
    earlier : Instance, optional
        Given by the bench before the run.
    """

    inner: PrimalDual
    source: Source = "bounds"
    earlier: Instance | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        known_name("calibrated", self.source, get_args(Source))
        if self.source == "duals" and self.inner.price != "exponential":
            rule = f"must be bounds for {self.inner.price_name} prices; exponential ones take duals"
            raise InstanceError("calibrated", rule, shown(self.source))

    @property
    def name(self) -> str:
        """Name for tables."""
        name, own = self.inner.name, f"calibrated={self.source}"
        return f"{name[:-1]},{own}]" if name.endswith("]") else f"{name}[{own}]"


def run_calibrated(instance: Instance, policy: Calibrated) -> OnlineRun:
    """Run the policy on an instance.

    Raises
    ------
    InstanceError
        If there is no earlier instance.
    """
    earlier, inner = policy.earlier, policy.inner
    if earlier is None:
        rule = "has no earlier instance here: it takes part in bench on generated families"
        raise InstanceError("policy", rule, shown(policy.name))
    started = time.perf_counter()
    truth = quote(instance, inner).truth
    known = compute_foreknowledge(earlier, "type")
    told = transfer(truth, instance, known, earlier)
    price = None
    if policy.source == "duals":
        price = Exponential(start=dual_level(instance, told, earlier))
    quoted = quote(instance, replace(inner, foreknowledge=told), price)
    run = replace(run_quoted(instance, inner, quoted), policy=policy.name)
    return replace(run, seconds=time.perf_counter() - started)


def transfer(
    truth: Foreknowledge, instance: Instance, known: Foreknowledge, earlier: Instance
) -> Foreknowledge:
    """Return what is told about ``instance``: per type the largest U and m of the earlier one.

    Types are known by name; one that was worth nothing then gets the largest U of all.
    """
    names, old = instance.cluster.accelerators, earlier.cluster.accelerators
    most: dict[str, Fraction] = {}
    widest: dict[str, int] = {}
    for place, value in known.value_per_unit.items():
        name = old[place[-1]]
        most[name] = max(most.get(name, Fraction(0)), value)
        widest[name] = max(widest.get(name, 1), known.bundle[place])
    top, wide = max(most.values(), default=Fraction(0)), max(widest.values(), default=1)
    bundle = {
        place: min(capacity, widest.get(names[place[-1]], wide))
        for place, capacity in truth.capacity.items()
    }
    return replace(
        truth,
        value_per_unit={place: most.get(names[place[-1]]) or top for place in truth.capacity},
        bundle=bundle,
        least_density=known.least_density,
        first_value=known.first_value,
        least_best_value=known.least_best_value,
        most_units=known.most_units,
        widest=max(bundle.values(), default=1),
        scale=min(truth.scale, known.scale),
        origin=f"computed from an earlier instance ({earlier.name or 'unnamed'})",
    )


def dual_level(
    instance: Instance, told: Foreknowledge, earlier: Instance
) -> Mapping[Resource, Fraction]:
    """Return where the price of each resource begins: the mean dual price of its type.

    At least the least density, where GPUs were not scarce; the mean is over the rounds.
    """
    prices = uninterrupted(branch_and_price(earlier, time_limit=SOLVE_SECONDS)).prices
    means: dict[str, Fraction] = {}
    if prices is not None:
        counts = earlier.cluster.capacity
        for r, name in enumerate(earlier.cluster.accelerators):
            own = prices.units[..., r].astype(object)  # (T,) or (T, H)
            weights = 1 if own.ndim == 1 else [row[r] for row in counts]
            sold = earlier.num_rounds * (1 if own.ndim == 1 else sum(row[r] for row in counts))
            total = int((own * weights).sum())
            means[name] = Fraction(total) / prices.scale / sold if sold else Fraction(0)
    names = instance.cluster.accelerators
    return {
        place: max(told.least_density, means.get(names[place[-1]], Fraction(0)))
        for place in told.capacity
    }
