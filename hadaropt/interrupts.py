"""Ctrl-C while a solve runs: the first one ends it, the next ones do not disturb that end.

Where an exception would break something (a library that is half imported stays broken), signals
wait until the end of the block: `held`. Where it would be lost (what is raised in a callback from C
is dropped), they come again a moment later: `held_in_callbacks`.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any, Protocol, TypeVar

QUIET_SECONDS = 5.0
"""After one interrupt, others are ignored for so long: they would disturb the clean end."""


DROPPING = ("__del__",)
"""Functions of Python that C calls and whose errors it drops."""


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
        if _within(frame, DROPPING):
            _come_again(number)
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


AGAIN_SECONDS = 0.02
"""After so long a signal comes again that came in a callback."""
_Handler = Callable[[int, FrameType | None], object]


class _Waiting:
    """A handler that notes a signal, to be handled later."""

    def __init__(self, handler: _Handler) -> None:
        self.handler, self.came = handler, False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.came = True


class _Again:
    """A handler that lets a signal come again where one of some functions runs."""

    def __init__(self, handler: _Handler, functions: tuple[str, ...]) -> None:
        self.handler, self._functions = handler, functions

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if _within(frame, self._functions):
            _come_again(number)
        else:
            self.handler(number, frame)


def _within(frame: FrameType | None, functions: tuple[str, ...]) -> bool:
    """Return whether the frame, or what called it, is of a function of one of the names."""
    while frame is not None and frame.f_code.co_name not in functions:
        frame = frame.f_back
    return frame is not None


def _come_again(number: int) -> None:
    target = threading.main_thread().ident
    threading.Timer(AGAIN_SECONDS, signal.pthread_kill, (target, number)).start()


H = TypeVar("H", _Waiting, _Again)


@contextmanager
def held() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait until the end of the block.

    Handlers of Python alone wait: what ends the process at once still does. In another thread than
    the main one nothing changes, since none of its exceptions come from signals.
    """
    waiting = _replace(_Waiting, _Waiting)
    try:
        yield
    finally:
        _restore(waiting)
        for number, own in waiting.items():
            if own.came:
                signal.raise_signal(number)


@contextmanager
def held_in_callbacks(*functions: str) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM come again, a moment later, if they come where an error is lost.

    Parameters
    ----------
    *functions : str
        Names of the functions that C calls.
    """
    again = _replace(lambda handler: _Again(handler, functions), _Waiting | _Again)
    try:
        yield
    finally:
        _restore(again)


@contextmanager
def held_while_workers_start() -> Iterator[None]:
    """Let signals wait while processes for workers start, and keep Ctrl-C from them for ever.

    Ctrl-C reaches all processes of a terminal, and is for this one alone to answer. Threads and
    processes that are started within the block inherit that it is blocked; so do the workers that
    they start later in the place of dead ones. Dask that is interrupted while it starts cannot be
    closed.
    """
    with held():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _replace(make: Callable[[_Handler], H], but: Any) -> dict[int, H]:
    """Set the handlers that are made of those of Python; those of some classes stay."""
    made: dict[int, H] = {}
    if threading.current_thread() is threading.main_thread():
        for number in HELD:
            handler = signal.getsignal(number)
            if callable(handler) and not isinstance(handler, signal.Handlers | but):
                made[number] = make(handler)
                signal.signal(number, made[number])
    return made


def _restore(made: Mapping[int, _Waiting | _Again]) -> None:
    for number, own in made.items():
        now: object = signal.getsignal(number)
        if now is own:  # nobody has set another one in the block
            signal.signal(number, own.handler)
