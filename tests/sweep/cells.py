"""Cells that behave and misbehave; the processes of a sweep import them by name."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

from hadaropt.errors import InvariantError
from hadaropt.sweep import Task, task_key

HERE = "tests.sweep.cells"


def task(name, needs=None, seconds=600.0, **payload):
    function = f"{HERE}:{name}"
    return Task(task_key({"f": name, **payload}), function, payload, needs, seconds)


def double(payload, needed):
    base = payload["x"] if needed is None else needed["y"]
    return {"y": 2 * base, "certificate": {"proof": ["long"] * 3}}


def noted(payload, needed):
    """Leave a mark per run, so that a test can count them."""
    with open(payload["log"], "a") as file:
        file.write(f"{payload['x']}\n")
    time.sleep(payload.get("sleep", 0))
    return {"y": payload["x"]}


def fails(payload, needed):
    raise ValueError("no such\nluck")


def contradicts(payload, needed):
    raise InvariantError("2 < 1")


def hangs(payload, needed):
    while True:
        time.sleep(0.01)


def dies(payload, needed):
    os.kill(os.getpid(), signal.SIGSEGV)


def dies_once(payload, needed):
    """Die at the first call with this mark, answer at the second."""
    mark = Path(payload["mark"])
    if not mark.exists():
        mark.write_text("x")
        os.kill(os.getpid(), signal.SIGKILL)
    return {"y": 1}


def kills_worker(payload, needed):
    """Kill the worker above this process: the first ``times`` calls."""
    mark = Path(payload["mark"])
    count = len(mark.read_text()) if mark.exists() else 0
    if count < payload["times"]:
        mark.write_text("x" * (count + 1))
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(30)
    return {"y": count}


def prints(payload, needed):
    print("to nobody", flush=True)
    os.system("echo from a child")
    return {"y": 0}


def not_json(payload, needed):
    return {"y": float("nan")}


def warm(payload, needed):
    time.sleep(payload["seconds"])
    return {}


def whoami(payload, needed):
    return json.loads(json.dumps({"y": os.getpid()}))
