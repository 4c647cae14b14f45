"""How long kernels have been compiled in this process: waiting for that uses up no limit of time.

Loading a kernel that an earlier process compiled is not counted: that takes milliseconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from numba.core import event


class _Watch(event.Listener):
    """Adds up the times from the beginning of compilations to their end, nested ones once."""

    def __init__(self) -> None:
        self.tell: Callable[[], None] | None = None
        self._depth, self._begin, self._total = 0, 0.0, 0.0
        self._lock = threading.Lock()

    def on_start(self, event: object) -> None:
        with self._lock:
            self._depth += 1
            if self._depth > 1:
                return
            self._begin = time.perf_counter()
            tell, self.tell = self.tell, None
        if tell is not None:
            tell()

    def on_end(self, event: object) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self._total += time.perf_counter() - self._begin

    def seconds(self) -> float:
        with self._lock:
            running = time.perf_counter() - self._begin if self._depth else 0.0
            return self._total + running


_watch = _Watch()
event.register("numba:compile", _watch)


def compiling_seconds() -> float:
    """Return the seconds spent on compiling so far."""
    return _watch.seconds()


def when_compiling(tell: Callable[[], None]) -> None:
    """Let a function be called once, when the next compilation begins."""
    _watch.tell = tell


__all__ = ["compiling_seconds", "when_compiling"]
