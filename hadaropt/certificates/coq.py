"""Export of certificates as Coq files that the verified checker in ``proofs/coq`` evaluates.

The file states instance and certificate as integers over one common denominator, runs the checker
by ``vm_compute`` and derives, for EVERY feasible schedule of the instance, that its value does not
exceed the certified bound. ``coqc`` accepts the file if and only if the checker accepts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from hadaropt.certificates.format import Certificate, PriceMap
from hadaropt.errors import CertificateError
from hadaropt.exact import to_text
from hadaropt.instance import Instance, Job

_WORLDS = {"single_type": "SingleType", "mixed": "Mixed", "forked": "Forked"}
HEADER = """\
From Coq Require Import ZArith List.
From HadarTheory Require Import SchedModel CheckerJob Checker.
Import ListNotations.
Open Scope Z_scope.
"""


@dataclass(frozen=True)
class CoqTerms:
    """An instance and a certificate as Coq terms.

    Attributes
    ----------
    instance : str
        A term of type ``SchedModel.instance``; utilities are multiples of 1/scale.
    certificate : str
        A term of type ``Checker.l1``.
    bound : int
        The certified bound, as a multiple of 1/scale.
    scale : int
        The common denominator.
    """

    instance: str
    certificate: str
    bound: int
    scale: int


def export_coq(
    instance: Instance, certificate: Certificate, divisors: Mapping[str, int] | None = None
) -> str:
    """Return the text of a Coq file that compiles if and only if the certificate is accepted.

    Compile with ``coqc -R proofs/coq HadarTheory FILE``. The last theorem of the file reads: for
    every feasible schedule, value <= bound, in multiples of 1/scale.

    Parameters
    ----------
    instance : Instance
    certificate : Certificate
        Of level L1.
    divisors : mapping of str to int, optional
        Progress of a job is counted in units of its divisor, rounded up. By default the greatest
        common divisor of its progress per round, which is exact; larger ones are faster, and sound,
        but may fail to confirm a tight payoff.

    Raises
    ------
    CertificateError
        If the level has no Coq checker, or the certificate is malformed.
    """
    terms = coq_terms(instance, certificate, divisors)
    return f"""\
(* Instance {certificate.instance_sha256}
   Values, prices and payoffs are multiples of 1/{terms.scale}. *)
{HEADER}
Definition the_instance : instance := {terms.instance}.

Definition the_certificate : l1 := {terms.certificate}.

Theorem accepted : check_l1 the_instance the_certificate = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem bound_holds : forall s, feasible the_instance s -> value the_instance s <= {terms.bound}.
Proof. exact (check_l1_sound the_instance the_certificate accepted). Qed.
Print Assumptions bound_holds.
"""


def coq_terms(
    instance: Instance, certificate: Certificate, divisors: Mapping[str, int] | None = None
) -> CoqTerms:
    """Return instance and certificate as Coq terms, scaled to integers. See `export_coq`."""
    if certificate.level != "L1":
        raise CertificateError("level", "must be L1 for the Coq checker", certificate.level)
    if certificate.bound is None:
        raise CertificateError("bound", "is missing")
    utilities = [instance.utility_values(j) for j in range(len(instance.jobs))]
    payoffs = [certificate.upper_payoffs.get(job.name, Fraction(0)) for job in instance.jobs]
    numbers = [certificate.bound, *certificate.prices.values(), *payoffs]
    scale = lcm(1, *(x.denominator for x in numbers))
    scale = lcm(scale, *(u.denominator for values in utilities for u in values))
    chosen = divisors or {}
    units = [
        chosen.get(job.name, exact_divisor(instance, j)) for j, job in enumerate(instance.jobs)
    ]
    bound = _scaled(certificate.bound, scale)
    jobs = [_job(instance, j, utilities[j], scale) for j in range(len(instance.jobs))]
    certified = _record(
        l1_prices=_prices(instance, certificate.prices, certificate.pool, scale),
        l1_divisors=_list(map(_integer, units)),
        l1_payoffs=_list(_integer(_scaled(m, scale)) for m in payoffs),
        l1_bound=_integer(bound),
    )
    return CoqTerms(_instance(instance, jobs), certified, bound, scale)


def exact_divisor(instance: Instance, j: int) -> int:
    """Return the greatest common divisor of the progress that job j can make in a round."""
    amounts = [*instance.progress(j), *instance.progress(j, spread=True)]
    if instance.max_copies(j) >= 2:
        amounts += instance.progress(j, copies=True)
    return gcd(*amounts) or 1


def _instance(instance: Instance, jobs: Iterable[str]) -> str:
    cluster = instance.cluster
    return _record(
        parallelism=_WORLDS[instance.parallelism],
        num_rounds=f"{instance.num_rounds}%nat",
        num_nodes=f"{len(cluster.nodes)}%nat",
        num_types=f"{len(cluster.accelerators)}%nat",
        capacity=_list(_list(map(_integer, row)) for row in cluster.capacity),
        round_seconds=_ratio(instance.round_seconds),
        consolidation_seconds=_ratio(instance.consolidation_seconds),
        jobs=_list(jobs, "\n  "),
    )


def _job(instance: Instance, j: int, utility: Iterable[Fraction], scale: int) -> str:
    job: Job = instance.jobs[j]
    return _record(
        release=f"{min(job.release, instance.num_rounds)}%nat",
        gang_size=_integer(job.gang_size),
        iterations=_integer(job.iterations),
        throughput=_list(map(_ratio, instance.throughput[j])),
        spread_factor=_ratio(job.spread_factor),
        max_copies=_integer(instance.max_copies(j)),
        utility=_list(_integer(_scaled(u, scale)) for u in utility),
    )


def _prices(instance: Instance, prices: PriceMap, pool: str, scale: int) -> str:
    rounds = range(instance.num_rounds)
    types = range(len(instance.cluster.accelerators))

    def row(*place: int) -> str:
        return _list(_integer(_scaled(prices.get((*place, r), Fraction(0)), scale)) for r in types)

    if pool == "type":
        return f"PerType {_list(row(t) for t in rounds)}"
    nodes = range(len(instance.cluster.nodes))
    return f"PerNode {_list(_list(row(t, h) for h in nodes) for t in rounds)}"


def _scaled(number: Fraction, scale: int) -> int:
    product = number * scale
    if product.denominator != 1:
        raise CertificateError("scale", f"must make {to_text(number)} an integer", str(scale))
    return product.numerator


def _integer(value: int) -> str:
    return str(value) if value >= 0 else f"({value})"


def _ratio(value: Fraction) -> str:
    return f"({value.numerator}, {value.denominator})"


def _list(entries: Iterable[str], gap: str = " ") -> str:
    return f"[{f';{gap}'.join(entries)}]"


def _record(**fields: str) -> str:
    return "{| " + "; ".join(f"{name} := {value}" for name, value in fields.items()) + " |}"
