"""Processes that are started here: how they find this package, and in words how they ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import IO

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Threads of every process that is started here."""


def start_child(
    module: str,
    *arguments: str,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | IO[bytes] | None = None,
    pass_fds: tuple[int, ...] = (),
) -> subprocess.Popen[bytes]:
    """Start a module of this package in a process and a session of its own.

    Ctrl-C in a terminal does not reach it: that is for the process that owns it.
    """
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *arguments],  # -P: not the folder one works in
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=os.environ | ONE_THREAD | {"PYTHONPATH": path},
        start_new_session=True,
        pass_fds=pass_fds,
    )


def ended_by(code: int) -> str:
    """Return the name of the signal that ended a process, from its negative exit code."""
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def how_ended(code: int) -> str:
    """Return in words how a process ended, from its exit code."""
    return f"signal {ended_by(code).removeprefix('signal ')}" if code < 0 else f"exit code {code}"


__all__ = ["ONE_THREAD", "ended_by", "how_ended", "start_child"]
