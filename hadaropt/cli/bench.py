"""``hadaropt bench ratio``: policies against proved optima, or on a trace."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from hadaropt.cli.answer import Answer, Table
from hadaropt.cli.exits import INTERRUPTED, YES
from hadaropt.cli.options import AsJson, UsageError

if TYPE_CHECKING:
    from hadaropt.bench.cells import Cell
    from hadaropt.bench.ratio import RatioSuite

bench = App(name="bench", help="Benchmarks of ratio and runtime.")

Names = Annotated[str | None, Parameter(help="Comma-separated; all of the default suite if none.")]


@bench.command
def ratio(
    *,
    families: Names = None,
    policies: Names = None,
    parallelism: Names = None,
    seeds: Annotated[int, Parameter(help="Seeds 0 .. N-1 of each family.")] = 20,
    jobs: Annotated[int, Parameter(help="Jobs of each instance.")] = 12,
    rounds: Annotated[int, Parameter(help="Rounds of each instance.")] = 12,
    time_limit: Annotated[float, Parameter(help="Seconds for the proof of one optimum.")] = 20.0,
    workers: Annotated[int | None, Parameter(help="Processes (the cores, if none).")] = None,
    trace: Annotated[Path | None, Parameter(help="A trace file, instead of families.")] = None,
    round_seconds: Annotated[int, Parameter(help="Length of a round, with --trace.")] = 1800,
    out: Annotated[Path | None, Parameter(help="A new folder for results and pictures.")] = None,
    json: AsJson = False,
) -> Answer:
    """Measure the empirical competitive ratio of online policies.

    Every policy runs on the same instances; every optimum is proved or stays an interval; every
    certificate is verified without a solver; no policy may beat a proved bound.
    """
    count = workers if workers is not None else os.cpu_count() or 1
    if count < 1:
        raise UsageError(f"--workers {count}: must be >= 1")
    if trace is not None:
        from hadaropt.cli.bench_trace import trace_ratio

        return trace_ratio(trace, policies, round_seconds, count, new_folder(out))
    suite = _suite(families, policies, parallelism, seeds, jobs, rounds, time_limit, out)
    cells, complete = _run(suite, count)
    return _answer(suite, cells, complete, write_results(cells, new_folder(out)))


def _suite(
    families: str | None,
    policies: str | None,
    parallelism: str | None,
    seeds: int,
    jobs: int,
    rounds: int,
    time_limit: float,
    out: Path | None,
) -> RatioSuite:
    from hadaropt.bench.contestants import CONTESTANT_NAMES
    from hadaropt.bench.ratio import DEFAULT_FAMILIES, DEFAULT_POLICIES, RatioSuite
    from hadaropt.generate import FAMILIES
    from hadaropt.instance import PARALLELISM

    for option, value in (("--seeds", seeds), ("--jobs", jobs), ("--rounds", rounds)):
        if value < 1:
            raise UsageError(f"{option} {value}: must be >= 1")
    if not time_limit > 0:
        raise UsageError(f"--time-limit {time_limit}: must be > 0")
    if out is not None and out.exists():
        raise UsageError(f"--out {out}: exists already; name a new folder")
    return RatioSuite(
        chosen("--families", families, DEFAULT_FAMILIES, tuple(FAMILIES)),
        chosen("--policies", policies, DEFAULT_POLICIES, CONTESTANT_NAMES),
        seeds,
        chosen("--parallelism", parallelism, PARALLELISM, PARALLELISM),  # type: ignore[arg-type]
        jobs,
        rounds,
        time_limit,
        None if out is None else str(out),
    )


def chosen(
    option: str, text: str | None, default: Sequence[str], known: Sequence[str]
) -> tuple[str, ...]:
    """Return the names of a comma-separated list, each known, each once.

    Raises
    ------
    UsageError
        For an empty selection or an unknown name; the nearest is named.
    """
    from difflib import get_close_matches

    if text is None:
        return tuple(default)
    names = [name.strip().replace("-", "_") for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError(f'{option} "{text}": selects nothing')
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.4)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UsageError(f"{option} {name}: must be one of {', '.join(known)}{hint}")
    return tuple(dict.fromkeys(names))


def _run(suite: RatioSuite, workers: int) -> tuple[list[Cell], bool]:
    """Run with a progress bar; after Ctrl-C return what is finished."""
    from hadaropt.bench.ratio import in_order, run_ratio
    from hadaropt.cli.progress import progress_bar

    found = {}
    with progress_bar("instances", len(suite.tasks())) as advance:
        try:
            for task, cells in run_ratio(suite, workers=workers):
                found[task] = cells
                advance(sum(cell.closed for cell in cells[:1]))
        except KeyboardInterrupt:
            return in_order(suite, found), False
    return in_order(suite, found), True


def new_folder(out: Path | None) -> Path | None:
    """Make the results folder.

    Raises
    ------
    UsageError
        If it exists: results are never mixed.
    """
    if out is not None:
        if out.exists():
            raise UsageError(f"--out {out}: exists already; name a new folder")
        out.mkdir(parents=True)
    return out


def write_results(cells: Sequence[Cell], out: Path | None) -> dict[str, str]:
    """Write the cells and their pictures; return what was written."""
    if out is None or not cells:
        return {}
    from hadaropt.bench.store import write_cells
    from hadaropt.plot.ratios import save_ratio_figures

    files = {"cells": str(write_cells(cells, out))}
    return files | {name: str(file) for name, file in save_ratio_figures(cells, out).items()}


def _answer(
    suite: RatioSuite, cells: Sequence[Cell], complete: bool, written: dict[str, str]
) -> Answer:
    from hadaropt.bench import report
    from hadaropt.bench.store import cell_record

    tables = []
    for model, summaries in report.by_model(cells).items():
        columns = (f"policy ({model})", *report.RATIO_COLUMNS[1:])
        tables.append(Table(columns, report.ratio_rows(summaries)))
    tables.append(Table(report.CROSS_COLUMNS, report.cross_model_rows(cells)))
    optima = {cell.instance_sha256: cell.closed for cell in cells}
    proved = sum(optima.values())
    lines = [
        ("instances", f"{len(optima)} of {len(suite.tasks())}"),
        ("optima", f"{proved} proved, {len(optima) - proved} open (intervals)"),
        ("note", report.NOTE),
        *((f"{name} file", file) for name, file in written.items()),
    ]
    if not complete:
        lines.insert(0, ("stopped", "interrupted; the tables show what was finished"))
    document = {
        "command": "bench ratio",
        "complete": complete,
        "instances": len(optima),
        "optima_proved": proved,
        "cells": [cell_record(cell) for cell in cells],
        "files": written,
    }
    return Answer(document, lines, tables, YES if complete else INTERRUPTED)
