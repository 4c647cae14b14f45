"""P13: seconds of start-up, each in fresh processes, median of several.

python -m benchmarks.runtime.start_up [--runs 7]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CASES = {
    "bare Python": "pass",
    "import numpy": "import numpy",
    "import hadaropt": "import hadaropt",
    "hadaropt --help": "import sys; sys.argv = ['hadaropt', '--help']\n"
    "from hadaropt.cli import main\nmain()",
    "import numpy, highspy, numba": "import numpy, highspy, numba",
    "first small solve": "import hadaropt\nhadaropt.solve_ilp(hadaropt.read_instance(EXAMPLE))",
}


def write_example(folder: Path) -> str:
    """Write a small instance and return its file."""
    import hadaropt
    from hadaropt.generate import generate

    file = folder / "small.json"
    hadaropt.write_instance(generate("small_uniform", seed=0, num_jobs=3, num_rounds=6), file)
    return str(file)


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
    with tempfile.TemporaryDirectory() as folder:
        example = repr(write_example(Path(folder)))
        for case, code in CASES.items():
            wall, processor = median_seconds(code.replace("EXAMPLE", example), options.runs)
            print(f"{case:30} {wall:7.3f} {processor:7.3f}", flush=True)


if __name__ == "__main__":
    main()
