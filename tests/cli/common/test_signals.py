"""SIGTERM ends a command as Ctrl-C does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from hadaropt.cli.common.signals import terminated_as_interrupted

COMMAND = "import sys; from hadaropt.cli import main; main(sys.argv[1:])"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_sweep_says_how_to_go_on(tmp_path, number, code):
    out = tmp_path / "results"
    sizes = ("--seeds", "400", "--jobs", "4", "--rounds", "4", "--parallelism", "mixed")
    arguments = ("bench", "ratio", "--families", "small_uniform", "--policies", "fifo", *sizes)
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments, "--workers", "1", "--out", out, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A background job ignores Ctrl-C, and its children would.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    for line in process.stderr:
        if line.startswith("instances: ") and "proved" in line:
            process.send_signal(number)
            break
    document = json.loads(process.communicate()[0])
    assert process.returncode == document["exit_code"] == code
    assert document["complete"] is False
    assert document["resume"] == (
        f"what was finished is in {out}; the same command computes the rest"
    )
    assert 20 <= document["instances"] == len(document["cells"]) < 400
    assert (out / "cells.parquet").exists()


def test_only_the_first_one_interrupts():
    before = signal.getsignal(signal.SIGTERM)
    with terminated_as_interrupted() as termination:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        assert termination.code(130) == 143
        assert termination.code(0) == 0
    assert signal.getsignal(signal.SIGTERM) is before


ENDS = """
import atexit, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
number = int(sys.argv.pop(1))
import hadaropt.cli.check as check
from hadaropt.cli import entry, main

def press(number):
    os.kill(os.getpid(), number)

def interrupted(*_):
    exec("press(number)", globals())  # Python remembers what a text has raised

def delivered(code, text):
    press(signal.SIGINT)
    return deliver(code, text)

deliver, entry._deliver = entry._deliver, delivered
check.load_instance = interrupted
for late in (signal.SIGINT, signal.SIGTERM):
    atexit.register(press, late)
main()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_the_exit_code_is_that_of_the_answer_whatever_comes_later(tmp_path, number, code):
    (tmp_path / "ends.py").write_text(ENDS)
    command = [sys.executable, "-m", "ends", str(int(number)), "check", "a", "b", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert json.loads(done.stdout)["exit_code"] == code == done.returncode, done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_keeps_its_code():
    with terminated_as_interrupted() as termination:
        assert termination.code(130) == 130


def test_other_threads_and_other_handlers_are_left_alone(monkeypatch):
    def handler(*_):
        raise AssertionError("not called")

    found = []
    before = signal.signal(signal.SIGTERM, handler)
    try:
        with terminated_as_interrupted():
            found.append(signal.getsignal(signal.SIGTERM))
    finally:
        signal.signal(signal.SIGTERM, before)

    def elsewhere():
        with terminated_as_interrupted():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == [handler, before]
