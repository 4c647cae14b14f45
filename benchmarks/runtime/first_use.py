"""P14: seconds until the first answers of a new installation, and of later ones.

    python -m benchmarks.runtime.first_use

A virtual environment is made that sees the installed packages of this one, with a home of its own:
no kernel is compiled there. Wall seconds, since that is what a person waits, and processor seconds,
which other work on the machine changes less.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
import venv
from pathlib import Path
from sysconfig import get_paths
from typing import NamedTuple

import hadaropt
from hadaropt.generate import generate

from .start_up import write_example

CASES = ("solve 3 jobs", "online 3 jobs", "solve 30 jobs, limit 10")
LIMIT = 10
"""Seconds; without those of compiling, which are announced."""


def new_environment(folder: Path) -> tuple[Path, dict[str, str]]:
    """Return the interpreter of a fresh environment, and the variables to run it with."""
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    (own,) = (folder / "venv").glob("lib/python*/site-packages")
    paths = [get_paths()["purelib"], str(Path(hadaropt.__file__).parents[1])]
    lines = [f"import site; site.addsitedir({path!r})\n" for path in paths]
    (own / "shared.pth").write_text("".join(lines))
    home = folder / "home"
    home.mkdir()
    dropped = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "PYTHONPATH", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return folder / "venv" / "bin" / "python", kept | {"HOME": str(home), "TMPDIR": str(home)}


def measure(case: str) -> dict[str, float]:
    """Return the seconds of a command cold, and again warm; its answers are asserted."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python, variables = new_environment(folder)
        command, jobs = case.split(" ")[:2]
        if jobs == "3":
            arguments = [command, write_example(folder)]
        else:
            large = generate("small_uniform", seed=1, num_jobs=int(jobs), num_rounds=24)
            hadaropt.write_instance(large, folder / "large.json")
            arguments = [command, str(folder / "large.json"), "--time-limit", str(LIMIT)]
        found = {}
        for state in ("cold", "warm"):
            run = timed(python, [*arguments, "--json"], variables, folder)
            found[state], found[f"{state}_cpu"] = run.wall, run.cpu
            answer = json.loads(run.output)
            assert run.code in (0, 3), run.code
            assert answer["objective" if command == "solve" else "primal"] not in (None, "0")
        return found


class Run(NamedTuple):
    """What a command answered: exit code and standard output; wall and processor seconds."""

    code: int
    output: bytes
    wall: float
    cpu: float


def timed(python: Path, arguments: list[str], variables: dict[str, str], folder: Path) -> Run:
    """Run ``hadaropt`` with these arguments in a folder."""
    began = time.perf_counter()
    child = subprocess.Popen(
        [python, "-m", "hadaropt", *arguments], env=variables, cwd=folder, stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    with child.stdout:
        output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - began
    return Run(child.returncode, output, wall, usage.ru_utime + usage.ru_stime)


def main() -> None:
    names = ("cold", "warm", "cold_cpu", "warm_cpu")
    print(f"{'seconds':26}" + "".join(f"{name:>10}" for name in names))
    for case in CASES:
        found = measure(case)
        print(f"{case:26}" + "".join(f"{found[name]:10.2f}" for name in names), flush=True)


if __name__ == "__main__":
    main()
