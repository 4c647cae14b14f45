"""Runs tasks in a child process that is killed at their wall limit and replaced when it dies."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from typing import Any, cast

from hadaropt.child_process import how_ended, start_child
from hadaropt.sweep.sources import source_hash
from hadaropt.sweep.task import Outcome, Status, Task

TRIES = 3
"""Attempts at a cell whose process dies: one, and two more."""
WARM_SECONDS = 900.0
"""Limit for loading and compiling before the first cell of a process."""
_LAST_WORDS = 4000

Call = tuple[str, Mapping[str, object]]
"""A function ``package.module:name`` and its payload."""


class _DeadError(Exception):
    """The child died; the message says how."""


class _LateError(Exception):
    """The child was killed at the limit."""


class Runner:
    """One child process, started when it is first needed.

    Parameters
    ----------
    warm : (function, payload) or None
        What a new process calls first, outside of all limits, to compile kernels.
    """

    def __init__(self, warm: Call | None = None) -> None:
        self.warm = warm
        self._child: subprocess.Popen[bytes] | None = None
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the runner)

    def run(self, task: Task, needed: Mapping[str, object] | None, sources: str) -> Outcome:
        """Return the outcome of a task; nothing that a cell does makes this raise."""
        compiled, reason, words = 0.0, "", ""
        for attempt in range(1, TRIES + 1):
            started = time.perf_counter()
            try:
                compiled += self._start(sources)
                started = time.perf_counter()
                found = self._ask(task.function, task.payload, needed, task.seconds, sources)
            except _LateError:
                took = time.perf_counter() - started
                reason = f"stopped at its limit of {task.seconds:g} s"
                return Outcome("timeout", reason, None, self._said(), took, attempt, compiled)
            except _DeadError as dead:
                reason, words = str(dead), self._said()
                continue
            status = cast(Status, found["status"])
            return Outcome(
                status,
                found.get("reason", ""),
                found.get("result"),
                found.get("detail", ""),
                found["seconds"],
                attempt,
                compiled,
            )
        took = time.perf_counter() - started
        return Outcome("crash", f"{reason}, {TRIES} times", None, words, took, TRIES, compiled)

    def warm_up(self) -> float:
        """Start the child and return the seconds that it spent on loading and compiling."""
        try:
            return self._start(source_hash())
        except (_DeadError, _LateError):
            return 0.0  # the first cell will show it, with its reason

    def close(self) -> None:
        """Kill the child."""
        if self._child is not None:
            self._kill(self._child)
        self._words.close()

    def _start(self, sources: str) -> float:
        if self._child is not None and self._child.poll() is None:
            return 0.0
        started = time.perf_counter()
        self._child = start_child(  # in a session of its own: the cell's own children die too
            "hadaropt.sweep.child",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
        )
        if self.warm is not None:
            self._ask(*self.warm, None, WARM_SECONDS, sources)
        return time.perf_counter() - started

    def _ask(
        self,
        function: str,
        payload: Mapping[str, object],
        needed: Mapping[str, object] | None,
        seconds: float,
        sources: str,
    ) -> dict[str, Any]:
        child = self._child
        assert child is not None and child.stdin is not None and child.stdout is not None
        request = {
            "function": function,
            "payload": payload,
            "needed": needed,
            "seconds": seconds,
            "sources": sources,
        }
        self._words.seek(0)
        self._words.truncate()
        try:
            child.stdin.write(json.dumps(request).encode() + b"\n")
            child.stdin.flush()
            line = _line(child.stdout.fileno(), time.monotonic() + seconds)
        except BrokenPipeError:
            line = b""
        except BaseException:  # late, or Ctrl-C of the owner
            self._kill(child)
            raise
        if not line.endswith(b"\n"):
            self._kill(child)
            raise _DeadError(f"its process died ({how_ended(child.returncode)})")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _kill(self, child: subprocess.Popen[bytes]) -> None:
        """Kill the child with all that it has started, unless it has ended by itself."""
        try:
            child.wait(0.2 if child.poll() is None and self._ended(child) else 0)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue
        self._child = None

    @staticmethod
    def _ended(child: subprocess.Popen[bytes]) -> bool:
        """Return whether the child has closed its output: it is about to end."""
        assert child.stdout is not None
        with selectors.DefaultSelector() as ready:
            ready.register(child.stdout, selectors.EVENT_READ)
            return bool(ready.select(0))

    def _said(self) -> str:
        size = self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, size - _LAST_WORDS))
        return self._words.read().decode(errors="replace")


def _line(file: int, deadline: float) -> bytes:
    """Return what arrives until a line ends (or the other end closes)."""
    parts = b""
    with selectors.DefaultSelector() as ready:
        ready.register(file, selectors.EVENT_READ)
        while not parts.endswith(b"\n"):
            if not ready.select(max(0.0, deadline - time.monotonic())):
                raise _LateError
            more = os.read(file, 1 << 20)
            if not more:
                break
            parts += more
    return parts


_OF_THREAD = threading.local()


def run_on_worker(
    task: Task, needed: Mapping[str, object] | None, sources: str, warm: Call | None
) -> Outcome:
    """Run a task in the child of this thread of a Dask worker."""
    runner: Runner | None = getattr(_OF_THREAD, "runner", None)
    if runner is None or runner.warm != warm:
        runner = _OF_THREAD.runner = Runner(warm)
    return runner.run(task, needed, sources)
