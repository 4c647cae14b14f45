"""What each kernel costs to compile: seconds, signatures, and the work that asks for it first.

    python -m benchmarks.runtime.compile_times [--markdown]

Runs what ``hadaropt doctor --warm`` runs, with an empty cache. Seconds are processor time of this
process, without those of the kernels that a kernel calls.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from dataclasses import dataclass
from typing import Any


@dataclass
class Cost:
    """Of one kernel."""

    used_by: str
    signatures: int = 0
    seconds: float = 0.0


def measure() -> dict[str, Cost]:
    """Return the cost of every kernel by name, in the order in which they are asked for."""
    from numba.core import event

    from hadaropt.cli.warm import warm_kernels
    from hadaropt.kernels.dispatch import always_compiled

    found: dict[str, Cost] = {}
    running: list[list[Any]] = []  # of each compilation under way: when it began, time within
    at = [""]

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            running.append([time.process_time(), 0.0])

        def on_end(self, event: Any) -> None:
            began, within = running.pop()
            spent = time.process_time() - began
            if running:
                running[-1][1] += spent
            function = event.data["dispatcher"].py_func
            name = f"{function.__module__.removeprefix('hadaropt.kernels.')}.{function.__name__}"
            cost = found.setdefault(name, Cost(at[0]))
            cost.signatures += 1
            cost.seconds += spent - within

    def tell(text: str) -> None:
        at[0] = text

    with event.install_listener("numba:compile", Listener()), always_compiled():
        warm_kernels(tell)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder  # before numba is imported
        found = measure()
    rows = sorted(found.items(), key=lambda row: -row[1].seconds)
    total = Cost(
        "", sum(cost.signatures for _, cost in rows), sum(cost.seconds for _, cost in rows)
    )
    rows.append((f"all {len(found)}", total))
    if options.markdown:
        print("| kernel | signatures | seconds | first used by |\n|---|---|---|---|")
    for name, cost in rows:
        cells = (name, str(cost.signatures), f"{cost.seconds:.1f}", cost.used_by)
        if options.markdown:
            print(f"| {' | '.join(cells)} |")
        else:
            print("{:38} {:>3} {:>7}  {}".format(*cells))


if __name__ == "__main__":
    main()
