"""``hadaropt bench ratio --trace FILE``: policies on a real trace, as intervals."""

from __future__ import annotations

from pathlib import Path

from hadaropt.cli.answer import Answer, Table
from hadaropt.cli.bench import chosen, write_results
from hadaropt.cli.exits import INTERRUPTED, YES
from hadaropt.cli.options import UsageError
from hadaropt.cli.progress import progress_bar

NOTE = (
    "OPT/P: the interval best known/P .. certified bound/P; no optimum is proved here. Bounds are "
    "Lagrangian, verified without a solver. Three model seeds per setting; the default horizon is "
    "the round by which FIFO completes 95 % of the jobs."
)


def trace_ratio(
    path: Path, policies: str | None, round_seconds: int, workers: int, out: Path | None
) -> Answer:
    """Run the trace suite and return its tables."""
    from hadaropt.bench import report
    from hadaropt.bench.contestants import contestant_names
    from hadaropt.bench.store import cell_record
    from hadaropt.bench.summary import summarise
    from hadaropt.bench.trace import TRACE_POLICIES, TraceSuite, load_lines, run_trace

    if round_seconds < 1:
        raise UsageError(f"--round-seconds {round_seconds}: must be >= 1")
    suite = TraceSuite(
        str(path),
        chosen("--policies", policies, TRACE_POLICIES, contestant_names()),
        round_seconds=round_seconds,
    )
    head = load_lines(suite)
    found, complete = {}, True
    with progress_bar("instances", len(suite.tasks())) as advance:
        try:
            for task, cells in run_trace(suite, workers=workers):
                found[task] = cells
                advance(sum(cell.closed for cell in cells[:1]))
        except KeyboardInterrupt:
            complete = False
    cells = [cell for task in suite.tasks() if task in found for cell in found[task]]
    tables = []
    for jobs, horizon, _ in suite.tasks()[:4]:
        part = [c for task in found if task[:2] == (jobs, horizon) for c in found[task]]
        columns = (f"policy ({jobs}, horizon {horizon})", *report.RATIO_COLUMNS[1:])
        if part:
            tables.append(Table(columns, report.ratio_rows(summarise(part))))
    written = write_results(cells, out)
    lines = [*head, ("note", NOTE), *((f"{name} file", file) for name, file in written.items())]
    if not complete:
        lines.insert(0, ("stopped", "interrupted; the tables show what was finished"))
    document = {
        "command": "bench ratio",
        "trace": path.name,
        "complete": complete,
        "facts": dict(head),
        "cells": [cell_record(cell) for cell in cells],
        "files": written,
    }
    return Answer(document, lines, tables, YES if complete else INTERRUPTED)
