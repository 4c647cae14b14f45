"""Numba's news of compilations, for the clock of compilations; loaded with numba only."""

from __future__ import annotations

from functools import cache

from numba.core import event

from hadaropt.kernels.compile_time import watch as clock


class _Listener(event.Listener):
    def on_start(self, event: object) -> None:
        clock.begin()

    def on_end(self, event: object) -> None:
        clock.end()


@cache
def watch() -> None:
    """Begin to listen, once."""
    event.register("numba:compile", _Listener())
