"""``hadaropt report``: a results folder as one page for people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from hadaropt.cli.common.answer import Answer
from hadaropt.cli.common.options import (
    AsJson,
    UsageError,
    check_extra,
    check_outputs,
    option,
    out_option,
)

ResultsFolder = Annotated[
    Path, Parameter(name="RESULTS", help="Folder that `hadaropt bench ... --out` has written.")
]


def report(
    results: ResultsFolder,
    /,
    *,
    output: Annotated[Path | None, out_option("The page.", default="RESULTS/report.html")] = None,
    run: Annotated[
        str | None,
        option(
            "FAMILY:SEED:PARALLELISM:POLICY to show in detail.",
            default="the worst primal-dual run",
        ),
    ] = None,
    json: AsJson = False,
) -> Answer:
    """Write one HTML page of a results folder that opens offline and prints.

    Distributions, profiles, certificates, run time, worst cases and one run in detail; every figure
    with its numbers to download (extras: bench).
    """
    from hadaropt.bench.page.build import build_page
    from hadaropt.bench.page.results import ResultsError, read_results
    from hadaropt.io.files import write_text

    file = results / "report.html" if output is None else output
    if not results.is_dir():
        raise UsageError(f"RESULTS {results}: is no folder")
    # A page may be written again; whatever else the folder holds is results.
    held = tuple(path for path in results.rglob("*") if path.suffix != ".html" and path.is_file())
    check_outputs(("--out", file), inputs=held)
    check_extra("bench", "polars")
    check_extra("bench", "matplotlib")
    try:
        found = read_results(results)
        text = build_page(found, run=run)
    except ResultsError as bad:
        raise UsageError(str(bad)) from None
    write_text(file, text)
    document = {
        "command": "report",
        "cells": len(found.cells),
        "scheduler_runs": len(found.simulated),
        "failures": len(found.failures),
        "missing": list(found.missing),
        "files": {"report": str(file)},
    }
    lines = [
        ("cells", f"{len(found.cells) + len(found.simulated)}, {len(found.failures)} failed"),
        *(("missing", text) for text in found.missing),
        ("report file", str(file)),
    ]
    return Answer(document, lines)
