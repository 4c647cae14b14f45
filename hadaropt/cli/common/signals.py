"""SIGTERM ends a command as Ctrl-C does: what was reached is kept and said."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from hadaropt.cli.common import exits
from hadaropt.interrupts import Once

DEFAULT: dict[int, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
}
"""The handlers that are replaced; any other one is left alone."""


class Termination(Once):
    """Whether this process was told to end, by SIGTERM.

    Attributes
    ----------
    asked : bool
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked = False

    def code(self, code: int) -> int:
        """Return the exit code: that of SIGTERM where SIGTERM was the interrupt."""
        return exits.TERMINATED if self.asked and code == exits.INTERRUPTED else code

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt, but not again at once."""
        try:
            super().__call__(number, frame)
        except KeyboardInterrupt:
            self.asked = number == signal.SIGTERM
            raise


@contextmanager
def terminated_as_interrupted(*, last: bool = False) -> Iterator[Termination]:
    """Make SIGTERM a KeyboardInterrupt within the block, and let the first signal alone count.

    A signal that is ignored or handled already stays so; in another thread than the main one
    nothing changes.

    Parameters
    ----------
    last : bool
        Whether the process exits after the block, with a code that signals must not change: they
        are ignored from the end of the block on.
    """
    termination = Termination()
    replaced = []
    if threading.current_thread() is threading.main_thread():
        replaced = [n for n, default in DEFAULT.items() if signal.getsignal(n) is default]
    for number in replaced:
        signal.signal(number, termination)
    try:
        yield termination
    finally:
        for number in replaced:
            signal.signal(number, signal.SIG_IGN if last else DEFAULT[number])
        if last:
            # Python 3.11 remembers a KeyboardInterrupt that passed any text which `exec` ran, and
            # kills itself at exit; what is run last counts.
            eval("0")
