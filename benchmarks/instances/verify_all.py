"""Verify every certificate of the instance library, without a solver.

    python -m benchmarks.instances.verify_all [NAME ...]

Exit code 0 if every certificate proves what the table says, else 1.
"""

from __future__ import annotations

import sys
import time
from collections import Counter

from benchmarks.instances.library import check_entry, read_table
from hadaropt.errors import HadaroptError


def main(names: list[str]) -> int:
    entries = read_table()
    unknown = set(names) - {entry.name for entry in entries}
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    wrong = 0
    count: Counter[str] = Counter()
    print(f"{'instance':44}{'value':>14}{'bound':>14}{'gap %':>9}  status  level   s")
    for entry in entries:
        if names and entry.name not in names:
            continue
        begin = time.perf_counter()
        try:
            found = check_entry(entry)
        except (HadaroptError, ValueError, OSError) as error:
            wrong += 1
            print(f"{entry.name:44} WRONG: {error}")
            continue
        count[entry.status] += 1
        value, bound = float(found.value), float(found.best_bound or 0)
        print(
            f"{entry.name:44}{value:14.6f}{bound:14.6f}{entry.gap:9.4f}  {entry.status}"
            f"  {found.level}  {time.perf_counter() - begin:5.1f}",
            flush=True,
        )
    print(f"{count['proved']} proved, {count['open']} open, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
