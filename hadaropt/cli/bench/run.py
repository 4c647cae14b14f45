"""Running experiments: what all commands of ``hadaropt bench`` share."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from hadaropt.cli.common.answer import Answer, Table
from hadaropt.cli.common.exits import BREACH, INTERRUPTED, NO, YES
from hadaropt.cli.common.options import (
    MaybeInteger,
    UsageError,
    check_extra,
    option,
    option_error,
    out_option,
)

if TYPE_CHECKING:
    from hadaropt.bench.ratio.cells import Cell
    from hadaropt.bench.ratio.sweep import Failure
    from hadaropt.bench.results.experiment import Experiment
    from hadaropt.bench.results.run import Results

Out = Annotated[
    Path | None,
    out_option(
        "Folder for results and pictures: new, or of this experiment, to complete it.",
        default="not written",
    ),
]
Workers = Annotated[
    MaybeInteger, option("Processes at once.", default="the cores", unit="processes")
]
Cluster = Annotated[
    str | None,
    option("Address of a Dask cluster (tcp://HOST:PORT).", default="this machine", name="--dask"),
]
Retry = Annotated[
    bool, Parameter(negative=(), help="Compute the cells again that failed in the folder.")
]
CellLimit = Annotated[
    float,
    option("After so long a cell is stopped and fails.", name="--cell-time-limit", unit="seconds"),
]

OPTIONS = {"cell_seconds": "cell-time-limit", "scheduler": "schedulers"}
"""By the names that an experiment has for what they say, where these are others."""
FEW_DRAWS = "The interval is - with fewer than five draws (a family and a seed are one)."
ONE_SEED = "The interval is - with one seed."


def count_workers(workers: int | None) -> int:
    """Return the number of processes: all cores unless asked otherwise; one without Dask.

    Raises
    ------
    UsageError
        If it is below 1.
    """
    if workers is None:
        return (os.cpu_count() or 1) if find_spec("distributed") else 1
    if workers < 1:
        raise UsageError(f"--workers {workers}: must be >= 1")
    return workers


def make_experiment(document: Mapping[str, object]) -> Experiment:
    """Return the experiment of options; what is wrong is wrong usage.

    Raises
    ------
    UsageError
    """
    from hadaropt.bench.results.experiment import experiment
    from hadaropt.errors import InstanceError

    try:
        return experiment(document)
    except InstanceError as bad:
        raise option_error(bad, OPTIONS) from None


def carry_out(
    experiment: Experiment,
    command: str,
    out: Path | None,
    workers: int | None,
    dask: str | None,
    retry: bool,
) -> Answer:
    """Run an experiment with a progress bar, and return its tables."""
    from hadaropt.bench.results.run import run_experiment, size
    from hadaropt.cli.common.progress import progress_bar

    check_writers(out)
    what = "instances" if experiment.kind == "ratio" else "cells"
    with progress_bar(what, size(experiment)) as advance:
        results = run_experiment(
            experiment,
            out=out,
            workers=count_workers(workers),
            dask=dask,
            retry=retry,
            advance=advance,
        )
    write_pictures(results, out)
    return answer_of(results, command, out)


def check_writers(out: Path | None) -> None:
    """Check, before any work is done, that cells and pictures can be written where they are to be.

    Raises
    ------
    MissingExtraError
        If a module that writes them is not installed.
    """
    if out is not None:
        check_extra("bench", "polars")
        check_extra("bench", "matplotlib")


def write_pictures(results: Results, out: Path | None) -> None:
    """Export the cells as parquet, and draw them."""
    if out is None:
        return
    from hadaropt.bench.results import store

    if results.experiment.kind == "ratio":
        results.files |= write_ratio_files(results.cells, out, results.failures)
        return
    from hadaropt.bench.results.comparison import common_jct
    from hadaropt.io.parquet import make_frame, write_frame

    common = common_jct(results.simulated)
    rows = [
        store.simulated_record(cell, common[cell.family, cell.seed, cell.scheduler])
        for cell in results.simulated
    ]
    rows += [store.failure_record(failure) for failure in results.failures]
    file = out / "cells.parquet"
    write_frame(make_frame(rows), file)
    results.files["cells"] = str(file)


def write_ratio_files(
    cells: Sequence[Cell], out: Path | None, failures: Sequence[Failure]
) -> dict[str, str]:
    """Write the cells and their pictures; return what was written."""
    if out is None or not (cells or failures):
        return {}
    from hadaropt.bench.results.store import write_cells
    from hadaropt.plot.ratios import save_ratio_figures

    files = {"cells": str(write_cells(cells, out, failures))}
    figures = save_ratio_figures(cells, out) if cells else {}
    return files | {name: str(path) for name, path in figures.items()}


def exit_code_of(failures: Sequence[Failure]) -> int:
    """Return the exit code of a sweep that ran to its end."""
    if any(failure.status == "breach" for failure in failures):
        return BREACH
    return NO if failures else YES


def resume_line(out: Path | None) -> str:
    """Return what to do after an interrupt."""
    if out is None:
        return "nothing is kept without --out"
    return f"what was finished is in {out}; the same command computes the rest"


def answer_of(results: Results, command: str, out: Path | None) -> Answer:
    """Return the answer of a command: tables, failures, files, exit code."""
    document, lines, tables = (
        _ratio_parts(results) if results.experiment.kind == "ratio" else _scheduler_parts(results)
    )
    failed = results.failures
    if not results.complete:
        lines.insert(0, ("resume", resume_line(out)))
        lines.insert(0, ("stopped", "interrupted; the tables show what was finished"))
    if failed:
        lines.insert(0, ("failed cells", str(len(failed))))
        rows = [(failure.place, failure.status, failure.reason) for failure in failed]
        tables.append(Table(("failed", "status", "reason"), rows))
    lines += [(f"{name} file", file) for name, file in results.files.items()]
    code = exit_code_of(failed) if results.complete else INTERRUPTED
    whole = {
        "command": command,
        "complete": results.complete,
        **({} if results.complete else {"resume": resume_line(out)}),
        **document,
        "failures": [{"cell": f.place, "status": f.status, "reason": f.reason} for f in failed],
        "seconds": results.seconds,
        "files": results.files,
    }
    return Answer(whole, lines, tables, code)


Parts = tuple[dict[str, object], list[tuple[str, str]], list[Table]]


def _ratio_parts(results: Results) -> Parts:
    from hadaropt.bench.ratio import report
    from hadaropt.bench.results import comparison
    from hadaropt.bench.results.store import cell_record

    experiment, cells = results.experiment, results.cells
    suites: Any = experiment.suites
    tables = []
    for k, suite in enumerate(suites):
        for model, summaries in report.by_model(results.of_suite(k)).items():
            where = " ".join(part for part in (suite.label, model) if part)
            heading = (f"policy ({where})", *report.RATIO_COLUMNS[1:])
            tables.append(Table(heading, report.ratio_rows(summaries)))
    tables.append(Table(report.CROSS_COLUMNS, report.cross_model_rows(cells)))
    optima = {cell.instance_sha256: cell.closed for cell in cells}
    proved = sum(optima.values())
    lines = [
        ("instances", f"{len(optima)} of {sum(len(suite.tasks()) for suite in suites)}"),
        ("optima", f"{proved} proved, {len(optima) - proved} open (intervals)"),
        ("note", f"{report.NOTE} {FEW_DRAWS}"),
    ]
    paired = []
    if experiment.compares:
        rows = []
        for k, suite in enumerate(suites):
            found = comparison.paired_shares(results.of_suite(k), experiment.baseline)
            rows += comparison.paired_rows(found, suite.label)
            paired += [{"label": suite.label, **row.__dict__} for row in found]
        columns = (comparison.against(experiment.baseline), "", *comparison.PAIRED_COLUMNS)
        tables.append(Table(columns, rows))
        lines.append(("paired", f"{comparison.PAIRED_NOTE} {ONE_SEED}"))
    document: dict[str, object] = {
        "instances": len(optima),
        "optima_proved": proved,
        "cells": [cell_record(cell) for cell in cells],
        "paired": paired,
    }
    return document, lines, tables


def _scheduler_parts(results: Results) -> Parts:
    from hadaropt.bench.results import comparison
    from hadaropt.bench.results.store import simulated_record

    common = comparison.common_jct(results.simulated)
    baseline = results.experiment.baseline
    tables = [
        Table((f"scheduler ({family})", *comparison.SCHEDULER_COLUMNS), rows)
        for family, rows in comparison.scheduler_rows(results.simulated, baseline).items()
    ]
    lines = [
        ("workloads", str(len(results.instances))),
        ("baseline", baseline),
        ("note", f"{comparison.SCHEDULER_NOTE} {ONE_SEED}"),
    ]
    cells = [
        simulated_record(cell, common[cell.family, cell.seed, cell.scheduler])
        for cell in results.simulated
    ]
    return {"baseline": baseline, "cells": cells}, lines, tables
