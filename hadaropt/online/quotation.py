"""What a primal-dual policy charges on an instance: its rounded price tables, and each arrival."""

from __future__ import annotations

from dataclasses import dataclass, field

from hadaropt.errors import InstanceError, shown
from hadaropt.instance import Instance
from hadaropt.modes import is_pooled
from hadaropt.online.foreknowledge import Foreknowledge, compute_foreknowledge
from hadaropt.online.prices.function import PriceFunction
from hadaropt.online.prices.registry import make_price
from hadaropt.online.prices.rounding import RoundedTables, round_tables
from hadaropt.online.primal_dual import Arrival, Decisions, commit_at_arrival
from hadaropt.policies import PrimalDual
from hadaropt.pricing.small import plain_if_small
from hadaropt.results import Pool


@dataclass(frozen=True)
class Quotation:
    """How a primal-dual policy prices an instance.

    Attributes
    ----------
    pooled : bool
        Whether nodes do not matter: a gang that fits the free GPUs of the types fits the nodes.
    pool : {"type", "node"}
        Whether prices are per type or per node.
    truth : Foreknowledge
        The true U, L and m of the instance.
    told : Foreknowledge
        What the price function is told: ``truth``, unless the policy declares other values.
    price : PriceFunction
    tables : RoundedTables
        What the function returns for ``told``, on the grid on which the algorithm computes.
    """

    pooled: bool
    pool: Pool
    truth: Foreknowledge
    told: Foreknowledge
    price: PriceFunction = field(compare=False)  # its tables are compared
    tables: RoundedTables


def quote(instance: Instance, policy: PrimalDual, price: PriceFunction | None = None) -> Quotation:
    """Return the price tables of a policy on an instance.

    Parameters
    ----------
    instance : Instance
    policy : PrimalDual
    price : PriceFunction, optional
        Instead of that of the policy.

    Raises
    ------
    InstanceError
        If the policy cannot pool its prices as it is told to, or a table breaks a rule.
    """
    if price is None:
        price = make_price(policy.price) if isinstance(policy.price, str) else policy.price
    pooled = is_pooled(instance)
    automatic: Pool = "type" if pooled else "node"
    pool: Pool = automatic if policy.pool == "auto" else policy.pool
    truth = compute_foreknowledge(instance, pool)
    told = (policy.foreknowledge or truth).scaled(U=policy.U, L=policy.L, m=policy.m)
    tables = round_tables(price.name, told, price.tables(told))
    if tables.marginals is not None and pool == "type" and not pooled:
        rule = (
            f"must be node (or auto) here: {price.name} charges by the bundle, which needs nodes "
            "not to matter"
        )
        raise InstanceError("pool", rule, shown(pool))
    return Quotation(pooled, pool, truth, told, price, tables)


def record_arrivals(
    instance: Instance, policy: PrimalDual
) -> tuple[Decisions, tuple[Arrival, ...]]:
    """Return the decisions of a primal-dual policy, as in `run_online`, and all arrivals."""
    quoted = quote(instance, policy)
    arrivals: list[Arrival] = []
    scale = quoted.told.scale
    with plain_if_small(instance):
        decisions = commit_at_arrival(instance, quoted.tables, quoted.pool, scale, arrivals.append)
    return decisions, tuple(arrivals)
