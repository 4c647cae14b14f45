"""Building certificates from runs, solver answers or prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from numbers import Integral
from typing import TYPE_CHECKING

from hadaropt.certificates.check import RELAX_FIRST
from hadaropt.certificates.format import Certificate
from hadaropt.certificates.options import ExactPrices
from hadaropt.certificates.payoffs import max_payoffs
from hadaropt.certificates.posted import check_applied
from hadaropt.certificates.posted_document import posted_of
from hadaropt.certificates.tree_document import parse_tree
from hadaropt.errors import CertificateError, InstanceError, LimitError, check_type, shown
from hadaropt.exact import to_fraction, to_text
from hadaropt.frozen import thaw
from hadaropt.instance import Instance
from hadaropt.io import instance_sha256
from hadaropt.io.schedules import shared_document
from hadaropt.results import OnlineRun, Prices, Result, RoundRun, Theorem
from hadaropt.schedule import Schedule, check_schedule

if TYPE_CHECKING:
    from hadaropt.io.documents import Document

Priced = Prices | Mapping[tuple[int, ...], Fraction] | None
Source = OnlineRun | Result | Priced


def certify(
    instance: Instance,
    run_or_prices: Source,
    *,
    schedule: Schedule | None = None,
    posted: bool = False,
) -> Certificate:
    """Return a certificate of a schedule's value and of a bound on the optimum.

    Level L1: D(k) = sum_j mu*_j(k) + sum c k >= OPT for any prices k >= 0, with the exact maximum
    payoffs mu*_j over ALL schedules of job j. The bound of an online run whose policy has no
    prices is that of zero prices. Without prices (None, or an answer of a solver that has none) the
    certificate is of level L0.

    Parameters
    ----------
    instance : Instance
    run_or_prices : OnlineRun, Result, Prices, mapping or None
        Where prices (and, for runs and answers, the schedule) come from. A mapping goes from
        (t, r) or (t, h, r) to the price.
        {} stands for prices of 0.
    schedule : Schedule, optional
        The schedule to pair with the bound; by default that of the run, else the empty one.
    posted : bool
        State the price tables of an online run too, so that its theorem can be checked. They are
        left out where the verifier cannot tell: the run has no theorem or one of mixed bundles
        (T14), a schedule of its own is given, payoffs are relaxed, or there are too many prices.

    Raises
    ------
    ScheduleError
        If the schedule is infeasible.
    InstanceError
        If a price of a mapping is negative or no number, or its place none of the instance.
    TypeError
        If an argument is of another kind, such as a `RoundRun`, which has no prices.
    """
    check_type("instance", instance, Instance, "certify(instance, run)")
    _check_source(run_or_prices)
    if schedule is not None:
        check_type("schedule", schedule, Schedule, "such as run.schedule")
    source = run_or_prices
    theorem = tables = None
    if isinstance(source, OnlineRun | Result):
        if posted and isinstance(source, OnlineRun) and schedule in (None, source.schedule):
            tables = source.posted
        schedule = source.schedule if schedule is None else schedule
        theorem = source.theorem if isinstance(source, OnlineRun) else None
        if isinstance(source, Result) and source.branching_tree is not None:
            return _tree_certificate(instance, source, schedule or Schedule.empty(instance))
        priced: Priced = source.prices
        if priced is None and isinstance(source, OnlineRun):
            priced = {}
    else:
        priced = source
    if schedule is None:
        schedule = Schedule.empty(instance)
    document = shared_document(instance, schedule)
    # As just checked: twice would take long where jobs are many.
    value, sha = Fraction(str(document["objective"])), str(document["instance_sha256"])
    if priced is None:
        return Certificate(sha, "L0", instance.parallelism, value, document)
    prices = price_map(priced) if isinstance(priced, Prices) else _price_mapping(instance, priced)
    by_node = any(len(place) == 3 for place in (*prices, *(tables.tables if tables else ())))
    exact = ExactPrices.of(instance, prices, by_node=by_node)
    large = len(instance.jobs) * instance.num_rounds >= RELAX_FIRST
    everyone = frozenset(range(len(instance.jobs)))
    payoffs = max_payoffs(instance, exact, relaxed=everyone if large else frozenset())
    made = Certificate(
        sha,
        "L1",
        instance.parallelism,
        value,
        document,
        "node" if by_node else "type",
        {place: price for place, price in prices.items() if price != 0},
        {job.name: m for job, m in zip(instance.jobs, payoffs.upper, strict=True) if m},
        sum(payoffs.upper, Fraction(0)) - sum(payoffs.lower, Fraction(0)),
        payoffs.bound,
        None if theorem is None else theorem_document(theorem),
        guarantee=None if theorem is None else _guarantee(instance, theorem, value, payoffs.bound),
    )
    if tables is None or theorem is None or large:
        return made
    stated = replace(made, posted=posted_of(tables))
    try:
        claim = (theorem.id, theorem.constant, theorem.additive)
        check_applied(instance, stated, claim, schedule, payoffs.upper)
    except (CertificateError, LimitError):
        return made
    return stated


def _check_source(source: object) -> None:
    """Check that a certificate can be made of an object."""
    if source is None or isinstance(source, OnlineRun | Result | Prices | Mapping):
        return
    kind = type(source).__name__
    if isinstance(source, RoundRun):
        rule = "has no prices: give certify(instance, {}, schedule=run.schedule), for prices of 0"
        raise TypeError(f"run_or_prices: a {kind} {rule}")
    rule = "must be an OnlineRun, a Result, Prices, a mapping of (round, type) to prices, or None"
    raise TypeError(f"run_or_prices = {shown(source)}, {rule}, not {kind}")


def _price_mapping(
    instance: Instance, given: Mapping[tuple[int, ...], Fraction]
) -> dict[tuple[int, ...], Fraction]:
    """Return given prices, exact, each at a place of the instance, all in one form."""
    cluster = instance.cluster
    shapes: dict[int, tuple[int, ...]] = {
        2: (instance.num_rounds, len(cluster.accelerators)),
        3: (instance.num_rounds, len(cluster.nodes), len(cluster.accelerators)),
    }
    found: dict[tuple[int, ...], Fraction] = {}
    form = len(next((place for place in given if isinstance(place, tuple)), ()))
    for place, price in given.items():
        path = f"prices[{shown(place)}]"
        shape = shapes.get(form, ())
        if not isinstance(place, tuple) or len(place) != len(shape):
            rule = "must be at a place (round, type), or each at (round, node, type)"
            raise InstanceError(path, rule, shown(price))
        if not all(
            isinstance(i, Integral) and 0 <= i < n for i, n in zip(place, shape, strict=True)
        ):
            rule = f"must be at a place of the instance, below {shape} in each part"
            raise InstanceError(path, rule, shown(price))
        exact = to_fraction(price, path)
        if exact < 0:
            raise InstanceError(path, "must be >= 0", to_text(exact))
        found[tuple(map(int, place))] = exact
    return found


def _guarantee(
    instance: Instance, theorem: Theorem, value: Fraction, bound: Fraction
) -> tuple[Fraction, Fraction] | None:
    """Return the constants of the theorem if what it promises follows from the bound alone.

    It need not: the promise of T9 is not one on D(k), and relaxed payoffs raise the bound.
    """
    follows = instance.round_down(bound, quick=True) <= theorem.constant * value + theorem.additive
    return (theorem.constant, theorem.additive) if follows else None


def _tree_certificate(instance: Instance, result: Result, schedule: Schedule) -> Certificate:
    value = check_schedule(instance, schedule).value
    certificate = Certificate(
        instance_sha256(instance),
        "L2",
        instance.parallelism,
        value,
        shared_document(instance, schedule),
        "type" if result.prices is None else result.prices.pool,
        bound=value,
        tree=thaw(result.branching_tree or {}),
    )
    leaves = parse_tree(instance, certificate).leaves.values()
    bounds = (leaf.bound for leaf in leaves if leaf.bound is not None)
    rounded = (instance.round_down(bound) for bound in bounds)
    return replace(certificate, bound=max(value, *rounded, value))


def price_map(prices: Prices) -> dict[tuple[int, ...], Fraction]:
    """Return the positive prices as a sparse mapping."""
    places = (tuple(int(i) for i in index) for index in zip(*prices.units.nonzero(), strict=True))
    return {place: prices.price(*place) for place in places}


def theorem_document(theorem: Theorem) -> Document:
    """Return the theorem as a document."""
    return {
        "id": theorem.id,
        "constant": to_text(theorem.constant),
        "additive": to_text(theorem.additive),
        "foreknowledge": list(theorem.foreknowledge),
    }
