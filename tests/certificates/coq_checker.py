"""Running the Coq checker of ``proofs/coq`` on exported certificates."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "proofs" / "coq"
FILES = (
    "SchedModel",
    "CheckerDP",
    "CheckerFill",
    "CheckerLevel",
    "CheckerCopies",
    "CheckerCost",
    "CheckerHeld",
    "CheckerTrim",
    "CheckerJob",
    "CheckerLean",
    "CheckerPacking",
    "Checker",
    "CheckerTree",
    "CheckerSchedule",
)

needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="coqc is not installed (Debian package coq)"
)


@functools.cache
def _workspace() -> tempfile.TemporaryDirectory[str]:
    """Compile the checker once, away from the sources."""
    place = tempfile.TemporaryDirectory(prefix="hadaropt-coq-")
    for name in FILES:
        shutil.copy(SOURCES / f"{name}.v", place.name)
        done = _coqc(place.name, f"{name}.v")
        assert done.returncode == 0, done.stderr
    return place


def _coqc(place: str, name: str) -> subprocess.CompletedProcess[str]:
    command = ["coqc", "-R", ".", "HadarTheory", "-w", "+default", name]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)


def run_coq(text: str) -> subprocess.CompletedProcess[str]:
    """Compile ``text`` against the checker."""
    place = _workspace().name
    Path(place, "exported.v").write_text(text)
    return _coqc(place, "exported.v")


def accepted(text: str) -> bool:
    """Whether the exported file compiles, closed under the global context."""
    done = run_coq(text)
    if done.returncode:
        assert "eq_refl" in done.stderr, done.stderr  # the checker said false, nothing else
        return False
    assert "Closed under the global context" in done.stdout
    return True


def verdicts(header: str, terms: list[str]) -> list[bool]:
    """Evaluate Coq terms of type bool."""
    body = "\n".join(f"Eval vm_compute in ({term} : bool)." for term in terms)
    done = run_coq(f"{header}\n{body}\n")
    assert done.returncode == 0, done.stderr
    found = [word == "true" for word in re.findall(r"= (true|false)", done.stdout)]
    assert len(found) == len(terms)
    return found
