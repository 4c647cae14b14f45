"""What every price function owes."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from fractions import Fraction

from hadaropt.errors import check_type
from hadaropt.instance import Instance
from hadaropt.policies import PriceFunction, PrimalDual
from hadaropt.results import Pool
from hadaropt.testing.conforming import conforming
from hadaropt.testing.policy import assert_policy_conforms, known_optimum


def assert_price_conforms(
    price: PriceFunction | str,
    instance: Instance,
    *,
    theorem: bool = False,
    optimum: Fraction | None = None,
) -> None:
    """Assert what every price function owes, on one instance, with prices per type and per node.

    Tables: one per resource, of the right length, exact, >= 0, non-decreasing. Equal foreknowledge
    gives equal tables and is left as it was. The policy ``PrimalDual(price=price)`` conforms
    (`assert_policy_conforms`): above all its certificate is accepted. Where a theorem holds,
    OPT <= constant P + additive.

    Parameters
    ----------
    price : PriceFunction or str
    instance : Instance
    theorem : bool
        Whether the hypotheses of the theorem have to hold as well, at right foreknowledge.
    optimum : Fraction, optional
        As in `assert_policy_conforms`.

    Raises
    ------
    AssertionError
        If a rule is broken, the price function raises, or there is none of that name.
    TypeError
        If ``price`` is neither a price function nor a name, or ``instance`` is none.
    """
    from hadaropt.modes import is_pooled
    from hadaropt.online.foreknowledge import compute_foreknowledge
    from hadaropt.online.prices.registry import make_price
    from hadaropt.online.prices.rounding import round_tables
    from hadaropt.online.run import run_online

    check_type("instance", instance, Instance, "such as one of testing.instances()")
    if isinstance(price, str):
        with conforming("price"):
            policy, function = PrimalDual(price=price), make_price(price)
    else:
        policy, function = PrimalDual(price=price), price
    best = known_optimum(instance, optimum)[0]
    for pool in _pools(is_pooled(instance)):
        known = compute_foreknowledge(instance, pool)
        before = deepcopy(known)
        with conforming(f"price {function.name}", "tables(known)"):
            first = round_tables(function.name, known, function.tables(known))
            again = round_tables(function.name, known, function.tables(known))
        if known != before:
            raise AssertionError(f"price {function.name} changes the foreknowledge that it is told")
        if first != again:
            raise AssertionError(f"price {function.name} is not deterministic")
        chosen = replace(policy, pool=pool)
        assert_policy_conforms(chosen, instance, optimum=optimum)
        run = run_online(instance, chosen)
        if run.theorem is None and theorem:
            raise AssertionError(f"price {function.name} has no theorem: {run.theorem_absent}")
        if run.theorem is not None:
            guarantee = run.theorem.constant * run.value + run.theorem.additive
            if best > guarantee:
                raise AssertionError(f"price {function.name}: OPT >= {best} > {guarantee}")


def _pools(pooled: bool) -> tuple[Pool, ...]:
    """Return how prices may be pooled with a theorem."""
    return ("type", "node") if pooled else ("node",)
