"""The runtime suite: measured by pytest-benchmark, read back as a table with growth exponents."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hadaropt.bench.ratio.report import figure
from hadaropt.child_process import ONE_THREAD
from hadaropt.errors import MissingExtraError

ROWS = tuple(f"P{k}" for k in range(1, 18))
FAMILIES = ("six-class", "measured-rates")
OWN = "hadaropt"
AT_A_LIMIT = ("P3", "P4", "P5", "P16", "P17")
"""These run until a limit: the gap is the figure, and seconds neither grow nor compare."""


@dataclass
class Line:
    """One way of doing one row's work on one family, at several sizes.

    Attributes
    ----------
    row, work, family, way : str
    seconds : dict
        Size -> median seconds.
    facts : dict
        What else was measured: name -> size -> value.
    """

    row: str
    work: str
    family: str
    way: str
    seconds: dict[int, float] = field(default_factory=dict)
    facts: dict[str, dict[int, float]] = field(default_factory=dict)

    @property
    def exponent(self) -> float:
        """Least-squares slope b of seconds ~ size^b; nan with fewer than three sizes."""
        points = [(math.log(n), math.log(s)) for n, s in self.seconds.items() if s > 0]
        if len(points) < 3:
            return math.nan
        mean_x = math.fsum(x for x, _ in points) / len(points)
        mean_y = math.fsum(y for _, y in points) / len(points)
        spread = math.fsum((x - mean_x) ** 2 for x, _ in points)
        return math.fsum((x - mean_x) * (y - mean_y) for x, y in points) / spread


def suite_folder() -> Path:
    """Return the folder of the suite: in the installed package, or in the checkout."""
    installed = Path(__file__).parent / "runtime_suite"
    checkout = Path(__file__).parents[2] / "benchmarks" / "runtime"
    return installed if installed.is_dir() else checkout


def run_suite(
    file: Path, rows: Sequence[str] = ROWS, families: Sequence[str] = FAMILIES, sizes: str = "quick"
) -> int:
    """Measure into a file; progress goes to standard error.

    Returns
    -------
    int
        0 if everything that was measured was also right.

    Raises
    ------
    MissingExtraError
        If pytest-benchmark is not installed.
    """
    if find_spec("pytest_benchmark") is None:
        raise MissingExtraError("bench", "pytest-benchmark")
    command = [
        *(sys.executable, "-P", "-m", "pytest", "-q", str(suite_folder())),
        *("-c", os.devnull, "--rootdir", str(suite_folder())),
        *("--rows", ",".join(rows), "--families", ",".join(families), "--sizes", sizes),
        *("--benchmark-json", str(file), "--benchmark-timer", "time.process_time"),
        *("--benchmark-disable-gc", "--benchmark-quiet", "-p", "no:cacheprovider", "-W", "ignore"),
    ]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    # Settings that somebody keeps for tests of their own would choose other rows, hide them, or
    # need plugins that are not here; so no file with settings is read, either.
    alone = {"PYTHONPATH": path, "PYTEST_TIMEOUT": "0", "PYTEST_ADDOPTS": ""}
    environment = os.environ | ONE_THREAD | alone
    return subprocess.run(command, env=environment, stdout=sys.stderr, check=False).returncode


def read_suite(file: Path) -> list[Line]:
    """Return what was measured, in order of the rows; without what failed on the way."""
    document: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    lines: dict[tuple[str, str, str], Line] = {}
    for found in document["benchmarks"]:
        info = dict(found["extra_info"])
        if "row" not in info:
            continue  # its test failed before its place was noted
        row, work, family, way, size = (
            info.pop(name) for name in ("row", "work", "family", "way", "size")
        )
        line = lines.setdefault((row, family, way), Line(row, work, family, way))
        line.seconds[size] = info.pop("seconds", found["stats"]["median"])
        for name, value in info.items():
            line.facts.setdefault(name, {})[size] = value
    return sorted(lines.values(), key=lambda line: (ROWS.index(line.row), line.family))


COLUMNS = ("row", "work", "family", "way", "sizes", "seconds", "growth", "times hadaropt", "also")


def runtime_rows(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """Return the table: medians at each size, the fitted exponent, and peers at the largest."""
    own = {(line.row, line.family): line for line in lines if line.way == OWN}
    return [
        (
            line.row,
            line.work,
            line.family,
            line.way,
            " / ".join(map(str, sorted(line.seconds))),
            " / ".join(_seconds(line.seconds[n]) for n in sorted(line.seconds)),
            _growth(line),
            _times(line, own.get((line.row, line.family))),
            "; ".join(_fact(name, values) for name, values in line.facts.items()),
        )
        for line in lines
    ]


def _growth(line: Line) -> str:
    if line.row in AT_A_LIMIT or math.isnan(line.exponent):
        return ""
    return f"n^{line.exponent:.2f}"


def _times(line: Line, own: Line | None) -> str:
    shared = [] if own is None else sorted(line.seconds.keys() & own.seconds.keys())
    if own is None or line is own or line.row in AT_A_LIMIT:
        return ""
    if not shared or not own.seconds[shared[-1]]:
        return ""
    return f"{figure(line.seconds[shared[-1]] / own.seconds[shared[-1]], 1)}x"


def _seconds(value: float) -> str:
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _fact(name: str, values: Mapping[int, float]) -> str:
    shown = " / ".join(
        "none" if value is None or not math.isfinite(value) else f"{value:.3g}"
        for _, value in sorted(values.items())
    )
    return f"{name.replace('_percent', ' %').replace('_', ' ')} {shown}"


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return the table as Markdown."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
