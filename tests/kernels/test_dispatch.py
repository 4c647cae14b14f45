"""Small work runs as plain Python: without numba, and with the same answers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hadaropt.kernels import dispatch
from hadaropt.kernels.dispatch import Kernel, always_compiled, kernel, work

ROOT = Path(__file__).parents[2]
TINY = ROOT / "examples" / "tiny.json"
RUN = """
import sys
import hadaropt
from hadaropt.kernels.compile_time import compiling_seconds
from hadaropt.policies import PrimalDual

instance = hadaropt.read_instance(sys.argv[1])
solved = hadaropt.solve(instance)
assert solved.value == 126.5
proof = hadaropt.certify(instance, solved)
assert hadaropt.verify(instance, proof)
assert hadaropt.check_schedule(instance, solved.schedule).value == solved.value
for price in ("zero_start", "exponential", "threshold", "linear", "step"):
    hadaropt.run_online(instance, PrimalDual(price=price))
assert compiling_seconds() == 0
assert not {"numba", "networkx", "scipy"} & set(sys.modules)
"""
COMMANDS = """
import sys
from hadaropt.cli import main

try:
    main(sys.argv[1:])
except SystemExit as stop:
    assert not stop.code
assert not {"numba", "networkx", "scipy"} & set(sys.modules)
"""


@kernel
def triple(x):
    return 3 * x


@kernel
def triples(x):
    return triple(x) + 1


def test_tiny_work_compiles_nothing_and_loads_no_numba(tmp_path: Path) -> None:
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(TINY)], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.rglob("*.nbc"))


@pytest.mark.parametrize("command", ["solve", "online"])
def test_tiny_commands_load_what_they_need(tmp_path: Path, command: str) -> None:
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, command, str(TINY)],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "253/2" in done.stdout or command == "online"
    assert not list(tmp_path.rglob("*.nbc"))


def fresh(monkeypatch: pytest.MonkeyPatch, calls: int = 1000) -> Kernel:
    """Return a kernel that calls another, none compiled yet, and allow so many plain calls."""
    monkeypatch.setattr(dispatch, "_left", calls)
    monkeypatch.setitem(globals(), "triple", Kernel(triple.py_func))
    return Kernel(triples.py_func)


def test_kernels_called_by_kernels_in_small_work_run_as_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = fresh(monkeypatch)
    with work(2, 3, 4):
        assert made(np.int64(5)) == 16
    assert made._dispatcher is None and triple._dispatcher is None
    assert dispatch._left == 998


def test_large_work_and_work_after_many_calls_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    for jobs, calls in ((10**6, 1000), (1, 0)):
        made = fresh(monkeypatch, calls)
        with work(1, 1, 1), work(jobs, 1, 1):
            assert made(np.int64(5)) == 16
        assert len(made.dispatcher.signatures) == 1


def test_what_fills_the_cache_is_never_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    made = fresh(monkeypatch)
    with always_compiled(), work(1, 1, 1):
        assert made(np.int64(5)) == 16
    assert len(made.dispatcher.signatures) == 1


def test_ctrl_c_at_the_end_of_compiled_code_is_ctrl_c():
    def compiled(cause):
        raise SystemError("returned a result with an exception set") from cause

    own = dispatch.kernel(lambda cause: None)
    own._dispatcher = compiled
    pressed = SystemError("the same of what it calls")
    pressed.__cause__ = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        own(pressed)
    with pytest.raises(SystemError, match="exception set"):
        own(ValueError())
