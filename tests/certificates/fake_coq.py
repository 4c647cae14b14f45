"""A Coq that says what a test wants."""

from pathlib import Path

from hadaropt.certificates.coq_library import Coq


def fake_coq(folder: Path, script: str) -> Coq:
    path = folder / "coqc"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return Coq(str(path), "8.16.1", "fake")
