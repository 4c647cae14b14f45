"""Export of the posted prices of a run as a term that the verified checker of runs evaluates.

What the file claims beyond the certificate, a share t1, the least value per GPU and the largest
bundle of each place, are hints: the checker needs some for which the hypotheses hold, and takes
nothing from them. They are those of `hadaropt.certificates.posted`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, lcm

from hadaropt.certificates.check import posted_theorem
from hadaropt.certificates.coq_tokens import integer, items, nat, ratio, record, scaled
from hadaropt.certificates.format import Certificate
from hadaropt.certificates.options import ExactPrices
from hadaropt.certificates.payoffs import max_payoffs
from hadaropt.certificates.posted import check_name
from hadaropt.certificates.posted_document import Posted, Table
from hadaropt.certificates.posted_tables import least_share
from hadaropt.certificates.ranges import Place, Ranges, ranges_of
from hadaropt.errors import CertificateError
from hadaropt.instance import Instance


@dataclass(frozen=True)
class UnitClaims:
    """What a certificate claims by theorem T9.

    Attributes
    ----------
    place : (int, int)
        Node (0 where GPUs are pooled) and type of the one resource.
    constant : Fraction
    best : tuple of Fraction
        Upper bounds on what each job can be worth; needed where nobody was turned away.
    """

    place: tuple[int, int]
    constant: Fraction
    best: tuple[Fraction, ...]


@dataclass(frozen=True)
class RunClaims:
    """What a certificate with posted prices claims of its run, and the hints for the checker.

    Attributes
    ----------
    posted : Posted
    pool : str
    ranges : Ranges
    payoffs : tuple of Fraction
        Upper bounds on mu*_j, of which ``additive`` is computed.
    t1, t2 : Fraction
        Shares with which (I) holds, if any do; their sum is the constant of the theorem.
    additive : Fraction
    unit : UnitClaims or None
        What T9 claims beyond T4, where that is the theorem.
    """

    posted: Posted
    pool: str
    ranges: Ranges
    payoffs: tuple[Fraction, ...]
    t1: Fraction
    t2: Fraction
    additive: Fraction
    unit: UnitClaims | None = None

    def numbers(self) -> list[Fraction]:
        """Return the numbers that the common denominator has to make integers."""
        best = () if self.unit is None else self.unit.best
        return [1 / self.posted.scale, self.additive, *self.payoffs, *best]

    @property
    def parts(self) -> tuple[int, int, int]:
        """Integers b, t1 b and t2 b."""
        common = lcm(self.t1.denominator, self.t2.denominator)
        return common, scaled(self.t1, common), scaled(self.t2, common)


def run_claims(instance: Instance, certificate: Certificate) -> RunClaims | None:
    """Return what a certificate claims of its run; None if it posts no prices.

    Raises
    ------
    CertificateError
        If the theorem is none that posted prices can claim, or a place is unknown.
    LimitError
        If there is too much to check.
    """
    posted = certificate.posted
    if posted is None:
        return None
    name, constant, additive = posted_theorem(certificate)
    checked = check_name(name)
    ranges = ranges_of(instance, certificate.pool)
    if not posted.table_of.keys() <= ranges.capacity.keys():
        raise CertificateError("posted.places", "must name no place without GPUs")
    by_node = certificate.pool == "node"
    payoffs = [certificate.upper_payoffs.get(job.name, Fraction(0)) for job in instance.jobs]
    if certificate.slack:
        prices = ExactPrices.of(instance, certificate.prices, by_node=by_node)
        payoffs = list(max_payoffs(instance, prices).upper)
    claims = RunClaims(
        posted, certificate.pool, ranges, tuple(payoffs), Fraction(1), Fraction(0), additive
    )
    if checked == "T4":
        t1 = least_share(posted, ranges, constant)
        return replace(claims, t1=t1, t2=constant - t1)
    if len(ranges.capacity) != 1:
        rule = f"needs one resource, and here are {len(ranges.capacity)}"
        raise CertificateError("theorem.id", rule, name)
    ((_, *node, r),) = ranges.capacity
    free = ExactPrices.of(instance, {}, by_node=by_node)
    unit = UnitClaims((node[0] if node else 0, r), constant, max_payoffs(instance, free).upper)
    return replace(claims, t2=_any_share(posted, ranges), unit=unit)


def _any_share(posted: Posted, ranges: Ranges) -> Fraction:
    """Return a t2 with which (I) holds whatever the prices: T9 does not need it."""
    if not ranges.least_density:
        return Fraction(0)
    top = max(price for table in posted.tables for price in table.prices) / posted.scale
    return Fraction(ceil(max(ranges.capacity.values()) * top / ranges.least_density) + 1)


def run_term(instance: Instance, claims: RunClaims, scale: int) -> str:
    """Return a term of type ``CheckerRun.posted_claims``; values are multiples of 1/scale."""
    posted, ranges = claims.posted, claims.ranges
    kinds: dict[tuple[int, int, int], int] = {}
    kind_of = {
        place: kinds.setdefault((i, ranges.capacity[place], ranges.bundle[place]), len(kinds))
        for place, i in posted.table_of.items()
    }
    common, t1, t2 = claims.parts
    return record(
        run_tables=items(map(_table, posted.tables), "\n  "),
        run_kinds=items(
            record(kind_table=nat(i), kind_cap=integer(c), kind_bundle=integer(m))
            for i, c, m in kinds
        ),
        run_places=_places(instance, claims.pool, kind_of, len(kinds)),
        run_unit=integer(scaled(1 / posted.scale, scale)),
        run_payoffs=items(integer(scaled(best, scale)) for best in claims.payoffs),
        run_t1=integer(t1),
        run_t2=integer(t2),
        run_t=integer(common),
        run_density=ratio(ranges.least_density * scale),
        run_additive=integer(scaled(claims.additive, scale)),
    )


def _table(table: Table) -> str:
    def row(numbers: Sequence[int]) -> str:
        return items(map(integer, numbers))

    charges = "None" if table.charges is None else f"(Some {items(map(row, table.charges))})"
    return record(table_prices=row(table.prices), table_charges=charges)


def _places(instance: Instance, pool: str, kind_of: dict[Place, int], missing: int) -> str:
    """Return the kinds by round, node (one where GPUs are pooled) and type."""
    types = range(len(instance.cluster.accelerators))
    nodes: Sequence[tuple[int, ...]] = [()]
    if pool == "node":
        nodes = [(h,) for h in range(len(instance.cluster.nodes))]
    return items(
        (
            items(items(nat(kind_of.get((t, *h, r), missing)) for r in types) for h in nodes)
            for t in range(instance.num_rounds)
        ),
        "\n  ",
    )


def run_theorems(claims: RunClaims, term: str, scale: int, value: int) -> str:
    """Return the definition of the run, by its term, and what is proved of it."""
    common, t1, t2 = claims.parts
    parts, constant = integer(common), integer(t1 + t2)
    pooled = "true" if claims.pool == "type" else "false"
    additive = integer(scaled(claims.additive, scale))
    return f"""
Definition the_run : posted_claims := {term}.

Theorem run_accepted : check_run the_instance the_certificate the_schedule the_run = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(* every run of the algorithm on the posted prices, of value v; e_j: what its choice for j misses *)
Theorem theorem_applies : forall e js v M g, (forall j, 0 <= e j) ->
  Permutation js (seq 0 (num_jobs the_instance)) ->
  posted_run the_instance {pooled} (posted_charge the_instance {pooled} the_run)
    e none_sold js v M g ->
  forall s, feasible the_instance s -> {parts} * value the_instance s <= {constant} * v + {parts} *
    (cluster_worth the_instance {pooled} (posted_price the_instance {pooled} the_run) none_sold +
     sum (num_jobs the_instance) e).
Proof. exact (check_run_applies _ _ _ _ accepted run_accepted). Qed.

(* the schedule of the certificate *)
Theorem this_run : forall s, feasible the_instance s ->
  {parts} * value the_instance s <= {constant} * {integer(value)} + {parts} * {additive}.
Proof. exact (check_run_sound _ _ _ _ _ accepted schedule_accepted run_accepted). Qed.
"""
