"""Running the verified checker of ``proofs/coq`` on a certificate."""

from __future__ import annotations

import os
import re
import signal
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hadaropt.certificates.coq import coq_terms, one_file
from hadaropt.certificates.coq_hints import LeafFacts
from hadaropt.certificates.coq_library import Coq, compiled_checker, find_coq
from hadaropt.certificates.coq_parts import Files, export_parts
from hadaropt.certificates.format import Certificate
from hadaropt.child_process import ended_by
from hadaropt.errors import CertificateError, CoqError, LimitError
from hadaropt.instance import Instance

MAX_BYTES = 8_000_000
"""Coq needs about 1.6 GB and some minutes for a file of so many bytes."""
MAX_PARTS = 8
"""Of a tree, by default: each Coq needs some 0.3 GB."""
_OUT_OF_MEMORY = (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT)
"""Signals that end a process without memory, or without room for its stack."""
_CLOSED = "Closed under the global context"
_THEOREM = re.compile(r"^Theorem (\w+)", re.MULTILINE)
_ERROR_LINE = re.compile(
    r'line (\d+), characters [^\n]*:\nError:\s*The term "eq_refl[^"]*" has type\s*"true = true"'
)
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
    files : int
        Number of the files that Coq has read.
    file_bytes : int
        Their size together.
    """

    version: str
    theorems: tuple[str, ...]
    files: int
    file_bytes: int


def check_with_coq(
    instance: Instance,
    certificate: Certificate,
    *,
    tell: Callable[[], None] | None = None,
    facts: dict[int, LeafFacts] | None = None,
    processes: int | None = None,
) -> CoqVerdict:
    """Have Coq prove value and bound of a certificate, by the verified checker.

    Parameters
    ----------
    instance : Instance
    certificate : Certificate
    tell : callable, optional
        Called before the checker is compiled, where it is not kept.
    facts : dict of int to LeafFacts, optional
        What the verifier has found of the leaves of the tree; found anew where it is left out.
    processes : int, optional
        At most so many Coqs at once, each on a part of the tree; by default, one for each core
        that may be used, up to `MAX_PARTS`.

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
    terms = coq_terms(instance, certificate, facts=facts)
    most = min(cores(), MAX_PARTS) if processes is None else processes
    files = export_parts(instance, terms, most)
    text = one_file(instance, terms) if files is None else ""
    check_bytes(len(text) if files is None else files.size)
    with compiled_checker(coq, tell=tell) as library:
        return judge(coq, library, text) if files is None else judge_parts(coq, library, files)


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
    return _judge(coq, library, [("exported", text)])


def judge_parts(coq: Coq, library: Path, files: Files) -> CoqVerdict:
    """Compile a certificate that was exported in parts, the parts at once; return what it proves.

    Raises
    ------
    CertificateError, CoqError, LimitError
        See `check_with_coq`.
    """
    return _judge(coq, library, (files.first,), files.parts, (files.last,))


def _judge(coq: Coq, library: Path, *steps: Sequence[tuple[str, str]]) -> CoqVerdict:
    """Compile the files of one step after the other; return what the last file proves."""
    with tempfile.TemporaryDirectory(prefix="hadaropt-coq-") as folder:
        for step in steps:
            said = _compile(coq, library, Path(folder), *step)
    return _verdict(coq, said, [text for step in steps for _, text in step])


def _compile(coq: Coq, library: Path, folder: Path, *files: tuple[str, str]) -> str:
    """Compile (name, text) at the same time; return what the last one says."""
    for name, text in files:
        Path(folder, f"{name}.v").write_text(text, encoding="ascii")
    done = coq.compile_against(library, folder, *(f"{name}.v" for name, _ in files))
    for (_, text), one in zip(files, done, strict=True):
        if one.returncode:
            raise _refusal(coq, text, one.stderr or one.stdout, one.returncode)
    return done[-1].stdout


def _verdict(coq: Coq, said: str, texts: Sequence[str]) -> CoqVerdict:
    """Return what the last of some files proves, if they compile and it rests on nothing else."""
    proved = tuple(name for name in _THEOREM.findall(texts[-1]) if name not in _REFUSED)
    if said.count(_CLOSED) != 1 or "Axioms:" in said:
        raise CoqError(f"Coq {coq.version} names assumptions of the proof: {said.strip()}")
    return CoqVerdict(coq.version, proved, len(texts), sum(map(len, texts)))


def _refusal(coq: Coq, text: str, said: str, code: int) -> Exception:
    """Return the error that stands for what Coq says: a no of the checker, or another failure."""
    found = _ERROR_LINE.search(said)
    if found is not None:
        above = "\n".join(text.split("\n")[: int(found[1])])
        name = _THEOREM.findall(above)[-1]
        return CertificateError("", f"the verified checker says no: {_REFUSED[name]}")
    by = f" (ended by {ended_by(code)})" if code < 0 else ""
    if -code in _OUT_OF_MEMORY or re.search("stack overflow|out of memory", said, re.IGNORECASE):
        return LimitError(
            f"the certificate is too large for Coq: it ran out of memory on {len(text)} bytes{by}; "
            "hadaropt verify without --coq checks all of it"
        )
    if by:
        return CoqError(f"coqc was ended by {ended_by(code)}: try again")
    return CoqError(
        f"Coq {coq.version} fails on the exported file: {' '.join(said.split())[-400:]}"
    )
