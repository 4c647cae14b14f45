"""The process that dives: it ends with its owner, however that ends."""

from __future__ import annotations

import socket
import subprocess
import threading
from multiprocessing.connection import Connection

from hadaropt.child_process import start_child
from hadaropt.offline.heuristics.diver import Inbox, Outbox


def test_it_ends_when_its_owner_is_gone() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        number = theirs.fileno()
        child = start_child(
            "hadaropt.offline.heuristics.diver",
            str(number),
            stdin=subprocess.DEVNULL,
            pass_fds=(number,),
        )
    ours.close()
    assert child.wait(60) == 0


def test_the_inbox_keeps_the_order_and_notes_what_is_dropped() -> None:
    ours, theirs = socket.socketpair()
    gone = threading.Event()
    with Connection(ours.detach()) as owner:
        inbox = Inbox(Connection(theirs.detach()), gone.set)
        owner.send_bytes(b"spacxyz")
        owner.send_bytes(b"drop7")
        owner.send_bytes(b"dive")
        assert inbox.next() == (b"spac", b"xyz")
        assert inbox.next() == (b"dive", b"")  # read after the drop
        assert inbox.dropped(7) and not inbox.dropped(6) and not inbox.dropped(8)
        assert not gone.is_set()
    assert gone.wait(60)


def test_the_outbox_says_in_between_that_the_process_is_alive() -> None:
    ours, theirs = socket.socketpair()
    with Connection(ours.detach()) as owner:
        outbox = Outbox(Connection(theirs.detach()), 0.01)
        assert owner.recv_bytes() == b""
        outbox.send(b"answer")
        while not (message := owner.recv_bytes()):
            pass
        assert message == b"answer"
