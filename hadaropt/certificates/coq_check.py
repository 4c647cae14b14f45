"""Running the verified checker of ``proofs/coq`` on a certificate."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hadaropt.certificates.coq import export_coq
from hadaropt.certificates.coq_library import Coq, compiled_checker, find_coq
from hadaropt.certificates.format import Certificate
from hadaropt.errors import CertificateError, CoqError, LimitError
from hadaropt.instance import Instance

MAX_BYTES = 8_000_000
"""Coq needs about 1.6 GB and some minutes for a file of so many bytes."""
_CLOSED = "Closed under the global context"
_THEOREM = re.compile(r"^Theorem (\w+)", re.MULTILINE)
_ERROR_LINE = re.compile(r'line (\d+), characters [^\n]*:\nError:\s*The term "eq_refl')
_REFUSED = {
    "accepted": "the bound does not follow from the prices or the tree",
    "bound_is_tight": "the bound is larger than what the prices or the tree prove",
    "schedule_accepted": "the schedule is infeasible, or is not worth its value",
    "run_accepted": "a hypothesis fails on the posted prices, or the run is none on them",
}


@dataclass(frozen=True)
class CoqVerdict:
    """What Coq has proved of an instance and a certificate.

    Attributes
    ----------
    version : str
        Of Coq.
    theorems : tuple of str
        ``bound_holds``, ``value_attained``, if value = bound ``optimal``, and where prices are
        posted ``theorem_applies`` and ``this_run``: each without axioms.
    file_bytes : int
        Size of the file that Coq has read.
    """

    version: str
    theorems: tuple[str, ...]
    file_bytes: int


def check_with_coq(
    instance: Instance, certificate: Certificate, *, tell: Callable[[], None] | None = None
) -> CoqVerdict:
    """Have Coq prove value and bound of a certificate, by the verified checker.

    ``tell`` is called before the checker is compiled, where it is not kept.

    Raises
    ------
    CertificateError
        If the checker refuses the certificate, or has no theorem for its level.
    CoqError
        If Coq is missing or too old, or fails for another reason.
    LimitError
        If the certificate is too large for Coq.
    ScheduleError
        If the paired schedule is malformed.
    """
    coq = find_coq()
    text = export_coq(instance, certificate)
    check_bytes(len(text))
    with compiled_checker(coq, tell=tell) as library:
        return judge(coq, library, text)


def check_bytes(size: int) -> None:
    """Refuse a file that is too large for Coq.

    Raises
    ------
    LimitError
        With its size, and what can be checked all the same.
    """
    if size > MAX_BYTES:
        raise LimitError(
            f"the certificate is too large for Coq: a file of {size} bytes, at most {MAX_BYTES}; "
            "hadaropt verify without --coq checks all of it"
        )


def judge(coq: Coq, library: Path, text: str) -> CoqVerdict:
    """Compile an exported certificate; return what it proves.

    Raises
    ------
    CertificateError, CoqError, LimitError
        See `check_with_coq`.
    """
    with tempfile.TemporaryDirectory(prefix="hadaropt-coq-") as folder:
        Path(folder, "exported.v").write_text(text, encoding="ascii")
        done = coq.compile_against(library, Path(folder), "exported.v")
    named = _THEOREM.findall(text)
    if done.returncode:
        raise _refusal(coq, text, done.stderr or done.stdout, done.returncode)
    proved = tuple(name for name in named if name not in _REFUSED)
    if done.stdout.count(_CLOSED) != 1 or "Axioms:" in done.stdout:
        raise CoqError(f"Coq {coq.version} names assumptions of the proof: {done.stdout.strip()}")
    return CoqVerdict(coq.version, proved, len(text))


def _refusal(coq: Coq, text: str, said: str, code: int) -> Exception:
    """Return the error that stands for what Coq says: a no of the checker, or another failure."""
    found = _ERROR_LINE.search(said)
    if found is not None:
        above = "\n".join(text.split("\n")[: int(found[1])])
        name = _THEOREM.findall(above)[-1]
        return CertificateError("", f"the verified checker says no: {_REFUSED[name]}")
    if code < 0 or re.search("stack overflow|out of memory", said, re.IGNORECASE):
        return LimitError(
            f"the certificate is too large for Coq: it ran out of memory on {len(text)} bytes; "
            "hadaropt verify without --coq checks all of it"
        )
    return CoqError(
        f"Coq {coq.version} fails on the exported file: {' '.join(said.split())[-400:]}"
    )
