"""The process of a cell: an answer for every request, whatever the cell does."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from hadaropt.sweep.child import answer
from hadaropt.sweep.sources import source_hash
from tests.sweep.cells import HERE


def request(name, **changes):
    own = {"function": f"{HERE}:{name}", "payload": {"x": 1}, "needed": None}
    return own | {"sources": source_hash(), "seconds": 60} | changes


def test_what_a_function_returns_is_the_answer():
    found = answer(request("double"))
    assert (found["status"], found["result"]["y"]) == ("done", 2)
    assert answer(request("double", needed={"y": 21}))["result"]["y"] == 42
    assert found["seconds"] >= 0


@pytest.mark.parametrize(
    ("asked", "status", "reason"),
    [
        (request("fails"), "error", "ValueError: no such luck"),
        (request("contradicts"), "breach", "InvariantError: 2 < 1"),
        (request("not_json"), "error", "ValueError: Out of range float"),
        (request("absent"), "error", "AttributeError"),
        (request("double", function="no.such.module:f"), "error", "ModuleNotFoundError"),
        (request("double", sources="other"), "error", "RuntimeError: the worker has other sources"),
        ({}, "error", "KeyError"),
    ],
)
def test_whatever_goes_wrong_is_a_row_in_one_line(asked, status, reason):
    found = answer(asked)
    assert found["status"] == status
    assert found["reason"].startswith(reason) and "\n" not in found["reason"]
    assert "Traceback" in found["detail"]
    json.dumps(found, allow_nan=False)


def test_the_process_answers_line_by_line_and_ends_with_its_input():
    command = [sys.executable, "-m", "hadaropt.sweep.child"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as child:
        said = []
        for name in ("double", "prints", "fails"):
            child.stdin.write(json.dumps(request(name)) + "\n")
            child.stdin.flush()
            said.append(json.loads(child.stdout.readline())["status"])
        child.stdin.close()
        assert said == ["done", "done", "error"]
        assert child.stdout.read() == ""
        assert child.wait() == 0
        assert child.stderr.read() == "to nobody\nfrom a child\n"
