"""SIGTERM ends a command as Ctrl-C does: what was reached is kept and said."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from hadaropt.cli import exits

QUIET_SECONDS = 5.0
"""After a SIGTERM, others are ignored for so long: they would disturb the clean end."""


class Termination:
    """Whether this process was told to end, by SIGTERM.

    Attributes
    ----------
    asked : bool
    """

    def __init__(self) -> None:
        self.asked = False
        self._at = 0.0

    def code(self, code: int) -> int:
        """Return the exit code: that of SIGTERM where SIGTERM was the interrupt."""
        return exits.TERMINATED if self.asked and code == exits.INTERRUPTED else code

    def _ask(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self.asked and now < self._at + QUIET_SECONDS:
            return
        self.asked, self._at = True, now
        raise KeyboardInterrupt


@contextmanager
def terminated_as_interrupted() -> Iterator[Termination]:
    """Make SIGTERM a KeyboardInterrupt within the block.

    Where it is ignored or handled already, or in another thread than the main one, nothing changes.
    """
    termination = Termination()
    own = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    if not own or before is not signal.SIG_DFL:
        yield termination
        return
    signal.signal(signal.SIGTERM, termination._ask)
    try:
        yield termination
    finally:
        signal.signal(signal.SIGTERM, before)
