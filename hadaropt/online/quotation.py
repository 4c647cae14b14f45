"""The price tables of a primal-dual policy on an instance, and what it does at each arrival."""

from __future__ import annotations

from dataclasses import dataclass

from hadaropt.errors import InstanceError, shown
from hadaropt.instance import Instance
from hadaropt.modes import is_pooled
from hadaropt.online.foreknowledge import Foreknowledge, compute_foreknowledge
from hadaropt.online.prices.exponential import PRICES
from hadaropt.online.prices.tables import PriceTables
from hadaropt.online.primal_dual import Arrival, Decisions, commit_at_arrival
from hadaropt.policies import PrimalDual
from hadaropt.results import Pool


@dataclass(frozen=True)
class Quotation:
    """How a primal-dual policy prices an instance.

    Attributes
    ----------
    pooled : bool
        Whether nodes do not matter.
    pool : {"type", "node"}
    truth, told : Foreknowledge
        Right, and as the prices are told.
    tables : PriceTables
    """

    pooled: bool
    pool: Pool
    truth: Foreknowledge
    told: Foreknowledge
    tables: PriceTables


def quote(instance: Instance, policy: PrimalDual) -> Quotation:
    """Return the price tables of a policy on an instance.

    Raises
    ------
    InstanceError
        If the policy cannot pool its prices as it is told to.
    """
    pooled = is_pooled(instance)
    automatic: Pool = "type" if pooled else "node"
    pool: Pool = automatic if policy.pool == "auto" else policy.pool
    if policy.price in ("last_unit", "telescoped") and pool == "type" and not pooled:
        rule = f"must be node (or auto) here: {policy.price} prices need nodes not to matter"
        raise InstanceError("pool", rule, shown(pool))
    truth = compute_foreknowledge(instance, pool)
    told = (policy.foreknowledge or truth).scaled(U=policy.U, L=policy.L, m=policy.m)
    return Quotation(pooled, pool, truth, told, PRICES[policy.price](told, told.scale))


def record_arrivals(
    instance: Instance, policy: PrimalDual
) -> tuple[Decisions, tuple[Arrival, ...]]:
    """Return what a primal-dual policy decides (as in `run_online`), and each arrival."""
    quoted = quote(instance, policy)
    arrivals: list[Arrival] = []
    scale = quoted.told.scale
    decisions = commit_at_arrival(instance, quoted.tables, quoted.pool, scale, arrivals.append)
    return decisions, tuple(arrivals)
