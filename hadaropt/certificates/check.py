"""The verifier: re-derives every claim of a certificate from the instance, in exact arithmetic."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hadaropt.certificates.format import Certificate, other_instance
from hadaropt.certificates.options import ExactPrices
from hadaropt.certificates.payoffs import Payoffs, max_payoffs
from hadaropt.certificates.posted import Applied, check_applied
from hadaropt.certificates.tree import Note, tree_bounds
from hadaropt.display import Lines, Printed
from hadaropt.errors import (
    CertificateError,
    InstanceError,
    InvariantError,
    ScheduleError,
    check_type,
    shown,
)
from hadaropt.exact import MAX_CLAIM_DIGITS, parse_text, to_text
from hadaropt.figures import at_most, number
from hadaropt.instance import Instance
from hadaropt.io import instance_sha256, schedule_from_document
from hadaropt.io.documents import check_fields, check_list, check_string
from hadaropt.results import FORETOLD, ratio
from hadaropt.schedule import check_schedule

_THEOREM = re.compile("[A-Za-z0-9']{1,12}")
RELAX_FIRST = 200_000
"""Jobs x rounds from which the cheap relaxation of the payoffs is tried first."""


@dataclass(frozen=True)
class Verification(Printed):
    """What a certificate proves.

    Attributes
    ----------
    level : str
    value : Fraction
        Exact value of the feasible schedule.
    bound : Fraction or None
        Proven: OPT <= bound. None at level L0.
    best_bound : Fraction or None
        ``bound`` lowered to the largest value that a schedule of this instance can have at all; at
        level L1 ``bound`` itself above 50,000 jobs x rounds, whose values take long to list.
    slack : Fraction or None
        Proven bound on how much of ``bound`` is due to relaxed payoffs. None at levels L0 and L2,
        which say nothing about it.
    claimed_theorem : str or None
        The theorem that the certificate names, where that it applies is not checked: it posts no
        prices.
    applied : Applied or None
        That theorem T4 applies to the posted prices and to this run, checked; with the case of it
        that the certificate names.
    guarantee : (Fraction, Fraction) or None
        (constant, additive), proven: OPT <= constant value + additive in this very run.
    """

    level: str
    value: Fraction
    bound: Fraction | None
    best_bound: Fraction | None
    slack: Fraction | None = None
    claimed_theorem: str | None = None
    guarantee: tuple[Fraction, Fraction] | None = None
    applied: Applied | None = None

    @property
    def proved(self) -> bool:
        """Whether the schedule is proved optimal."""
        return self.best_bound == self.value

    @property
    def ratio(self) -> float:
        """Proven: OPT / value <= ratio (1 when both are 0; inf when only the value is 0)."""
        return float("inf") if self.bound is None else ratio(self.bound, self.value)

    def lines(self) -> Lines:
        """Return (label, text) for people."""
        lines = [("level", self.level), ("value", number(self.value))]
        if self.claimed_theorem is not None:
            claim = (
                f"{self.claimed_theorem} is claimed, not checked: value and bound do not need it"
            )
            if self.guarantee is not None:
                claim = (
                    f"that {self.claimed_theorem} applies to the algorithm is claimed, not checked"
                )
            lines.append(("theorem", claim))
        if self.applied is not None:
            said = f"{self.applied.id} applies: its hypotheses hold on the posted prices for all"
            rest = "schedules, and the run was played again"
            lines += [("theorem", said), ("", rest)]
            if self.applied.claimed != self.applied.id:
                case = f"that the prices are those of its case {self.applied.claimed} is claimed"
                lines.append(("", f"{case}, not checked"))
        if self.guarantee is not None:
            constant, additive = (number(part, up=True) for part in self.guarantee)
            lines.append(
                ("guarantee", f"OPT <= {constant} x value + {additive} in this run: checked")
            )
        if self.bound is None or self.best_bound is None:
            return [*lines, ("bound", "none: the certificate holds no prices")]
        lines.append(("bound", number(self.bound, up=True)))
        if self.best_bound != self.bound:
            lines.append(
                ("", f"so at most {number(self.best_bound, up=True)}: values lie on a grid")
            )
        if self.slack:
            lines.append(
                ("slack", f"{number(self.slack, up=True)} of the bound comes from relaxed payoffs")
            )
        lines.append(("OPT / value", f"<= {at_most(self.bound, self.value)}"))
        return [*lines, ("optimal", "proved" if self.proved else "not proved")]


def verify(instance: Instance, certificate: Certificate) -> Verification:
    """Verify a certificate from scratch; trust nothing in it.

    The schedule goes through `check_schedule`; at level L1 the payoffs are maximised again over all
    schedules of every job at the given prices, and D(k) = sum m_j + sum c k is summed again; at
    level L2 that is done at every leaf of the branching tree, under its decisions and with its
    cuts. A ``guarantee``, OPT <= constant value + additive, has to follow from the bound. That a
    ``theorem`` applies is checked where the certificate posts its prices (`check_applied`): that is
    T4, also where the certificate names a case of it. Elsewhere it is a claim, which nothing here
    needs: only its form is checked, and the result names it (`Verification.claimed_theorem`).

    Parameters
    ----------
    instance : Instance
        As read from the user's own file.
    certificate : Certificate

    Raises
    ------
    CertificateError
        If any claim is wrong, with the reason.
    LimitError
        If the instance has too many rounds for a table, or prices a denominator without end.
    """
    return verify_noting(instance, certificate)


def verify_noting(
    instance: Instance, certificate: Certificate, note: Note | None = None
) -> Verification:
    """Verify a certificate, and let ``note`` see every leaf of a tree: see `verify`."""
    check_type("instance", instance, Instance, "verify(instance, certificate)")
    check_type("certificate", certificate, Certificate, "certify(instance, run) makes one")
    if certificate.parallelism != instance.parallelism:
        rule = f"must be {instance.parallelism}, as in the instance"
        raise CertificateError("parallelism", rule, shown(certificate.parallelism))
    sha = instance_sha256(instance)
    if certificate.instance_sha256 != sha:
        raise other_instance(sha, certificate.instance_sha256)
    try:
        schedule = schedule_from_document(certificate.schedule, instance)
        value = check_schedule(instance, schedule).value
    except ScheduleError as bad:
        raise bad_schedule(bad) from None
    if certificate.value != value:
        rule = f"must be {to_text(value)}, the exact value of the schedule"
        raise CertificateError("value", rule, to_text(certificate.value))
    theorem = claimed_theorem(certificate)
    claim = None if certificate.posted is None else posted_theorem(certificate)
    if certificate.level != "L1" and certificate.slack:
        rule = f"must be 0 at level {certificate.level}: only level L1 says what payoffs may exceed"
        raise CertificateError("slack", rule, to_text(certificate.slack))
    if certificate.level == "L0":
        if certificate.guarantee is not None:
            raise CertificateError("guarantee", "must be left out at level L0")
        return Verification("L0", value, None, None, None, theorem)
    instance.check_size()
    slack = applied = None
    if certificate.level == "L2":
        _check_tree(instance, certificate, note)
    else:
        found = _check_bound(instance, certificate)
        slack = _check_slack(certificate, found)
        if claim is not None:
            applied = check_applied(instance, certificate, claim, schedule, found.upper)
            theorem = None
    bound = certificate.bound
    if bound is None:
        raise CertificateError("bound", "is missing")
    if bound < value:
        raise InvariantError(f"the proven bound {bound} is below the feasible value {value}")
    best = instance.round_down(bound, quick=certificate.level == "L1")
    _check_guarantee(certificate, best)
    return Verification(
        certificate.level, value, bound, best, slack, theorem, certificate.guarantee, applied
    )


def _check_guarantee(certificate: Certificate, best: Fraction) -> None:
    """Check that OPT <= constant value + additive follows from OPT <= best."""
    if certificate.guarantee is None:
        return
    constant, additive = certificate.guarantee
    promised = constant * certificate.value + additive
    if promised < best:
        rule = f"must give at least {to_text(best)}, the bound, not {to_text(promised)}"
        raise CertificateError("guarantee", rule)


def _check_tree(instance: Instance, certificate: Certificate, note: Note | None) -> None:
    """Check the branching tree and the bound that its leaves prove."""
    leaves = (instance.round_down(bound) for bound in tree_bounds(instance, certificate, note))
    bound = max((certificate.value, *leaves))
    if certificate.bound != bound:
        rule = f"must be {to_text(bound)}, the largest of the value and the rounded leaf bounds"
        raise CertificateError("bound", rule, _claimed(certificate.bound))


def claimed_theorem(certificate: Certificate) -> str | None:
    """Return the id of the theorem that a certificate names, or None; only its form is checked.

    What its ``foreknowledge`` lists has to be words of `FORETOLD`; nothing is concluded from them.

    Raises
    ------
    CertificateError
        If it is malformed.
    """
    if certificate.theorem is None:
        return None
    fields: dict[str, Any] = check_fields(
        certificate.theorem,
        ("id",),
        ("constant", "additive", "foreknowledge"),
        path="theorem",
        error=CertificateError,
    )
    name = check_string(fields["id"], "theorem.id", CertificateError)
    if not _THEOREM.fullmatch(name):
        raise CertificateError("theorem.id", "must be a name such as T7", shown(name))
    for part in ("constant", "additive"):
        if part in fields:
            text = check_string(fields[part], f"theorem.{part}", CertificateError)
            try:
                parse_text(text, f"theorem.{part}", digits=MAX_CLAIM_DIGITS)
            except InstanceError as bad:
                raise CertificateError(bad.path, bad.rule, bad.value) from None
    told = check_list(fields.get("foreknowledge", []), "theorem.foreknowledge", CertificateError)
    for i, item in enumerate(told):
        path = f"theorem.foreknowledge[{i}]"
        if check_string(item, path, CertificateError) not in FORETOLD:
            raise CertificateError(path, f"must be one of {', '.join(FORETOLD)}", shown(item))
    return name


def _claimed(bound: Fraction | None) -> str:
    return "null" if bound is None else to_text(bound)


def bad_schedule(bad: ScheduleError) -> CertificateError:
    """Return the error of a certificate whose schedule is wrong."""
    return CertificateError("schedule", f"is refused: {bad}")


def posted_theorem(certificate: Certificate) -> tuple[str, Fraction, Fraction]:
    """Return id, constant and additive of the theorem of a certificate that posts its prices.

    Raises
    ------
    CertificateError
        If it names none, or says too little.
    """
    name = claimed_theorem(certificate)
    if name is None:
        raise CertificateError("posted", "must be left out without a theorem")
    if certificate.level != "L1":
        raise CertificateError("posted", "must be left out at other levels than L1")
    fields = certificate.theorem or {}
    if "constant" not in fields or "additive" not in fields:
        rule = "must state constant and additive where prices are posted"
        raise CertificateError("theorem", rule)
    constant, additive = (
        parse_text(str(fields[key]), f"theorem.{key}", digits=MAX_CLAIM_DIGITS)
        for key in ("constant", "additive")
    )
    return name, constant, additive


def _check_bound(instance: Instance, certificate: Certificate) -> Payoffs:
    """Check prices, payoffs and D(k); return the payoffs."""
    for place, price in certificate.prices.items():
        if price < 0:
            raise CertificateError(f"prices[{place}]", "must be >= 0", to_text(price))
    prices = ExactPrices.of(instance, certificate.prices, by_node=certificate.pool == "node")
    claims = [certificate.upper_payoffs.get(job.name, Fraction(0)) for job in instance.jobs]
    found = _payoffs(instance, prices, claims)
    for job, claim, truth in zip(instance.jobs, claims, found.upper, strict=True):
        if claim < truth:
            rule = f"must be at least {to_text(truth)}, the payoff of its best schedule"
            raise CertificateError(f"upper_payoffs.{job.name}", rule, to_text(claim))
    bound = sum(claims, Fraction(0)) + prices.capacity_cost(instance)
    if certificate.bound != bound:
        rule = f"must be {to_text(bound)}, the sum of the payoffs and of capacity times price"
        raise CertificateError("bound", rule, _claimed(certificate.bound))
    return found


def _check_slack(certificate: Certificate, found: Payoffs) -> Fraction:
    """Check the slack; return the proven one."""
    claims = sum(certificate.upper_payoffs.values(), Fraction(0))
    slack = claims - sum(found.lower, Fraction(0))
    if certificate.slack < slack:
        rule = f"must be at least {to_text(slack)}, what the payoffs may exceed the maxima by"
        raise CertificateError("slack", rule, to_text(certificate.slack))
    return slack


def _payoffs(instance: Instance, prices: ExactPrices, claims: list[Fraction]) -> Payoffs:
    """Return payoffs tight enough to judge the claims: relaxed first on large instances."""
    if len(instance.jobs) * instance.num_rounds < RELAX_FIRST:
        return max_payoffs(instance, prices)
    everyone = frozenset(range(len(instance.jobs)))
    found = max_payoffs(instance, prices, relaxed=everyone)
    doubtful = {j for j in everyone if claims[j] < found.upper[j]}
    if not doubtful:
        return found
    return max_payoffs(instance, prices, relaxed=everyone - doubtful)
