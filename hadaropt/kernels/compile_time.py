"""How long kernels have been compiled in this process: waiting for that uses up no limit of time.

Loading a kernel that an earlier process compiled is not counted: that takes milliseconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Watch:
    """Adds up the times from the beginning of compilations to their end, nested ones once.

    Attributes
    ----------
    told : bool
        Whether somebody asked to be told of compilations: then it is theirs to say so.
    """

    def __init__(self) -> None:
        self.tell: Callable[[], None] | None = None
        self.told = False
        self._depth, self._begin, self._total = 0, 0.0, 0.0
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Note that a compilation begins."""
        with self._lock:
            self._depth += 1
            if self._depth > 1:
                return
            self._begin = time.perf_counter()
            tell, self.tell = self.tell, None
        if tell is not None:
            tell()

    def end(self) -> None:
        """Note that a compilation ends."""
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self._total += time.perf_counter() - self._begin

    def seconds(self) -> float:
        """Return the seconds so far."""
        with self._lock:
            running = time.perf_counter() - self._begin if self._depth else 0.0
            return self._total + running


watch = Watch()
"""Of this process; `hadaropt.kernels.compile_events` tells it."""


def compiling_seconds() -> float:
    """Return the seconds spent on compiling so far."""
    return watch.seconds()


def when_compiling(tell: Callable[[], None]) -> None:
    """Let a function be called once, when the next compilation begins."""
    watch.tell, watch.told = tell, True


__all__ = ["compiling_seconds", "watch", "when_compiling"]
