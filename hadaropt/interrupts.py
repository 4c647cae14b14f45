"""Ctrl-C while a solve runs: the first one ends it, the next ones do not disturb that end.

Where an exception would break something or be lost (a library that is half imported stays broken;
what is raised in a callback from C is dropped), signals wait until the end of the block: `held`.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
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
        self._quiet_until = max(self._quiet_until, time.monotonic() + QUIET_SECONDS)

    def finish(self) -> None:
        """Ignore all interrupts from now on."""
        self._quiet_until = math.inf


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


HELD = (signal.SIGINT, signal.SIGTERM)


class _Waiting:
    """A handler that notes a signal, to be handled later."""

    def __init__(self, handler: Callable[[int, FrameType | None], object]) -> None:
        self.handler, self.came = handler, False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.came = True


@contextmanager
def held() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait until the end of the block.

    Handlers of Python alone wait: what ends the process at once still does. In another thread than
    the main one nothing changes, since none of its exceptions come from signals.
    """
    waiting: list[tuple[int, _Waiting]] = []
    if threading.current_thread() is threading.main_thread():
        for number in HELD:
            handler = signal.getsignal(number)
            if callable(handler) and not isinstance(handler, signal.Handlers | _Waiting):
                own = _Waiting(handler)
                waiting.append((number, own))
                signal.signal(number, own)
    try:
        yield
    finally:
        for n, own in waiting:
            now: object = signal.getsignal(n)
            if now is own:  # nobody has set another one in the block
                signal.signal(n, own.handler)
        for n, own in waiting:
            if own.came:
                signal.raise_signal(n)
