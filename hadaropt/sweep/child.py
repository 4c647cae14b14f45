"""The process in which a cell runs: ``python -m hadaropt.sweep.child``.

Requests come as lines of JSON on standard input, answers leave as lines on what was standard
output; whatever else prints goes to standard error. The process ends with its owner: at the end of
its input, even in the middle of a cell, and at the latest by the alarm that the owner's limit sets.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from typing import Any

from hadaropt.errors import InvariantError
from hadaropt.sweep.sources import source_hash

GRACE = 30.0
"""Seconds after the owner's own limit at which the alarm ends a process without owner."""


def answer(request: Mapping[str, Any]) -> dict[str, object]:
    """Return the outcome of a request, as JSON."""
    started = time.perf_counter()
    try:
        if request["sources"] != source_hash():
            raise RuntimeError("the worker has other sources of hadaropt than the sweep")
        module, _, name = str(request["function"]).partition(":")
        function = getattr(importlib.import_module(module), name)
        found: dict[str, object] = {
            "status": "done",
            "result": function(request["payload"], request["needed"]),
        }
        json.dumps(found, allow_nan=False)
    except Exception as error:  # whatever a cell raises becomes its row
        status = "breach" if isinstance(error, InvariantError) else "error"
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        found = {"status": status, "reason": reason, "detail": traceback.format_exc()}
    return {**found, "seconds": time.perf_counter() - started}


def _read(requests: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)  # the owner is gone: nobody waits for an answer


def main() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    while True:
        request = json.loads(requests.get())
        signal.setitimer(signal.ITIMER_REAL, request["seconds"] + GRACE)
        found = answer(request)
        signal.setitimer(signal.ITIMER_REAL, 0)
        answers.write(json.dumps(found) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
