"""That a theorem on posted prices applies: its hypotheses on the tables, and the run, both checked.

A price function posts, for every resource, the dual price d(g) of a GPU when g of its c GPUs are
sold, and what a bundle of w GPUs is charged then: C(g, w), which is w d(g) unless it charges by the
bundle. U, m and L are computed anew (`ranges_of`). For all g that a run can reach and all w <= m:

(M) d(g) <= d(g+1), d(0) >= 0.
(C) C(g, w) <= w d(g).
(F) if g + w > c, one resource prices the job out: d(g) >= U from g = c - m + 1 on.
(I) if g + w <= c: c (d(g+w) - d(g)) <= t1 C(g, w) + t2 L w, for some t1 >= 1, t2 >= 0 of the sum
    ``constant``.
(V) sum L w <= u: by how L is computed.

Then theorem T4, of which T5, T7, T8 and T11 are cases, says of every run that takes the best
schedule at the prices of its arrival: OPT <= constant P + sum c d(0). The cases are about tables of
a certain formula; that these tables follow it is not looked at, so what applies is called T4.

The run is played again: jobs in order of release, ties by index. Each accepted schedule has to be
irredundant and to be worth more than its charge, and the final prices have to be those of the
certificate. That no schedule paid better at its arrival is not looked at. What it is needed for is
checked instead: mu*_j at the final prices <= payoff at arrival + e_j, with sum e_j + sum c d(0) at
most ``additive``. With (I) and (V) this gives OPT <= constant P + additive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from hadaropt.certificates.format import Certificate
from hadaropt.certificates.options import gang_progress
from hadaropt.certificates.posted_document import Posted, Table
from hadaropt.certificates.ranges import Place, Ranges, ranges_of
from hadaropt.errors import CertificateError, InvariantError, LimitError
from hadaropt.exact import to_text
from hadaropt.instance import Instance
from hadaropt.schedule import Allocation, Schedule, allocation_progress

CHECKED = "T4"
"""The theorem whose hypotheses are (M), (C), (F), (I), (V): the one that is checked."""
COVERED = (CHECKED, "T5", "T7", "T8", "T11")
"""That theorem and its cases: what a certificate with posted prices may name."""
MAX_STEPS = 2_000_000
"""Pairs (g, w) of all tables together that are looked at."""


@dataclass(frozen=True)
class Applied:
    """That theorem T4 applies: OPT <= constant P + additive.

    Attributes
    ----------
    claimed : str
        The theorem that the certificate names: T4, or a case of it. That the tables are of the
        formula of the case is not checked.
    constant, additive : Fraction
    missed : Fraction
        Sum of the e_j: what the payoffs at the final prices exceed those at arrival by.
    """

    claimed: str
    constant: Fraction
    additive: Fraction
    missed: Fraction

    @property
    def id(self) -> str:
        """The theorem that was checked: T4, whatever case of it the certificate names."""
        return CHECKED


def check_applied(
    instance: Instance,
    certificate: Certificate,
    claim: tuple[str, Fraction, Fraction],
    schedule: Schedule,
    payoffs: Sequence[Fraction],
) -> Applied:
    """Check that theorem T4 applies to the price tables and the run of a certificate.

    Parameters
    ----------
    instance : Instance
    certificate : Certificate
        Of level L1, with posted prices.
    claim : (str, Fraction, Fraction)
        Id, constant and additive of the theorem.
    schedule : Schedule
        That of the certificate, feasible.
    payoffs : sequence of Fraction
        Upper bounds on mu*_j at the prices of the certificate.

    Raises
    ------
    CertificateError
        If a hypothesis fails, or the run is not the one that the prices describe.
    LimitError
        If there is too much to check.
    """
    posted = certificate.posted
    if posted is None:
        raise CertificateError("posted", "is missing: nothing says what the theorem is about")
    name, constant, additive = claim
    if certificate.pool == "type":
        _check_pooled(instance)
    ranges = ranges_of(instance, certificate.pool)
    if posted.table_of.keys() != ranges.capacity.keys():
        rule = "must name every place that has GPUs, and no other"
        raise CertificateError("posted.places", rule)
    _check_tables(posted, ranges, constant)
    start = sum((c * posted.price(place, 0) for place, c in ranges.capacity.items()), Fraction(0))
    earned, final = _replay(instance, posted, schedule)
    if final != {place: price for place, price in certificate.prices.items() if price}:
        raise CertificateError("prices", "must be those that the run leaves behind")
    missed = sum(
        (max(Fraction(0), best - payoff) for best, payoff in zip(payoffs, earned, strict=True)),
        Fraction(0),
    )
    if additive < start + missed:
        rule = (
            f"must be at least {to_text(start + missed)}: the prices at the start and what payoffs "
            "at the final prices exceed those at arrival by"
        )
        raise CertificateError("theorem.additive", rule, to_text(additive))
    bound = sum(payoffs, Fraction(0)) + sum(
        (ranges.capacity[place] * price for place, price in final.items()), Fraction(0)
    )
    if bound > constant * certificate.value + additive:
        raise InvariantError(f"{CHECKED} applies, but D = {bound} is above what it promises")
    return Applied(name, constant, additive, missed)


def _check_pooled(instance: Instance) -> None:
    """Check that a gang that fits the GPUs of the types fits the nodes, at the same speed."""
    for j, job in enumerate(instance.jobs):
        whole, spread = gang_progress(instance, j)
        if whole != spread or instance.max_copies(j) >= 2:
            rule = f"must be node: on types, {job.name} may be priced in and find no nodes"
            raise CertificateError("pool", rule, "type")


def _check_tables(posted: Posted, ranges: Ranges, constant: Fraction) -> None:
    """Check (M), (C), (F) and (I) on all tables; equal cases once."""
    L, scale = ranges.least_density, posted.scale
    if constant < 1:
        raise CertificateError("theorem.constant", "must be >= 1", to_text(constant))
    rising: set[int] = set()
    seen: set[tuple[int, int, int, int, Fraction]] = set()
    for place, c in ranges.capacity.items():
        i, m, U = posted.table_of[place], ranges.bundle[place], ranges.value_per_unit[place]
        if (i, c, m, ranges.reach[place], U) in seen:
            continue
        seen.add((i, c, m, ranges.reach[place], U))
        table, path = posted.tables[i], f"posted.tables[{i}]"
        _check_length(table, path, c, ranges.reach[place])
        if i not in rising:
            _check_monotone(table, path)
            rising.add(i)
        _check_late(table, path, c, m, U * scale)
    share = _Share(L, constant, Fraction(scale))
    steps = 0
    for (i, c), m in _widest(posted, ranges).items():
        table, path = posted.tables[i], f"posted.tables[{i}]"
        top = len(table.prices) - 1
        steps += top * min(m, max(1, top))
        if steps > MAX_STEPS:
            raise LimitError("the theorem of this certificate: too many prices to check it")
        if L == 0:  # no schedule is worth anything: OPT = 0
            continue
        _check_rows(table, path, m)
        prices = table.prices
        for g, w, charge in _charges(table, m):
            if charge > w * prices[g]:
                rule = f"must charge at most {w} times the price (hypothesis C)"
                raise CertificateError(f"{path}.charges[{g}]", rule)
            if not share.allows(w, charge, c * (prices[g + w] - prices[g])):
                rule = (
                    f"is too small: with {g} of {c} GPUs sold a bundle of {w} raises the price by "
                    f"more than it pays for (hypothesis I, {path})"
                )
                raise CertificateError("theorem.constant", rule, to_text(constant))


def least_share(posted: Posted, ranges: Ranges, constant: Fraction) -> Fraction:
    """Return the least t1 with which (I) holds for t2 = constant - t1, if there is any such."""
    share = _Share(ranges.least_density, constant, Fraction(posted.scale))
    if ranges.least_density:
        for (i, c), m in _widest(posted, ranges).items():
            prices = posted.tables[i].prices
            for g, w, charge in _charges(posted.tables[i], m):
                share.allows(w, charge, c * (prices[g + w] - prices[g]))
    return share.least


def _widest(posted: Posted, ranges: Ranges) -> dict[tuple[int, int], int]:
    """Return the largest bundle by table and capacity: what holds for it holds for less."""
    found: dict[tuple[int, int], int] = {}
    for place, i in posted.table_of.items():
        c = ranges.capacity[place]
        found[i, c] = max(ranges.bundle[place], found.get((i, c), 0))
    return found


class _Share:
    """The interval of all t1 with which (I) holds for every bundle so far; t2 is constant - t1.

    In integers: (I) times w, the scale of the prices and the denominators of L and the constant.

    Parameters
    ----------
    L, constant, scale : Fraction
    """

    def __init__(self, L: Fraction, constant: Fraction, scale: Fraction) -> None:
        self._paid = L.denominator * constant.denominator * scale.denominator
        self._worth = L.numerator * constant.denominator * scale.numerator
        self._promised = L.numerator * constant.numerator * scale.numerator
        self._low = 1, 1
        self._high = constant.numerator, constant.denominator

    @property
    def least(self) -> Fraction:
        """The lower end, 1 or more."""
        return Fraction(*self._low)

    def allows(self, w: int, charge: int, rise: int) -> bool:
        """Narrow the interval by a bundle: t1 (charge - L w) >= rise - constant L w."""
        slope = charge * self._paid - w * self._worth
        need = rise * self._paid - w * self._promised
        if slope > 0:
            top, bottom = self._low
            if need * bottom > top * slope:
                self._low = need, slope
        elif slope < 0:
            top, bottom = self._high
            if -need * bottom < top * -slope:
                self._high = -need, -slope
        else:
            return need <= 0
        return self._low[0] * self._high[1] <= self._high[0] * self._low[1]


def _check_length(table: Table, path: str, c: int, reach: int) -> None:
    """Check that a table is as long as any run needs."""
    top = len(table.prices) - 1
    if not min(c, reach) <= top <= c:
        rule = f"must hold {min(c, reach) + 1} to {c + 1} prices, for 0 GPUs sold and more"
        raise CertificateError(f"{path}.prices", rule, str(top + 1))


def _check_rows(table: Table, path: str, m: int) -> None:
    """Check that there is a charge for every bundle of up to m GPUs."""
    top = len(table.prices) - 1
    if table.charges is None:
        return
    if len(table.charges) < top:
        raise CertificateError(f"{path}.charges", f"must have {top} rows", str(len(table.charges)))
    for g, row in enumerate(table.charges):
        if len(row) < min(m, top - g):
            rule = f"must charge bundles of up to {min(m, top - g)} GPUs"
            raise CertificateError(f"{path}.charges[{g}]", rule, str(len(row)))


def _check_monotone(table: Table, path: str) -> None:
    """Check (M) on one table."""
    for g, (now, after) in enumerate(pairwise(table.prices)):
        if after < now:
            rule = "must not be below the price before it (hypothesis M)"
            raise CertificateError(f"{path}.prices[{g + 1}]", rule, str(after))


def _check_late(table: Table, path: str, c: int, m: int, U: Fraction) -> None:
    """Check (F) on one table; U in units of its prices."""
    for g in range(c - m + 1, len(table.prices)):
        if table.prices[g] < U:
            rule = f"must be at least U = {to_text(U)}, as {m} GPUs may not fit (hypothesis F)"
            raise CertificateError(f"{path}.prices[{g}]", rule, str(table.prices[g]))


def _charges(table: Table, m: int) -> list[tuple[int, int, int]]:
    """Return (g, w, C(g, w)) of all bundles of 1 .. m GPUs that fit."""
    top = len(table.prices) - 1
    found = []
    for g in range(top):
        most = min(m, top - g)
        if table.charges is None:
            found += [(g, w, w * table.prices[g]) for w in range(1, most + 1)]
        elif g < len(table.charges):
            sums = accumulate(table.charges[g][:most])
            found += [(g, w, charge) for w, charge in enumerate(sums, 1)]
    return found


def _replay(
    instance: Instance, posted: Posted, schedule: Schedule
) -> tuple[list[Fraction], Mapping[Place, Fraction]]:
    """Return the payoff of every job at its arrival, and the prices > 0 after the last."""
    by_node = len(next(iter(posted.table_of), (0, 0))) == 3
    sold = dict.fromkeys(posted.table_of, 0)
    earned = [Fraction(0)] * len(instance.jobs)
    for j in sorted(range(len(instance.jobs)), key=lambda j: instance.jobs[j].release):
        allocations = schedule.jobs[j]
        if not allocations:
            continue
        bought: dict[Place, int] = {}
        for allocation in allocations:
            for h, r, count in allocation.gpus:
                place: Place = (allocation.round, h, r) if by_node else (allocation.round, r)
                bought[place] = bought.get(place, 0) + count
        charge = sum(
            (posted.charge(place, sold[place], w) for place, w in bought.items()), Fraction(0)
        )
        earned[j] = _value(instance, j, allocations) - charge
        if earned[j] <= 0:
            rule = f"is accepted, but is charged {to_text(charge)}, no less than it is worth"
            raise CertificateError(f"schedule.{instance.jobs[j].name}", rule)
        for place, w in bought.items():
            sold[place] += w
    final = {place: posted.price(place, g) for place, g in sold.items()}
    return earned, {place: price for place, price in final.items() if price}


def _value(instance: Instance, j: int, allocations: Sequence[Allocation]) -> Fraction:
    """Return the value of an irredundant schedule of one job; refuse any other."""
    gains = [allocation_progress(instance, j, allocation) for allocation in allocations]
    done, need = sum(gains), instance.jobs[j].iterations
    if done < need or done - min(gains) >= need:
        rule = "must complete its job, and not without any of its rounds"
        raise CertificateError(f"schedule.{instance.jobs[j].name}", rule)
    return instance.value(j, max(allocation.round for allocation in allocations))
