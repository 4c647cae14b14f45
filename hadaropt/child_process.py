"""Processes that run a module of this package: how they find it, and with how many threads."""

from __future__ import annotations

import os
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


__all__ = ["ONE_THREAD", "start_child"]
