"""P13: seconds of start-up, each in fresh processes, median of several.

python -m benchmarks.runtime.start_up [--runs 7]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "tiny.json")
CASES = {
    "bare Python": "pass",
    "import numpy": "import numpy",
    "import hadaropt": "import hadaropt",
    "hadaropt --help": "import sys; sys.argv = ['hadaropt', '--help']\n"
    "from hadaropt.cli import main\nmain()",
    "import numpy, highspy, numba": "import numpy, highspy, numba",
    "first small solve": (
        f"import hadaropt\nhadaropt.solve_ilp(hadaropt.read_instance({EXAMPLE!r}))"
    ),
}


def median_seconds(code: str, runs: int) -> tuple[float, float]:
    """Return the medians of wall and of processor seconds, after one warm-up run."""
    wall, processor = [], []
    for k in range(runs + 1):
        started = time.perf_counter()
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        assert status == 0
        if k:
            wall.append(time.perf_counter() - started)
            processor.append(usage.ru_utime + usage.ru_stime)
    return statistics.median(wall), statistics.median(processor)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    print(f"{'case':30} {'wall s':>7} {'cpu s':>7}")
    for case, code in CASES.items():
        wall, processor = median_seconds(code, options.runs)
        print(f"{case:30} {wall:7.3f} {processor:7.3f}", flush=True)


if __name__ == "__main__":
    main()
