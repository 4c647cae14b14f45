"""Who dives: this process, one dive after the other, or several processes at once.

Threads would not do: half of a dive is Python, and holds the lock of the interpreter. Dives are
begun ahead of their turn and told in order; see `Descent.within` for why nobody can tell from the
answer how many ran at once.
"""

from __future__ import annotations

import math
import pickle
import socket
import struct
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from multiprocessing.connection import Connection
from typing import Protocol

from hadaropt.child_process import how_ended, start_child
from hadaropt.offline.clock import Clock
from hadaropt.offline.heuristics.dive import Allowance, Descent, Dive
from hadaropt.offline.heuristics.diving import Diving

MOST_DIVERS = 16
"""Processes that dive at the most: further ahead, most dives would begin from old schedules."""
AHEAD = 2
"""Dives that a process is asked for at once: it never waits for the next one."""
GRACE_SECONDS = 0.25
"""Seconds beyond a limit of time that an answer is waited for."""
BEAT_SECONDS = 5.0
"""Seconds after which a process says again that it is alive."""
SILENT_SECONDS = 60.0
"""Seconds of silence, or of reading nothing, after which a process is given up: it hangs."""
DIVE, DROP, SPACE, DIVING = b"dive", b"drop", b"spac", b"divi"
"""What a message to a process is about: its first bytes."""


class Begun(Protocol):
    """A dive that was asked for."""

    def result(self) -> Descent:
        """Return what it found."""
        ...

    def drop(self) -> None:
        """Let nobody wait for it."""
        ...


class Divers(Protocol):
    """Who dives."""

    @property
    def count(self) -> int:
        """How many dives are begun at once."""
        ...

    def start(self) -> None:
        """Get ready: there will be dives."""
        ...

    def load(self, diving: Diving) -> None:
        """Let the next dives be those of ``diving``, with its cuts."""
        ...

    def begin(self, dive: Dive, value: Fraction, clock: Clock) -> Begun:
        """Begin a dive for a plan worth more than ``value``."""
        ...


class _Later:
    """A dive of this process: it runs when its answer is asked for."""

    def __init__(self, diving: Diving, dive: Dive, value: Fraction, clock: Clock) -> None:
        self._diving, self._dive, self._value, self._clock = diving, dive, value, clock

    def result(self) -> Descent:
        return self._diving.descend(self._dive, self._value, Allowance.of(self._clock))

    def drop(self) -> None:
        pass


class OneDiver:
    """The process that asks."""

    count = 1

    def __init__(self) -> None:
        self._diving: Diving | None = None

    def start(self) -> None:
        """Do nothing: it is ready."""

    def load(self, diving: Diving) -> None:
        """Let the next dives be those of ``diving``."""
        self._diving = diving

    def begin(self, dive: Dive, value: Fraction, clock: Clock) -> Begun:
        """Return a dive that runs when its answer is asked for."""
        assert self._diving is not None
        return _Later(self._diving, dive, value, clock)


class _DeadError(Exception):
    """A process is of no use any more."""


class _SilentError(_DeadError):
    """A process has said nothing for too long."""


class _Child:
    """A process that dives."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            self.process = start_child(
                "hadaropt.offline.heuristics.diver",
                str(number),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(number,),
            )
        # Also where it reads nothing, and its messages pile up: then sending fails.
        wait = struct.pack("ll", math.ceil(SILENT_SECONDS), 0)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, wait)
        self._connection = Connection(ours.detach())
        self._sent = 0
        self._told: dict[int, Descent | Exception] = {}
        self.waiting: set[int] = set()
        """The numbers of the dives whose answers are still of use."""

    def tell(self, about: bytes, content: bytes) -> None:
        """Send a message."""
        try:
            self._connection.send_bytes(about + content)
        except BlockingIOError:  # it has read nothing for too long
            raise _SilentError from None
        except OSError:
            raise _DeadError from None

    def ask(self, dive: Dive, value: Fraction, allowance: Allowance) -> int:
        """Send a dive; return its number."""
        self._sent += 1
        self.waiting.add(self._sent)
        self.tell(DIVE, pickle.dumps((self._sent, dive, value, allowance)))
        return self._sent

    def answer(self, number: int, seconds: float) -> Descent | None:
        """Return what a dive found; None if that takes longer."""
        end = time.monotonic() + seconds
        while number not in self._told:
            left = max(end - time.monotonic(), 0.0)
            try:
                if not self._connection.poll(min(left, SILENT_SECONDS)):
                    if left <= SILENT_SECONDS:
                        return None
                    raise _SilentError
                message = self._connection.recv_bytes()
            except (EOFError, OSError):
                raise _DeadError from None
            if not message:  # it is alive
                continue
            of, told = pickle.loads(message)
            if of in self.waiting:
                self._told[of] = told
        self.waiting.remove(number)
        found = self._told.pop(number)
        if isinstance(found, Exception):
            raise found
        return found

    def drop(self, number: int) -> None:
        """Let nobody wait for a dive."""
        self.waiting.discard(number)
        self._told.pop(number, None)
        self.tell(DROP, str(number).encode())

    def close(self) -> str:
        """End the process; return how it had ended before, if it had."""
        code = self.process.poll()
        self.process.kill()
        self.process.wait()
        self._connection.close()
        code = self.process.returncode if code is None else code
        return how_ended(code)


class _Asked:
    """A dive of another process."""

    def __init__(
        self, owner: DiverProcesses, child: _Child, number: int, clock: Clock, alone: _Later
    ) -> None:
        self._owner, self._child, self._number = owner, child, number
        self._clock, self._alone = clock, alone

    def result(self) -> Descent:
        try:
            seconds = self._clock.machine_seconds() + GRACE_SECONDS
            found = self._child.answer(self._number, seconds)
        except _DeadError as error:
            self._owner.bury(self._child, error)
            return self._alone.result()
        if found is None:
            self.drop()
            return Descent(None, (), 0)
        return found

    def drop(self) -> None:
        try:
            self._child.drop(self._number)
        except _DeadError as error:
            self._owner.bury(self._child, error)


class DiverProcesses:
    """Processes of this machine. What a lost one was to find is found by this process.

    Parameters
    ----------
    most : int
        How many.
    """

    def __init__(self, most: int) -> None:
        self._most, self._alone = most, OneDiver()
        self._children: list[_Child] = []
        self._started = False
        self._loaded: Diving | None = None

    @property
    def count(self) -> int:
        """How many dives are begun at once."""
        return max(1, AHEAD * len(self._children))

    def start(self) -> None:
        """Start the processes, which load what they need meanwhile."""
        if self._started:
            return
        self._started = True
        try:
            while len(self._children) < self._most:
                self._children.append(_Child())
        except OSError as error:
            _warn(f"no further process can be started ({error})")

    def load(self, diving: Diving) -> None:
        """Let the next dives be those of ``diving``, with its cuts."""
        self._alone.load(diving)
        before, self._loaded = self._loaded, diving
        if before is diving:
            return
        if before is None or before.space is not diving.space:
            self._tell_all(SPACE, diving.space)
        self._tell_all(DIVING, (diving.cuts, diving.first, diving.params))

    def begin(self, dive: Dive, value: Fraction, clock: Clock) -> Begun:
        """Begin a dive in the process that was asked for the fewest."""
        alone = self._alone.begin(dive, value, clock)
        assert isinstance(alone, _Later)
        for child in sorted(self._children, key=lambda child: len(child.waiting)):
            if len(child.waiting) < AHEAD:
                try:
                    number = child.ask(dive, value, Allowance.of(clock))
                except _DeadError as error:
                    self.bury(child, error)
                    continue
                return _Asked(self, child, number, clock, alone)
        return alone

    def _tell_all(self, about: bytes, content: object) -> None:
        message = pickle.dumps(content)
        for child in list(self._children):
            try:
                child.tell(about, message)
            except _DeadError as error:
                self.bury(child, error)

    def bury(self, child: _Child, error: _DeadError) -> None:
        """Go on without a process that died or hangs."""
        if child in self._children:
            self._children.remove(child)
            ended = child.close()
            hangs = isinstance(error, _SilentError)
            how = f"said nothing for {SILENT_SECONDS:.0f} s" if hangs else f"ended ({ended})"
            _warn(f"a process that dives has {how}")

    def close(self) -> None:
        """End all processes."""
        while self._children:
            self._children.pop().close()


def _warn(trouble: str) -> None:
    message = f"{trouble}; the solve goes on without it, to the same answer at equal work"
    warnings.warn(message, RuntimeWarning, stacklevel=2)


@contextmanager
def divers(threads: int | None) -> Iterator[Divers]:
    """Provide who dives; the processes end with the block.

    Parameters
    ----------
    threads : int, optional
        How many dives may run at once; above 1 each in a process of its own.
    """
    if threads is None or threads == 1:
        yield OneDiver()
        return
    processes = DiverProcesses(min(threads, MOST_DIVERS))
    try:
        yield processes
    finally:
        processes.close()


__all__ = ["Begun", "DiverProcesses", "Divers", "OneDiver", "divers"]
