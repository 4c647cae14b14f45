"""A process that dives: ``python -m hadaropt.offline.heuristics.diver FILE``; see `divers`.

Messages come through a socket, which it has inherited as file number FILE, and answers leave
through it. It ends with its owner.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection


class Inbox:
    """Messages, read in a thread of its own, so that the owner never waits for their reading.

    Parameters
    ----------
    connection : Connection
    gone : callable
        Called in that thread once the owner is gone.
    """

    def __init__(self, connection: Connection, gone: Callable[[], None]) -> None:
        self._connection, self._gone = connection, gone
        self._messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._dropped: set[int] = set()
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> tuple[bytes, bytes]:
        """Return what the next message is about, and its content."""
        message = self._messages.get()
        return message[:4], message[4:]

    def dropped(self, number: int) -> bool:
        """Return whether nobody waits for a dive any more."""
        return number in self._dropped

    def _read(self) -> None:
        try:
            while True:
                message = self._connection.recv_bytes()
                if message.startswith(b"drop"):
                    self._dropped.add(int(message[4:]))
                else:
                    self._messages.put(message)
        except (EOFError, OSError):
            self._gone()


class Outbox:
    """Answers, and in between empty messages, from a thread: that this process is alive.

    Parameters
    ----------
    connection : Connection
    seconds : float
        Between two of them.
    """

    def __init__(self, connection: Connection, seconds: float) -> None:
        self._connection, self._seconds = connection, seconds
        self._lock = threading.Lock()
        threading.Thread(target=self._beat, daemon=True).start()

    def send(self, message: bytes) -> None:
        """Send an answer."""
        with self._lock:
            self._connection.send_bytes(message)

    def _beat(self) -> None:
        with suppress(OSError):  # the owner is gone, and so is this process in a moment
            while True:
                time.sleep(self._seconds)
                self.send(b"")


def main() -> None:
    """Dive as told until the owner is gone."""
    connection = Connection(int(sys.argv[1]))
    # In the middle of a dive, too: nobody waits for an answer.
    inbox = Inbox(connection, lambda: os._exit(0))

    # Only now: what follows takes a while to load, the compiler of kernels longest.
    import hadaropt.kernels.cache  # noqa: F401
    from hadaropt.offline.colgen.column_generation import Relaxation
    from hadaropt.offline.heuristics.divers import BEAT_SECONDS, DIVING, SPACE
    from hadaropt.offline.heuristics.diving import Diving

    outbox = Outbox(connection, BEAT_SECONDS)
    whole: Relaxation | None = None
    diving: Diving | None = None
    while True:
        about, content = inbox.next()
        if about == SPACE:
            whole = Relaxation(pickle.loads(content))
        elif about == DIVING:
            assert whole is not None
            cuts, first, params = pickle.loads(content)
            relaxation = whole.with_own_master([])
            relaxation.master.add_cuts(cuts)
            diving = Diving(relaxation, first, params)
        else:
            assert diving is not None
            number, dive, value, allowance = pickle.loads(content)
            if inbox.dropped(number):
                continue
            found: object
            try:
                stop = partial(inbox.dropped, number)
                found = diving.descend(dive, value, allowance, stop=stop)
            except Exception as error:  # the owner raises it
                found = error
            outbox.send(pickle.dumps((number, found)))


if __name__ == "__main__":
    main()
