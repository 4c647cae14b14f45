"""``hadaropt bench rerun MANIFEST``: the same experiment again, and what differs."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hadaropt.cli.bench.run import answer_of, check_writers, write_pictures
from hadaropt.cli.common.answer import Answer, Table, decimal
from hadaropt.cli.common.exits import NO, YES
from hadaropt.cli.common.options import UsageError
from hadaropt.cli.common.progress import progress_bar
from hadaropt.figures import counted

if TYPE_CHECKING:
    from hadaropt.bench.results.run import Results


def rerun_manifest(manifest: Path, workers: int, dask: str | None, out: Path | None) -> Answer:
    """Run the experiment of a manifest and compare every exact figure."""
    from hadaropt.bench.results.experiment import experiment
    from hadaropt.bench.results.manifest import changed, definition_of, instance_place, recorded
    from hadaropt.bench.results.run import manifest_facts, result_rows, run_experiment, size
    from hadaropt.io.documents import placed
    from hadaropt.sweep.manifest import common_facts, differences, read_manifest

    old = read_manifest(manifest)
    own = manifest if manifest.is_dir() else manifest.parent
    if out is not None and out.exists() and out.samefile(own):
        rule = "holds the results of the manifest, with which they would be compared"
        raise UsageError(f"--out {out}: {rule}; name another folder")
    kind = placed(manifest.name, lambda: definition_of(old)).get("kind")
    if kind in ("runtime", "trace"):
        how = "ratio --trace FILE" if kind == "trace" else "runtime"
        raise UsageError(
            f"{manifest}: run hadaropt bench {how} again; figures of time limits differ"
        )
    then = placed(manifest.name, lambda: recorded(old))
    again = placed(f"{manifest.name}.definition", lambda: experiment(then.definition))
    check_writers(out)
    with progress_bar("instances" if again.kind == "ratio" else "cells", size(again)) as advance:
        results = run_experiment(again, out=out, workers=workers, dask=dask, advance=advance)
    write_pictures(results, out)
    after = dict(result_rows(results))
    rows = changed(then.results, after)
    hashes: dict[str, Any] = {instance_place(row): row[3] for row in results.instances}
    others = changed(then.instances, hashes)
    around = differences(old, {**common_facts(), **manifest_facts(results)})
    answer = answer_of(results, "bench rerun", out)
    same = len(then.results.keys() | after.keys()) - len(rows)
    verdict = (
        "every cell is the same"
        if not rows
        else f"{_differ(len(rows), 'cell')}, {same} {'is' if same == 1 else 'are'} the same"
    )
    if others:
        verdict += f"; {_differ(len(others), 'instance')}"
    lines = [("reproduced", verdict), ("around it", _around(around)), *answer.lines]
    shown = [(_cell(place, results), _decimals(old), _decimals(new)) for place, old, new in rows]
    tables = [
        Table((what, "then", "now"), found)
        for what, found in (("cell", shown), ("instance", others), ("around", around))
    ]
    document = {
        **answer.document,
        "same_cells": same,
        "different_cells": [dict(zip(("cell", "then", "now"), row, strict=True)) for row in rows],
        "different_instances": [
            dict(zip(("instance", "then", "now"), row, strict=True)) for row in others
        ],
        "different_facts": [dict(zip(("fact", "then", "now"), row, strict=True)) for row in around],
    }
    code = answer.exit_code or (NO if rows or others else YES)
    return Answer(document, lines, [*tables, *answer.tables], code)


def _decimals(text: str) -> str:
    """Return the text with a decimal in the place of every fraction; JSON has the exact ones."""
    return re.sub(r"-?\d+/\d+", lambda found: decimal(Fraction(found[0]), 9), text)


def _differ(count: int, noun: str) -> str:
    return f"{counted(count, noun)} {'differs' if count == 1 else 'differ'}"


def _cell(place: str, results: Results) -> str:
    """Return the place of a cell, and whether its figures depend on a limit of time."""
    timed = {
        f"{c.policy} on {c.family} {c.seed} {c.parallelism}"
        for c in results.cells
        if not c.closed or c.policy.startswith("rolling_horizon")
    }
    return f"{place} (depends on a limit of time)" if place in timed else place


def _around(rows: list[tuple[str, str, str]]) -> str:
    if not rows:
        return "sources, versions, machine and threads are the same"
    return "different: " + ", ".join(name for name, _, _ in rows)
