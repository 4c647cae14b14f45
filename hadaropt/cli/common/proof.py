"""What is proved about an answer: a certificate made, verified and reported."""

from __future__ import annotations

import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hadaropt.errors import CertificateError, InvariantError, ScheduleError

if TYPE_CHECKING:
    from hadaropt.certificates import Certificate, Verification
    from hadaropt.certificates.coq_check import CoqVerdict
    from hadaropt.instance import Instance
    from hadaropt.results import OnlineRun, Prices, Result
    from hadaropt.schedule import Schedule


@dataclass(frozen=True)
class Proof:
    """A certificate and what verifying it proves."""

    certificate: Certificate
    verification: Verification


class RefusedProofError(InvariantError):
    """The verifier refuses a certificate that this package made.

    Attributes
    ----------
    certificate : Certificate
        As it was made. Its value is still that of a checked schedule; its bound is not proved.
    """

    def __init__(self, certificate: Certificate, reason: str, files: tuple[str, ...]) -> None:
        self.certificate = certificate
        super().__init__(f"the verifier refuses the certificate of this answer: {reason}", files)


def prove(
    instance: Instance, source: OnlineRun | Result | Prices | None, schedule: Schedule | None
) -> Proof:
    """Return the verified certificate of a schedule (none: the empty one) and of prices or a tree.

    Raises
    ------
    RefusedProofError
        If the verifier refuses the certificate, or the bound lies below the value: a defect, never
        one of the schedule. Instance, schedule, certificate and traceback are written to a new
        folder.
    """
    from hadaropt.certificates import certify, verify

    certificate = certify(instance, source, schedule=schedule, posted=True)
    try:
        return Proof(certificate, verify(instance, certificate))
    except (InvariantError, CertificateError, ScheduleError) as refused:
        # The package made it, so its verifier must accept it.
        files = _dump(instance, certificate)
        raise RefusedProofError(certificate, str(refused), files) from refused


def _dump(instance: Instance, certificate: Certificate) -> tuple[str, ...]:
    from hadaropt.certificates import write_certificate
    from hadaropt.io import write_instance
    from hadaropt.io.documents import save_json

    try:
        folder = Path(tempfile.mkdtemp(prefix="hadaropt-breach-"))
        names = ("instance.json", "certificate.json", "schedule.json")
        files = [folder / name for name in names]
        write_instance(instance, files[0])
        write_certificate(certificate, files[1], instance)
        save_json(files[2], dict(certificate.schedule))
        (folder / "traceback.txt").write_text(traceback.format_exc(), encoding="utf-8")
    except OSError:
        return ()  # the message says what was wrong
    return tuple(map(str, files))


def proof_facts(found: Verification) -> dict[str, object]:
    """Return the JSON fields of a verification."""
    return {
        "level": found.level,
        "value": found.value,
        "bound": found.bound,
        "best_bound": found.best_bound,
        "slack": found.slack,
        "ratio": found.ratio,
        "proved_optimal": found.proved,
        "guarantee": None
        if found.guarantee is None
        else {"constant": found.guarantee[0], "additive": found.guarantee[1], "checked": True},
        "theorem": _theorem_facts(found),
    }


def _theorem_facts(found: Verification) -> dict[str, object] | None:
    if found.applied is not None:
        constant, additive = found.applied.constant, found.applied.additive
        return {
            "id": found.applied.id,
            "claimed": found.applied.claimed,
            "checked": True,
            "constant": constant,
            "additive": additive,
        }
    if found.claimed_theorem is None:
        return None
    return {"id": found.claimed_theorem, "checked": False}


COQ_CHECKED = {
    "bound_holds": "no feasible schedule is worth more than the bound",
    "value_attained": "some feasible schedule has the value",
    "optimal": "so that schedule is one of the best",
    "theorem_applies": "the theorem holds of every run on the posted prices",
    "this_run": "OPT <= constant x value + additive for this run",
}
COQ_TRUSTED = (
    "the kernel of Coq and its compiled files",
    "the reader of the instance file",
    "the exporter of the instance and its claims (hadaropt.certificates.coq, coq_run, coq_unit)",
)


def coq_facts(found: CoqVerdict | None) -> dict[str, object]:
    """Return the JSON fields of what Coq has proved; none where it was not asked."""
    if found is None:
        return {}
    checked = {name: COQ_CHECKED[name] for name in found.theorems}
    return {
        "coq": {
            "version": found.version,
            "checked": checked,
            "axioms": [],
            "trusted": list(COQ_TRUSTED),
            "files": found.files,
            "file_bytes": found.file_bytes,
        }
    }


def coq_lines(found: CoqVerdict | None) -> list[tuple[str, str]]:
    """Return the lines of what Coq has proved, for people; none where it was not asked."""
    if found is None:
        return []
    checked = "; ".join(COQ_CHECKED[name] for name in found.theorems)
    size = f"{found.file_bytes} bytes in {found.files} file{'s' if found.files > 1 else ''}"
    return [
        ("coq", f"{found.version}, without axioms, from {size}"),
        ("checked", checked),
        ("trusted", "; ".join(COQ_TRUSTED)),
    ]
