"""Signals wait while modules of the package are imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import hadaropt
from hadaropt.importing import _Finder, _Loader, hold_signals_in_imports

PRESSED = """
import signal, sys
import hadaropt

class Presses:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Presses())
from hadaropt.generate import generate
instance = generate("six_class", seed=0, num_jobs=4, num_rounds=4)
said = []
for _ in range(2):
    try:
        said.append(str(hadaropt.solve(instance, work_limit=100).termination))
    except KeyboardInterrupt:
        said.append("pressed")
print(*said, sys.argv[1] in sys.modules)
"""


def pressed(module: str) -> subprocess.CompletedProcess[str]:
    """Solve twice in a new process; Ctrl-C comes when a module is imported for the first time."""
    command = [sys.executable, "-c", PRESSED, module]
    return subprocess.run(command, capture_output=True, text=True)


def test_ctrl_c_in_the_import_of_a_library_leaves_it_whole() -> None:
    for module in ("highspy._core", "numba.core.types"):
        done = pressed(module)
        assert done.returncode == 0, done.stderr
        first, second, loaded = done.stdout.split()
        assert first in ("pressed", "interrupted")  # the solve may have begun
        assert second not in ("pressed", "interrupted") and loaded == "True"


def test_modules_of_others_are_found_as_ever() -> None:
    assert _Finder.find_spec("json") is None
    assert _Finder.find_spec("hadaropt.no_such_module", hadaropt.__path__) is None
    spec = _Finder.find_spec("hadaropt.exact", hadaropt.__path__)
    usual = PathFinder.find_spec("hadaropt.exact", hadaropt.__path__)
    assert isinstance(spec.loader, _Loader)
    assert (spec.origin, spec.cached) == (usual.origin, usual.cached)
    assert Path(spec.origin).is_file()


EARLY = """
import signal, sys
import hadaropt.cli

told = sys.argv[1]

class Presses:
    def find_spec(self, name, *_):
        if name == "hadaropt.cli.common.signals":
            signal.raise_signal(getattr(signal, told))

sys.meta_path.insert(0, Presses())
sys.argv[1:] = ["theorem", "T4", "--json"]
hadaropt.cli.main()
"""


def test_a_signal_that_comes_before_there_are_handlers_is_answered_in_json() -> None:
    for name, code in (("SIGINT", 130), ("SIGTERM", 143)):
        command = [sys.executable, "-c", EARLY, name]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, json.loads(done.stdout)["exit_code"]) == (code, code), done.stderr


def test_the_command_line_handles_signals_before_it_loads_much() -> None:
    """What is loaded by then is what Python loads for itself, and a few modules of this package."""
    code = "import hadaropt.cli, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = done.stdout.split()
    own = [name for name in loaded if name.startswith("hadaropt")]
    assert sorted(own) == ["hadaropt", "hadaropt.cli", "hadaropt.importing"]
    assert not {"typing", "re", "threading", "contextlib"} & set(loaded)


def test_it_is_installed_once() -> None:
    hold_signals_in_imports()
    assert sys.meta_path.count(_Finder) == 1
    assert os.path.isfile(sys.modules["hadaropt.importing"].__file__)
