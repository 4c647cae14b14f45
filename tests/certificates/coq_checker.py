"""Running the verified checker on exported certificates, as ``hadaropt verify --coq`` does."""

from __future__ import annotations

import atexit
import functools
import re
import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from hadaropt.certificates.coq_check import judge
from hadaropt.certificates.coq_library import compiled_checker, find_coq
from hadaropt.errors import CertificateError

needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="coqc is not installed (Debian package coq)"
)


@functools.cache
def library() -> Path:
    """The compiled checker, kept between sessions where that is possible."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(compiled_checker(find_coq()))


def run_coq(text: str) -> subprocess.CompletedProcess[str]:
    """Compile ``text`` against the checker."""
    with tempfile.TemporaryDirectory(prefix="hadaropt-coq-") as place:
        Path(place, "exported.v").write_text(text)
        return find_coq().compile_against(library(), Path(place), "exported.v")[0]


def accepted(text: str) -> bool:
    """Whether the exported file compiles, closed under the global context."""
    try:
        judge(find_coq(), library(), text)
    except CertificateError:  # the checker said no; any other failure is no verdict
        return False
    return True


def verdicts(header: str, terms: list[str]) -> list[bool]:
    """Evaluate Coq terms of type bool."""
    body = "\n".join(f"Eval vm_compute in ({term} : bool)." for term in terms)
    done = run_coq(f"{header}\n{body}\n")
    assert done.returncode == 0, done.stderr
    found = [word == "true" for word in re.findall(r"= (true|false)", done.stdout)]
    assert len(found) == len(terms)
    return found
