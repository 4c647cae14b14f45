"""Runs with posted prices on which both verifiers have to give the same verdict.

Genuine ones of every price function, and the same tampered with: prices, charges, places, constant,
additive, payoffs and schedule. Every case comes from a seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

import hadaropt
from hadaropt import Instance, Schedule
from hadaropt.certificates import Certificate, certify
from hadaropt.certificates.posted_document import Posted, Table
from hadaropt.policies import PrimalDual
from tests.certificates.corpus import Case
from tests.certificates.odd import odd_instance

PRICES = ("zero_start", "exponential", "last_unit", "telescoped", "linear", "step")


def run_cases(seed: int) -> Iterator[Case]:
    """Yield the runs of one seed, genuine and tampered with."""
    rng = Random(seed)
    instance = odd_instance(rng, max_jobs=3)
    made = certify(
        instance, hadaropt.run_online(instance, PrimalDual(PRICES[seed % 6])), posted=True
    )
    if made.posted is None:
        return
    yield "genuine run", instance, made
    yield from tampered_claims(rng, instance, made)
    yield from tampered_prices(rng, instance, made, made.posted)


def tampered_claims(rng: Random, instance: Instance, made: Certificate) -> Iterator[Case]:
    """Yield a run with another constant, additive, payoff or schedule."""
    assert made.theorem is not None
    for name in ("constant", "additive"):
        exact = Fraction(made.theorem[name])
        for step in (Fraction(1, 10**6), Fraction(-1, 10**6), Fraction(-1), -exact):
            theorem = {**made.theorem, name: str(exact + step)}
            yield f"{name} moved", instance, replace(made, theorem=theorem)
    for name, payoff in made.upper_payoffs.items():
        step = rng.choice((Fraction(1), Fraction(1, 3)))
        assert made.bound is not None
        yield (
            "payoff raised, with slack",
            instance,
            replace(
                made,
                upper_payoffs={**made.upper_payoffs, name: payoff + step},
                bound=made.bound + step,
                slack=made.slack + step,
                guarantee=None,  # Python alone judges it
            ),
        )
    idle = certify(instance, made.prices, schedule=Schedule.empty(instance))
    yield "nobody runs", instance, replace(idle, posted=made.posted, theorem=made.theorem)


def tampered_prices(
    rng: Random, instance: Instance, made: Certificate, posted: Posted
) -> Iterator[Case]:
    """Yield a run with another table, or with tables at other places."""
    for i, table in enumerate(posted.tables):
        for other in tampered_tables(rng, table):
            tables = (*posted.tables[:i], other, *posted.tables[i + 1 :])
            yield "table moved", instance, replace(made, posted=replace(posted, tables=tables))
    place = rng.choice(sorted(posted.table_of))
    fewer = {at: i for at, i in posted.table_of.items() if at != place}
    swapped = {**posted.table_of, place: rng.randrange(len(posted.tables))}
    for kind, table_of in (("place left out", fewer), ("place moved", swapped)):
        yield kind, instance, replace(made, posted=replace(posted, table_of=table_of))
    for factor in (2, Fraction(1, 2)):
        scaled = replace(posted, scale=posted.scale * factor)
        yield "scale moved", instance, replace(made, posted=scaled)


def tampered_tables(rng: Random, table: Table) -> Iterator[Table]:
    """Yield a table with one number changed, or one more or less."""
    prices, charges = table.prices, table.charges
    g = rng.randrange(len(prices))
    for step in (1, -1, rng.choice((-9, 9, 1000))):
        moved = max(0, prices[g] + step)
        yield replace(table, prices=(*prices[:g], moved, *prices[g + 1 :]))
    yield replace(table, prices=tuple(2 * price for price in prices))
    if len(prices) > 1:
        yield replace(table, prices=prices[:-1])
    yield replace(table, prices=(*prices, prices[-1]))
    yield replace(table, charges=tuple((price,) * len(prices) for price in prices))
    if charges:
        row = rng.randrange(len(charges))
        for other in ((), tuple(charge + rng.choice((1, 50)) for charge in charges[row])):
            yield replace(table, charges=(*charges[:row], other, *charges[row + 1 :]))
        yield replace(table, charges=charges[:-1])
        yield replace(table, charges=None)
