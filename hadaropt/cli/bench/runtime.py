"""``hadaropt bench runtime``: how long things take, how that grows, and beside whom."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from hadaropt.cli.common.answer import Answer, Table
from hadaropt.cli.common.exits import NO, YES
from hadaropt.cli.common.folders import new_folder
from hadaropt.cli.common.names import chosen
from hadaropt.cli.common.options import AsJson, UsageError, as_choice, option, out_option

NOTE = (
    "seconds: median of the repetitions (quick: one), processor time of one process (P13, P14: "
    "wall time of fresh ones; P15: processor time of fresh ones), at each size. growth: "
    "least-squares fit over the sizes. times hadaropt: at the largest shared size. What is "
    "measured is also asserted to be right."
)


def runtime(
    *,
    rows: Annotated[
        str | None, option("Comma-separated rows of the suite, P1 .. P17.", default="all")
    ] = None,
    families: Annotated[
        str | None, option("Comma-separated: six_class, measured_rates.", default="both")
    ] = None,
    sizes: Annotated[
        Literal["quick", "small", "full"] | None,
        option(
            "quick: minutes, each once; small: those of the table in benchmarks/runtime, thrice; "
            "full: hours.",
            default="quick",
            converter=as_choice,
        ),
    ] = None,
    full: Annotated[bool, Parameter(negative=(), help="The same as --sizes full.")] = False,
    out: Annotated[
        Path | None, out_option("A new folder for what was measured.", default="not written")
    ] = None,
    json: AsJson = False,
) -> Answer:
    """Measure the runtime suite, beside peers that do the same job.

    Peers that are not installed are skipped. Exit code 1: an assertion of the suite failed.
    """
    from hadaropt.bench import runtime as suite

    if full and sizes not in (None, "full"):
        raise UsageError(f"--sizes {sizes}: contradicts --full")
    asked = "full" if full else sizes or "quick"
    wanted = chosen("--rows", rows, suite.ROWS, suite.ROWS)
    drawn = chosen("--families", families, suite.FAMILIES, suite.FAMILIES)
    folder = new_folder(out)
    with tempfile.TemporaryDirectory() as scratch:
        file = (folder or Path(scratch)) / "runtime.json"
        code = suite.run_suite(file, wanted, drawn, asked)
        if not file.exists() or not file.stat().st_size:
            raise UsageError(f"nothing was measured (pytest ends with {code}; see above)")
        lines = suite.read_suite(file)
    table = suite.runtime_rows(lines)
    written = {}
    if folder is not None:
        from hadaropt.io.files import write_text
        from hadaropt.sweep.manifest import write_manifest

        write_text(folder / "runtime.md", suite.markdown(table))
        definition = {
            "kind": "runtime",
            "rows": wanted,
            "families": [name.replace("-", "_") for name in drawn],
            "sizes": asked,
        }
        written = {
            "measured": str(folder / "runtime.json"),
            "table": str(folder / "runtime.md"),
            "manifest": str(write_manifest(folder, {"definition": definition})),
        }
    document = {
        "command": "bench runtime",
        "right": code == 0,
        "lines": [
            {
                **{name: getattr(line, name) for name in ("row", "work", "family", "way")},
                "seconds": line.seconds,
                "exponent": line.exponent,
                "facts": line.facts,
            }
            for line in lines
        ],
        "files": written,
    }
    shown = [("right", "yes" if code == 0 else "no: an assertion failed, see above")]
    shown += [("note", NOTE), *((f"{name} file", path) for name, path in written.items())]
    return Answer(document, shown, [Table(suite.COLUMNS, table)], YES if code == 0 else NO)
