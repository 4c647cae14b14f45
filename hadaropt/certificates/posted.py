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
a certain formula; that these tables follow it is not looked at, so what applies is called T4. For
T9 (one resource, unit demand) see `hadaropt.certificates.posted_threshold`.

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

from hadaropt.certificates.format import Certificate
from hadaropt.certificates.options import ExactPrices, gang_progress
from hadaropt.certificates.payoffs import max_payoffs
from hadaropt.certificates.posted_document import Posted
from hadaropt.certificates.posted_tables import check_tables
from hadaropt.certificates.posted_threshold import check_unit_table
from hadaropt.certificates.ranges import Place, ranges_of
from hadaropt.errors import CertificateError, InvariantError
from hadaropt.exact import to_text
from hadaropt.instance import Instance
from hadaropt.schedule import Allocation, Schedule, allocation_progress
from hadaropt.theory import CASES_OF_T4

CHECKED = ("T4", "T9")
"""The theorems that are checked: T4, whose hypotheses are (M), (C), (F), (I), (V), and T9."""


@dataclass(frozen=True)
class Applied:
    """That theorem T4 or T9 applies: OPT <= constant P + additive.

    Attributes
    ----------
    id : str
        The theorem that was checked.
    claimed : str
        The theorem that the certificate names: that one, or a case of T4. That the tables are of
        the formula of the case is not checked.
    constant, additive : Fraction
    missed : Fraction
        Sum of the e_j: what the payoffs at the final prices exceed those at arrival by; under T9
        with nobody turned away, what best values exceed those of the run by.
    """

    id: str
    claimed: str
    constant: Fraction
    additive: Fraction
    missed: Fraction


def check_name(name: str) -> str:
    """Return the theorem that is checked where a certificate with posted prices names one.

    Raises
    ------
    CertificateError
        If none of them is.
    """
    if name in CHECKED:
        return name
    if name not in CASES_OF_T4:
        rule = f"must be one of {', '.join((*CHECKED, *CASES_OF_T4))} where prices are posted"
        raise CertificateError("theorem.id", rule, name)
    return "T4"


def check_applied(
    instance: Instance,
    certificate: Certificate,
    claim: tuple[str, Fraction, Fraction],
    schedule: Schedule,
    payoffs: Sequence[Fraction],
) -> Applied:
    """Check that theorem T4 or T9 applies to the price tables and the run of a certificate.

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
    checked = check_name(name)
    if certificate.pool == "type":
        _check_pooled(instance)
    ranges = ranges_of(instance, certificate.pool)
    if posted.table_of.keys() != ranges.capacity.keys():
        rule = "must name every place that has GPUs, and no other"
        raise CertificateError("posted.places", rule)
    start, tau = Fraction(0), 0
    if checked == "T9":
        tau = check_unit_table(posted, ranges, constant)
    else:
        check_tables(posted, ranges, constant)
        start = sum((c * posted.price(at, 0) for at, c in ranges.capacity.items()), start)
    run = _replay(instance, posted, schedule)
    if run.prices != {place: price for place, price in certificate.prices.items() if price}:
        raise CertificateError("prices", "must be those that the run leaves behind")
    best, got = payoffs, run.payoffs
    if run.sold < tau:  # nobody was turned away
        free = ExactPrices.of(instance, {}, by_node=certificate.pool == "node")
        best, got = max_payoffs(instance, free).upper, run.values
    missed = sum(
        (max(Fraction(0), most - earned) for most, earned in zip(best, got, strict=True)),
        Fraction(0),
    )
    if additive < start + missed:
        rule = (
            f"must be at least {to_text(start + missed)}: the prices at the start and what payoffs "
            "at the final prices exceed those at arrival by"
        )
        raise CertificateError("theorem.additive", rule, to_text(additive))
    bound = sum(best, Fraction(0))
    if best is payoffs:
        bound += sum((ranges.capacity[at] * price for at, price in run.prices.items()), Fraction(0))
    if bound > constant * certificate.value + additive:
        raise InvariantError(f"{checked} applies, but D = {bound} is above what it promises")
    return Applied(checked, name, constant, additive, missed)


def _check_pooled(instance: Instance) -> None:
    """Check that a gang that fits the GPUs of the types fits the nodes, at the same speed."""
    for j, job in enumerate(instance.jobs):
        whole, spread = gang_progress(instance, j)
        if whole != spread or instance.max_copies(j) >= 2:
            rule = f"must be node: on types, {job.name} may be priced in and find no nodes"
            raise CertificateError("pool", rule, "type")


@dataclass(frozen=True)
class _Run:
    """What a run leaves behind: payoffs at arrival, values, prices > 0 at the end, GPUs sold."""

    payoffs: Sequence[Fraction]
    values: Sequence[Fraction]
    prices: Mapping[Place, Fraction]
    sold: int


def _replay(instance: Instance, posted: Posted, schedule: Schedule) -> _Run:
    """Play the accepted schedules in order of release; each is worth more than it is charged."""
    by_node = len(next(iter(posted.table_of), (0, 0))) == 3
    sold = dict.fromkeys(posted.table_of, 0)
    values = [Fraction(0)] * len(instance.jobs)
    payoffs = [Fraction(0)] * len(instance.jobs)
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
        values[j] = _value(instance, j, allocations)
        payoffs[j] = values[j] - charge
        if payoffs[j] <= 0:
            rule = f"is accepted, but is charged {to_text(charge)}, no less than it is worth"
            raise CertificateError(f"schedule.{instance.jobs[j].name}", rule)
        for place, w in bought.items():
            sold[place] += w
    final = {place: posted.price(place, g) for place, g in sold.items()}
    prices = {place: price for place, price in final.items() if price}
    return _Run(payoffs, values, prices, sum(sold.values()))


def _value(instance: Instance, j: int, allocations: Sequence[Allocation]) -> Fraction:
    """Return the value of an irredundant schedule of one job; refuse any other."""
    gains = [allocation_progress(instance, j, allocation) for allocation in allocations]
    done, need = sum(gains), instance.jobs[j].iterations
    if done < need or done - min(gains) >= need:
        rule = "must complete its job, and not without any of its rounds"
        raise CertificateError(f"schedule.{instance.jobs[j].name}", rule)
    return instance.value(j, max(allocation.round for allocation in allocations))
