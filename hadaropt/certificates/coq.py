"""Export of certificates as Coq files that the verified checker in ``proofs/coq`` evaluates.

The file states instance and certificate as integers over one common denominator, runs the checker
by ``vm_compute`` and derives that the paired schedule is feasible and has its value, and that no
feasible schedule of the instance exceeds the certified bound, lowered to the lattice of values.
``coqc`` accepts the file if and only if the checker accepts.

Where the certificate posts the prices of its run, so is that theorem T4 applies to them.

Nothing of a certificate reaches the file but integers and references that were looked up in the
instance: its hash is compared first, and what the file says of the instance is derived anew. The
claim ``slack`` is not exported, nor a ``theorem`` without posted prices: no bound rests on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm

from hadaropt.certificates.coq_claim import Claim
from hadaropt.certificates.coq_grid import on_one_grid
from hadaropt.certificates.coq_hints import LeafFacts, facts_of_leaves
from hadaropt.certificates.coq_run import run_claims, run_term, run_theorems
from hadaropt.certificates.coq_tokens import integer, items, nat, ratio, record, scaled
from hadaropt.certificates.coq_tree import TreeExport, price_unit, prices_term
from hadaropt.certificates.coq_unit import unit_term, unit_theorems
from hadaropt.certificates.format import Certificate, other_instance
from hadaropt.certificates.options import gang_progress
from hadaropt.certificates.tree_document import parse_tree
from hadaropt.errors import CertificateError, ScheduleError, shown
from hadaropt.instance import Instance, Job
from hadaropt.io import instance_sha256, schedule_from_document
from hadaropt.schedule import Schedule

_WORLDS = {"single_type": "SingleType", "mixed": "Mixed", "forked": "Forked"}
HEADER = """\
From Coq Require Import ZArith List.
From Coq Require Import Permutation.
From HadarTheory Require Import SchedModel CheckerJob Checker CheckerTree CheckerSchedule.
From HadarTheory Require Import CheckerDigits.
From HadarTheory Require Import PostedRun CheckerRun CheckerUnit.
Import ListNotations.
Open Scope Z_scope.
Set Warnings "-abstract-large-number". (* long numbers stay decimal: four times faster to read *)
Number Notation Z Z.of_num_int Z.to_num_int (abstract after 1000) : Z_scope.
"""


@dataclass(frozen=True)
class CoqTerms:
    """An instance and a certificate as Coq terms.

    Attributes
    ----------
    instance : str
        A term of type ``SchedModel.instance``; utilities are multiples of 1/scale.
    claim : Claim
        A term of type ``Checker.l1`` or ``CheckerTree.l2``.
    schedule : str
        The paired schedule: a term of type ``list (list allocation)``.
    bound, value : int
        The certified bound, lowered to the lattice of values, and the value of the paired schedule,
        as multiples of 1/scale.
    scale : int
        The common denominator.
    level : {"l1", "l2"}
        The suffix of the checker: ``check_l1`` or ``check_l2``.
    run : str or None
        The posted prices: a term of type ``CheckerRun.posted_claims``.
    run_check : str
        A term of type bool: whether the theorem applies to them.
    run_theorems : str
        What the file proves of them; empty without posted prices.
    tree : TreeExport or None
        At level L2, for whoever exports the tree in parts.
    """

    instance: str
    claim: Claim
    schedule: str
    bound: int
    value: int
    scale: int
    level: str
    run: str | None = None
    run_check: str = ""
    run_theorems: str = ""
    tree: TreeExport | None = None

    @property
    def certificate(self) -> str:
        """The claim as one term."""
        return self.claim.inline

    @property
    def tight(self) -> str:
        """The term that says whether the bound claims no less than it could, of type bool."""
        value = f" {integer(self.value)}" if self.level == "l2" else ""
        return f"tight_{self.level} the_instance the_certificate{value}"

    def verdict(self) -> str:
        """Return the term that says whether everything holds, of type bool."""
        run = ""
        if self.run is not None:
            run = f" && {self.run_check}"
        return (
            f"let the_instance := {self.instance} in let the_certificate := {self.certificate} in "
            f"let the_schedule := {self.schedule} in "
            f"(check_{self.level} the_instance the_certificate && ({self.tight}) && "
            f"check_schedule the_instance the_schedule {integer(self.value)}{run})%bool"
        )


def export_coq(
    instance: Instance, certificate: Certificate, divisors: Mapping[str, int] | None = None
) -> str:
    """Return the text of a Coq file that compiles if and only if the certificate is accepted.

    `hadaropt.certificates.coq_check` compiles it. Its theorems, in multiples of 1/scale:
    ``bound_holds``, for every feasible schedule, value <= bound; ``value_attained``, some feasible
    schedule has the certified value; if value = bound, ``optimal``, a schedule of that value is one
    of the best; and where prices are posted, ``theorem_applies``, OPT <= constant v + what the
    prices at the start cost + errors for every run on them, and ``this_run``, OPT <= constant value
    + additive.

    Parameters
    ----------
    instance : Instance
    certificate : Certificate
        Of level L1 or L2.
    divisors : mapping of str to int, optional
        Progress of a job is counted in units of its divisor, rounded up. By default the greatest
        common divisor of its progress per round, which is exact; larger ones are faster, and sound,
        but may fail to confirm a tight payoff.

    Raises
    ------
    CertificateError
        If the certificate is one of another instance, has no Coq checker at its level, or is
        malformed.
    LimitError
        If a number is too long for Coq.
    ScheduleError
        If the paired schedule is malformed.
    """
    return one_file(instance, coq_terms(instance, certificate, divisors))


def one_file(instance: Instance, terms: CoqTerms) -> str:
    """Return the text of the file that proves all of some terms: see `export_coq`."""
    return f"""\
{heading(instance, terms)}{instance_definition(terms)}
{terms.claim.definitions("the_certificate", terms.level)}
Theorem accepted : check_{terms.level} the_instance the_certificate = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem bound_holds :
  forall s, feasible the_instance s -> value the_instance s <= {integer(terms.bound)}.
Proof. exact ({_SOUND[terms.level]}). Qed.

{tightness(terms)}{schedule_theorems(terms)}"""


def heading(instance: Instance, terms: CoqTerms) -> str:
    """Return the head of a file: what it is about, and what it needs."""
    return f"""\
(* Instance {instance_sha256(instance)}
   Values, prices and payoffs are multiples of 1/{terms.scale}. *)
{HEADER}"""


def instance_definition(terms: CoqTerms) -> str:
    """Return the definition of the instance."""
    return f"\nDefinition the_instance : instance := {terms.instance}.\n"


def tightness(terms: CoqTerms) -> str:
    """Return the theorem that the bound claims no less than it could."""
    return f"""\
Theorem bound_is_tight : {terms.tight} = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

"""


def schedule_theorems(terms: CoqTerms) -> str:
    """Return what is proved of the schedule and of the run; at the end, on what it rests."""
    value = integer(terms.value)
    closed = terms.value == terms.bound
    optimal = _OPTIMAL.replace("VALUE", value) if closed else ""
    proved = ["bound_holds", "value_attained", *(["optimal"] if closed else [])]
    if terms.run is not None:
        proved += ["theorem_applies", "this_run"]
    return f"""\
Definition the_schedule : list (list allocation) := {terms.schedule}.

Theorem schedule_accepted : check_schedule the_instance the_schedule {value} = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem value_attained : exists s, feasible the_instance s /\\ value the_instance s = {value}.
Proof. exact (ex_intro _ _ (check_schedule_sound _ _ _ schedule_accepted)). Qed.
{optimal}{terms.run_theorems}
Definition all_proved := ({", ".join(proved)}).
Print Assumptions all_proved.
"""


_SOUND = {
    "l1": "check_l1_sound the_instance the_certificate accepted",
    "l2": "bounded_always _ _ "
    "(check_l2_sound the_instance the_certificate accepted [] _ (or_introl eq_refl))",
}
_OPTIMAL = """
Theorem optimal : exists s, feasible the_instance s /\\ value the_instance s = VALUE /\\
  forall s', feasible the_instance s' -> value the_instance s' <= value the_instance s.
Proof. exact (certified_optimum _ _ _ schedule_accepted bound_holds). Qed.
"""


def coq_terms(
    instance: Instance,
    certificate: Certificate,
    divisors: Mapping[str, int] | None = None,
    facts: dict[int, LeafFacts] | None = None,
) -> CoqTerms:
    """Return instance and certificate as Coq terms, scaled to integers. See `export_coq`.

    ``facts`` of the leaves of a tree are found anew where they are not given.
    """
    sha = instance_sha256(instance)
    if certificate.instance_sha256 != sha:
        raise other_instance(sha, certificate.instance_sha256)
    if certificate.parallelism != instance.parallelism:
        rule = f"must be {instance.parallelism}, as in the instance"
        raise CertificateError("parallelism", rule, shown(certificate.parallelism))
    if certificate.pool not in ("type", "node"):
        raise CertificateError("pool", "must be type or node", shown(certificate.pool))
    if certificate.level not in ("L1", "L2"):
        raise CertificateError("level", "must be L1 or L2 for the Coq checker", certificate.level)
    if certificate.bound is None:
        raise CertificateError("bound", "is missing")
    utilities = [instance.utility_values(j) for j in range(len(instance.jobs))]
    tree = None
    if certificate.level == "L2":
        tree = parse_tree(instance, certificate)
        by_node = certificate.pool == "node"
        if facts is None:
            facts = facts_of_leaves(instance, tree, by_node=by_node)
        tree, facts = on_one_grid(instance, tree, facts, by_node=by_node)
    numbers = [certificate.bound, certificate.value, *(u for values in utilities for u in values)]
    if tree is None:
        numbers += [*certificate.prices.values(), *certificate.upper_payoffs.values()]
    else:
        numbers += tree.numbers()
    run = run_claims(instance, certificate)
    numbers += [instance.value_unit, *([] if run is None else run.numbers())]
    scale = lcm(1, *(x.denominator for x in numbers))
    chosen = divisors or {}
    counted = [
        chosen.get(job.name, exact_divisor(instance, j)) for j, job in enumerate(instance.jobs)
    ]
    jobs = [_job(instance, j, utilities[j], scale) for j in range(len(instance.jobs))]
    exported = None
    if tree is None:
        claim = Claim(_l1(instance, certificate, counted, scale))
    else:
        exported = TreeExport.of(
            instance,
            tree,
            pool=certificate.pool,
            bound=certificate.bound,
            divisors=counted,
            scale=scale,
            facts=facts or {},
        )
        claim = exported.claim()
    bound = scaled(instance.round_down(certificate.bound), scale)
    value = scaled(certificate.value, scale)
    rows = schedule_term(instance, schedule_from_document(certificate.schedule, instance))
    level = "l1" if tree is None else "l2"
    found = CoqTerms(
        _instance(instance, jobs), claim, rows, bound, value, scale, level, tree=exported
    )
    if run is None:
        return found
    term = run_term(instance, run, scale)
    if run.unit is None:
        check = f"check_run the_instance the_certificate the_schedule {term}"
        theorems = run_theorems(run, term, scale, value)
    else:
        unit = unit_term(run.unit, scale)
        check = f"check_unit the_instance the_certificate the_schedule {term} {unit}"
        theorems = unit_theorems(run, term, unit, scale, value)
    return replace(found, run=term, run_check=check, run_theorems=theorems)


def schedule_term(instance: Instance, schedule: Schedule) -> str:
    """Return a schedule as a Coq term: per job, its allocations from round 0 on."""
    rows = []
    for name, allocations in zip((job.name for job in instance.jobs), schedule.jobs, strict=True):
        for a in allocations:
            if not 0 <= a.round < instance.num_rounds:
                rule = f"must be a round from 0 to {instance.num_rounds - 1}"
                raise ScheduleError.at(rule, job=name, round=a.round)
        row = ["Idle"] * (max((a.round for a in allocations), default=-1) + 1)
        for a in allocations:
            if row[a.round] != "Idle":
                raise ScheduleError.at("must have one entry per round", job=name, round=a.round)
            counts = items(f"({nat(h)}, {nat(r)}, {integer(n)})" for h, r, n in a.gpus)
            row[a.round] = f"{'Copies' if a.copies else 'Gang'} (cells {counts})"
        rows.append(items(row))
    return items(rows, "\n  ")


def _l1(instance: Instance, certificate: Certificate, divisors: Sequence[int], scale: int) -> str:
    payoffs = (certificate.upper_payoffs.get(job.name, Fraction(0)) for job in instance.jobs)
    unit = price_unit(list(certificate.prices.values()), scale)
    return record(
        l1_prices=prices_term(
            instance, certificate.prices, certificate.pool, Fraction(scale, unit)
        ),
        l1_price_unit=integer(unit),
        l1_divisors=items(map(integer, divisors)),
        l1_payoffs=items(integer(scaled(m, scale)) for m in payoffs),
        l1_unit=integer(scaled(instance.value_unit, scale)),
        l1_bound=integer(scaled(certificate.bound or Fraction(0), scale)),
    )


def exact_divisor(instance: Instance, j: int) -> int:
    """Return the greatest common divisor of the progress that job j can make in a round."""
    amounts = [amount for made in gang_progress(instance, j) for amount in made]
    if instance.max_copies(j) >= 2:
        amounts += instance.progress(j, copies=True)
    return gcd(*amounts) or 1


def _instance(instance: Instance, jobs: Iterable[str]) -> str:
    cluster = instance.cluster
    return record(
        parallelism=_WORLDS[instance.parallelism],
        num_rounds=nat(instance.num_rounds),
        num_nodes=nat(len(cluster.nodes)),
        num_types=nat(len(cluster.accelerators)),
        capacity=items(items(map(integer, row)) for row in cluster.capacity),
        round_seconds=ratio(instance.round_seconds),
        consolidation_seconds=ratio(instance.consolidation_seconds),
        jobs=items(jobs, "\n  "),
    )


def _job(instance: Instance, j: int, utility: Iterable[Fraction], scale: int) -> str:
    job: Job = instance.jobs[j]
    return record(
        release=nat(min(job.release, instance.num_rounds)),
        gang_size=integer(job.gang_size),
        iterations=integer(job.iterations),
        throughput=items(map(ratio, instance.throughput[j])),
        spread_factor=ratio(job.spread_factor),
        max_copies=integer(instance.max_copies(j)),
        utility=items(integer(scaled(u, scale)) for u in utility),
    )
