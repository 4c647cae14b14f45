"""SIGTERM ends a command as Ctrl-C does: what was reached is kept and said."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from hadaropt.cli import exits


class Termination:
    """Whether this process was told to end, by SIGTERM.

    Attributes
    ----------
    asked : bool
    """

    def __init__(self) -> None:
        self.asked = False

    def code(self, code: int) -> int:
        """Return the exit code: that of SIGTERM where SIGTERM was the interrupt."""
        return exits.TERMINATED if self.asked and code == exits.INTERRUPTED else code

    def _ask(self, number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one would disturb the clean end
        self.asked = True
        raise KeyboardInterrupt


@contextmanager
def terminated_as_interrupted() -> Iterator[Termination]:
    """Make SIGTERM a KeyboardInterrupt within the block; the first one only.

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
