"""Folders for results, made or found before any work is done."""

from __future__ import annotations

from pathlib import Path

from hadaropt.cli.common.options import UsageError


def check_new_folder(out: Path) -> None:
    """Check, before any work is done, that a folder can be made; it is not left there.

    Raises
    ------
    OSError
        If it cannot.
    """
    missing = [folder for folder in (out, *out.parents) if not folder.exists()]
    out.mkdir(parents=True)
    for folder in missing:
        folder.rmdir()


def new_folder(out: Path | None) -> Path | None:
    """Make the results folder.

    Raises
    ------
    UsageError
        If it exists: results are never mixed.
    """
    if out is not None:
        if out.exists():
            raise UsageError(f"--out {out}: exists already; name a new folder")
        out.mkdir(parents=True)
    return out
