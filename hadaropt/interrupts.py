"""Ctrl-C while a solve runs: the first one ends it, the next ones do not disturb that end."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol, TypeVar

QUIET_SECONDS = 5.0
"""After one interrupt, others are ignored for so long: they would disturb the clean end."""


class _Ended(Protocol):
    """The answer of a solver, which says why it stopped."""

    @property
    def termination(self) -> str: ...


A = TypeVar("A", bound=_Ended)


def uninterrupted(answer: A) -> A:
    """Return the answer of a solver, for whoever has no use for one that Ctrl-C has cut short.

    Raises
    ------
    KeyboardInterrupt
        If ``answer.termination`` is ``interrupted``: the solver has answered Ctrl-C by it.
    """
    if answer.termination == "interrupted":
        raise KeyboardInterrupt
    return answer


class Once:
    """A handler that raises KeyboardInterrupt, but not again within `QUIET_SECONDS`."""

    def __init__(self) -> None:
        self._quiet_until = 0.0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt unless it is too early for another one."""
        if time.monotonic() < self._quiet_until:
            return
        self.quiet()
        raise KeyboardInterrupt

    def quiet(self) -> None:
        """Ignore interrupts for a while."""
        self._quiet_until = time.monotonic() + QUIET_SECONDS


def quiet() -> None:
    """Ignore interrupts for a while, where a `Once` handles them: an answer is being kept."""
    handler = signal.getsignal(signal.SIGINT)
    if isinstance(handler, Once):
        handler.quiet()


@contextmanager
def interrupted_once() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt once within the block, and again only after a while.

    Nothing changes where Ctrl-C is handled in another way than by Python, or in another thread
    than the main one.
    """
    own = threading.current_thread() is threading.main_thread()
    if not own or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, Once())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
