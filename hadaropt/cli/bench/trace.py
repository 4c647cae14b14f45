"""``hadaropt bench ratio --trace FILE``: policies on a real trace, as intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hadaropt.cli.bench.run import check_writers, exit_code_of, resume_line, write_ratio_files
from hadaropt.cli.common.answer import Answer, Table
from hadaropt.cli.common.exits import INTERRUPTED
from hadaropt.cli.common.names import chosen
from hadaropt.cli.common.options import UsageError
from hadaropt.cli.common.progress import progress_bar

if TYPE_CHECKING:
    from hadaropt.bench.ratio.recorded import RecordedCell

NOTE = (
    "OPT/P: the interval best known/P .. certified bound/P; no optimum is proved here. Bounds are "
    "Lagrangian, verified without a solver. Three model seeds per setting; the default horizon is "
    "the round by which FIFO completes 95 % of the jobs."
)


def trace_ratio(
    path: Path,
    policies: str | None,
    round_seconds: int,
    workers: int,
    dask: str | None,
    cell_seconds: float,
    retry: bool,
    out: Path | None,
) -> Answer:
    """Run the trace suite, or what is missing of it in its folder, and return its tables."""
    from json import dumps

    from hadaropt.bench.ratio import report
    from hadaropt.bench.ratio.calibrated import Calibrated
    from hadaropt.bench.ratio.contestants import contestant_names
    from hadaropt.bench.ratio.policy_text import policy_from_text
    from hadaropt.bench.ratio.recorded import NOTE as RECORDED_NOTE
    from hadaropt.bench.ratio.recorded import RECORDED, recorded_cells
    from hadaropt.bench.ratio.summary import summarise
    from hadaropt.bench.ratio.sweep import Failure
    from hadaropt.bench.ratio.trace import (
        TRACE_POLICIES,
        TraceSuite,
        load_lines,
        setting,
        sweep_trace,
        trace_definition,
    )
    from hadaropt.bench.results.store import cell_record
    from hadaropt.sweep import open_store
    from hadaropt.sweep.manifest import write_manifest

    if round_seconds < 1:
        raise UsageError(f"--round-seconds {round_seconds}: must be >= 1")
    check_writers(out)
    known = (*contestant_names(), RECORDED)
    names = chosen("--policies", policies, TRACE_POLICIES, known, parameters=True)
    suite = TraceSuite(
        str(path),
        tuple(name for name in names if name != RECORDED),
        round_seconds=round_seconds,
    )
    if not suite.policies:
        raise UsageError(f"--policies {RECORDED}: must name a policy beside it")
    own = recorded_cells(suite) if RECORDED in names else []
    for text in suite.policies:
        if isinstance(policy_from_text(text), Calibrated):
            raise UsageError(f"--policies {text}: an earlier instance is not known with --trace")
    head = load_lines(suite)
    found, failures, complete = {}, [], True
    definition = trace_definition(suite)
    with (
        open_store(out, dumps(definition)) as store,
        progress_bar("instances", len(suite.tasks())) as advance,
    ):
        if retry:
            store.forget_failures()
        how: dict[str, Any] = {"workers": workers, "dask": dask, "cell_seconds": cell_seconds}
        try:
            for one in sweep_trace(suite, store, **how):
                if isinstance(one, Failure):
                    failures.append(one)
                    advance(0)
                    continue
                task, cells = one
                found[task] = cells
                advance(sum(cell.closed for cell in cells[:1]))
        except KeyboardInterrupt:
            complete = False
    cells = [cell for task in suite.tasks() if task in found for cell in found[task]]
    tables = []
    for jobs, horizon, _ in suite.tasks()[:4]:
        part = [c for task in found if task[:2] == (jobs, horizon) for c in found[task]]
        columns = (f"policy ({setting(jobs, horizon)})", *report.RATIO_COLUMNS[1:])
        if part:
            tables.append(Table(columns, report.ratio_rows(summarise(part))))
    if own:
        tables.append(_recorded_table(own))
    written = write_ratio_files(cells, out, failures)
    if out is not None:
        counts = {"done": len(cells), "failed": len(failures)}
        facts = {"definition": definition, "complete": complete, "cells": counts}
        written["manifest"] = str(write_manifest(out, facts))
    lines = [*head, ("note", NOTE), *((f"{name} file", file) for name, file in written.items())]
    if own:
        lines.append(("note", RECORDED_NOTE))
    if not complete:
        lines.insert(0, ("resume", resume_line(out)))
        lines.insert(0, ("stopped", "interrupted; the tables show what was finished"))
    if failures:
        lines.insert(0, ("failed instances", str(len(failures))))
        rows = [(failure.place, failure.status, failure.reason) for failure in failures]
        tables.append(Table(("failed", "status", "reason"), rows))
    document = {
        "command": "bench ratio",
        "trace": path.name,
        "complete": complete,
        "facts": dict(head),
        "cells": [cell_record(cell) for cell in cells],
        RECORDED: [asdict(cell) | {"pools": dict(cell.pools)} for cell in own],
        "failures": [{"cell": f.place, "status": f.status, "reason": f.reason} for f in failures],
        "files": written,
    }
    code = exit_code_of(failures) if complete else INTERRUPTED
    return Answer(document, lines, tables, code)


def _recorded_table(cells: Sequence[RecordedCell]) -> Table:
    from hadaropt.bench.ratio.report import figure

    columns = ("recorded schedule", "jobs", "GPUs", "value", "best known", "bound", "OPT/P")
    rows = []
    for cell in cells:
        low, high = (
            float(x / cell.value) if cell.value else math.inf for x in (cell.best, cell.bound)
        )
        gpus = ", ".join(f"{size:,} {pool}" for pool, size in cell.pools.items())
        values = (f"{float(x):.4g}" for x in (cell.value, cell.best, cell.bound))
        between = f"{figure(low)}..{figure(high)}"
        rows.append((cell.jobs, f"{cell.count:,}", gpus, *values, between))
    return Table(columns, rows)
