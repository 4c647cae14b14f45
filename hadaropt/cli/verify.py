"""``hadaropt verify``: check a certificate without any solver."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hadaropt.cli.common.answer import Answer
from hadaropt.cli.common.inputs import instance_facts, load_certificate, load_instance
from hadaropt.cli.common.options import AsJson, InstanceFile, Parallelism

if TYPE_CHECKING:
    from hadaropt.certificates import Certificate
    from hadaropt.certificates.coq_check import CoqVerdict
    from hadaropt.certificates.coq_hints import LeafFacts
    from hadaropt.certificates.tree import Evaluated, Note
    from hadaropt.errors import CertificateError
    from hadaropt.instance import Instance

CertificateFile = Annotated[
    Path, Parameter(name="CERTIFICATE", help="Certificate file of that instance.")
]
WithCoq = Annotated[
    bool, Parameter(negative=(), help="Have the verified checker prove it again, by Coq (coqc).")
]


def verify(
    instance: InstanceFile,
    certificate: CertificateFile,
    /,
    *,
    parallelism: Parallelism = None,
    coq: WithCoq = False,
    json: AsJson = False,
) -> Answer:
    """Verify a certificate from the instance alone, in exact arithmetic, without a solver.

    Value, bound and guarantee are verified. That a theorem applies is verified where the
    certificate posts the prices of its run; elsewhere the answer says that it is not.
    With --coq the verified checker proves all of that but the guarantee again, and the answer says
    what was trusted.
    Exit code 0: value and bound hold. 1: rejected, with the reason. 4: a file cannot be read, or
    Coq is missing, too old, or cannot hold the certificate.
    """
    from hadaropt.certificates.check import verify_noting
    from hadaropt.cli.common.proof import coq_facts, coq_lines, proof_facts
    from hadaropt.errors import CertificateError, OtherInstanceError

    problem = load_instance(instance, parallelism)
    facts = {"command": "verify", "instance": instance_facts(problem)}
    try:
        claim = load_certificate(certificate, problem)
    except OtherInstanceError as wrong:
        return _rejected(facts, wrong)
    if coq:
        _check_can_ask(claim)
    leaves: dict[int, LeafFacts] = {}
    try:
        verification = verify_noting(problem, claim, _noting(problem, leaves) if coq else None)
        proved = _ask_coq(problem, claim, leaves) if coq else None
    except CertificateError as wrong:
        return _rejected(facts, wrong)
    verdict = "yes"
    if verification.claimed_theorem is not None:
        guaranteed = verification.guarantee is not None
        verdict = f"value{', bound and guarantee' if guaranteed else ' and bound'}, not the theorem"
    return Answer(
        {**facts, "verified": True, **proof_facts(verification), **coq_facts(proved)},
        [("verified", verdict), *verification.lines(), *coq_lines(proved)],
    )


def _check_can_ask(claim: Certificate) -> None:
    """Check that Coq can be asked at all, before anything else takes time."""
    from hadaropt.certificates.coq_library import find_coq
    from hadaropt.errors import CertificateError

    if claim.level == "L0":
        rule = "must be L1 or L2 for --coq: without a bound there is no theorem for Coq"
        raise CertificateError("level", rule, claim.level)
    find_coq()


def _noting(problem: Instance, leaves: dict[int, LeafFacts]) -> Note:
    """Return a note that keeps what Coq needs to know of the leaves of a tree."""
    from hadaropt.certificates.coq_hints import LeafFacts

    def note(found: Evaluated) -> None:
        leaves[found.index] = LeafFacts.of(problem, found)

    return note


def _ask_coq(problem: Instance, claim: Certificate, leaves: dict[int, LeafFacts]) -> CoqVerdict:
    import sys

    from hadaropt.certificates.coq_check import check_with_coq

    def tell() -> None:
        said = "compiling the verified checker, once: about 25 s, more on a busy machine"
        print(f"hadaropt: {said}", file=sys.stderr)

    return check_with_coq(problem, claim, tell=tell, facts=leaves)


def _rejected(facts: Mapping[str, object], wrong: CertificateError) -> Answer:
    from hadaropt.cli.common import exits
    from hadaropt.cli.common.failures import error_facts

    document = {**facts, "verified": False, **error_facts(wrong)}
    return Answer(document, [("rejected", str(wrong))], exit_code=exits.NO)
