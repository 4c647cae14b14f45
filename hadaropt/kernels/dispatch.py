"""The decorator of all kernels, and the rule that says when they run as plain Python.

To load numba takes longer than a small instance takes plain Python, and to compile takes far
longer. So a kernel is compiled (or its kept code loaded) on its first call outside of small work;
numba is not imported before. Results are the same either way, since kernels are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

SMALL_WORK = 1500
"""Work (see `work`) up to this is small: tens of milliseconds of plain Python."""
PLAIN_CALLS = 60_000
"""So many calls in a process, also of kernels by kernels, run as plain Python (about 0.3 s):
whoever asks for more, also by many small instances, is served better by compiled code."""

_small: ContextVar[bool | None] = ContextVar("small", default=False)
_left = PLAIN_CALLS


class Kernel(Generic[P, R]):
    """A function on integer arrays that runs compiled, or as plain Python within small work.

    Attributes
    ----------
    py_func : callable
        The function; in plain Python it still calls other kernels by the rule above.
    """

    def __init__(self, function: Callable[P, R]) -> None:
        self.py_func = function
        self._dispatcher: Any = None
        update_wrapper(self, function)

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Return the value of the function, by compiled code or plain Python."""
        global _left
        if self._dispatcher is None:
            if _left > 0 and _small.get():
                _left -= 1
                return self.py_func(*arguments, **named)
            self._dispatcher = self._compiled()
        try:
            found: R = self._dispatcher(*arguments, **named)
        except SystemError as broken:
            # Ctrl-C in a function of Python that the compiled code calls at its end.
            cause: BaseException | None = broken
            while cause is not None and not isinstance(cause, KeyboardInterrupt):
                cause = cause.__cause__
            if cause is None:
                raise
            raise KeyboardInterrupt from broken
        return found

    @property
    def dispatcher(self) -> Any:
        """Return what numba made of the function; nothing is compiled before a call."""
        if self._dispatcher is None:
            self._dispatcher = self._compiled()
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """Return the type as which other kernels know this one."""
        return self.dispatcher._numba_type_

    def _compiled(self) -> Any:
        from hadaropt.kernels.cache import compiled

        return compiled(self.py_func)


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Make a kernel of a function."""
    return Kernel(function)


@contextmanager
def work(jobs: int, rounds: int, units: int) -> Iterator[None]:
    """Let kernels within the block, in this thread, run as plain Python if the work is small.

    Parameters
    ----------
    jobs, rounds, units : int
        Size of an instance: the work is their product.
    """
    if _small.get() is None:
        yield
        return
    before = _small.set(jobs * rounds * units <= SMALL_WORK)
    try:
        yield
    finally:
        _small.reset(before)


@contextmanager
def always_compiled() -> Iterator[None]:
    """Let no work within the block be small, to fill the cache by it."""
    before = _small.set(None)
    try:
        yield
    finally:
        _small.reset(before)


__all__ = ["PLAIN_CALLS", "SMALL_WORK", "Kernel", "always_compiled", "kernel", "work"]
