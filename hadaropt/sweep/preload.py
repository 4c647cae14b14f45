"""What a local Dask worker loads first: Ctrl-C is for the process that owns it."""

from __future__ import annotations

import signal


def dask_setup(worker: object) -> None:
    """Ignore Ctrl-C, which reaches every process of a terminal."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
