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
    from hadaropt.errors import CertificateError

CertificateFile = Annotated[
    Path, Parameter(name="CERTIFICATE", help="Certificate file of that instance.")
]


def verify(
    instance: InstanceFile,
    certificate: CertificateFile,
    /,
    *,
    parallelism: Parallelism = None,
    json: AsJson = False,
) -> Answer:
    """Verify a certificate from the instance alone, in exact arithmetic, without a solver.

    Value and bound are verified. A theorem that the certificate names is not; the answer says so.
    Exit code 0: value and bound hold. 1: rejected, with the reason. 4: a file cannot be read.
    """
    from hadaropt.certificates import verify as verify_certificate
    from hadaropt.cli.common.proof import proof_facts, proof_lines
    from hadaropt.errors import CertificateError, OtherInstanceError

    problem = load_instance(instance, parallelism)
    facts = {"command": "verify", "instance": instance_facts(problem)}
    try:
        claim = load_certificate(certificate, problem)
    except OtherInstanceError as wrong:
        return _rejected(facts, wrong)
    try:
        verification = verify_certificate(problem, claim)
    except CertificateError as wrong:
        return _rejected(facts, wrong)
    verdict = "yes"
    if verification.claimed_theorem is not None:
        verdict = "value and bound, not the theorem"
    return Answer(
        {**facts, "verified": True, **proof_facts(verification)},
        [("verified", verdict), *proof_lines(verification)],
    )


def _rejected(facts: Mapping[str, object], wrong: CertificateError) -> Answer:
    from hadaropt.cli.common import exits
    from hadaropt.cli.common.failures import error_facts

    document = {**facts, "verified": False, **error_facts(wrong)}
    return Answer(document, [("rejected", str(wrong))], exit_code=exits.NO)
