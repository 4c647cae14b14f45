"""The sections that list: what was run and what failed, schedulers, worst cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import join  # people paste commands, and names come from files

from hadaropt.bench.page.html import Link, Numbers, Section, Table, Text
from hadaropt.bench.page.instances import Instances
from hadaropt.bench.page.results import Results
from hadaropt.bench.page.theorems import theorem_link
from hadaropt.bench.ratio import report
from hadaropt.bench.ratio.cells import Cell
from hadaropt.bench.ratio.summary import Interval
from hadaropt.bench.results.store import cell_record
from hadaropt.generate import FAMILIES
from hadaropt.plot.cells import policies_of, starved
from hadaropt.plot.style import short

MANY = 40
"""Rows of a table in the page; the numbers to download have all."""

PLACE = ("family", "seed", "parallelism", "policy")


def run_section(results: Results) -> Section:
    """Say what was run: counts, names, the manifest, what is missing, what failed."""
    cells = results.cells
    section = Section("run", "What was run")
    models = list(dict.fromkeys(cell.parallelism for cell in cells))
    optima = {cell.instance_sha256: cell.closed for cell in cells}
    rows: list[tuple[str, str]] = []
    if cells:
        sizes = sorted({(cell.jobs, cell.rounds) for cell in cells})
        seeds = {cell.seed for cell in cells}
        rows = [
            ("instances", f"{len(optima)}: {_proved(sum(optima.values()), len(optima))}"),
            ("cells", f"{len(cells)} of policies on instances"),
            ("policies", ", ".join(policies_of(cells))),
            ("families", "; ".join(dict.fromkeys(cell.family for cell in cells))),
            ("parallelism", ", ".join(models)),
            ("seeds", f"{len(seeds)}: {min(seeds)} to {max(seeds)}"),
            ("jobs x rounds", ", ".join(f"{j} x {t}" for j, t in sizes[:8])),
        ]
    if results.simulated:
        names = dict.fromkeys(str(row["scheduler"]) for row in results.simulated)
        rows.append(("schedulers", f"{', '.join(names)}, {len(results.simulated)} runs"))
    rows.append(("failed", str(len(results.failures))))
    numbers = cell_numbers("cells", cells, tuple(cell_record(cells[0]))) if cells else None
    section.blocks.append(Table(("", ""), rows, numbers, facts=True))
    section.blocks += [Text(f"Not known: {text}.", missing=True) for text in results.missing]
    if results.manifest is not None:
        facts = list(_flat(results.manifest))
        section.blocks.append(
            Table(
                ("manifest", ""),
                facts,
                Numbers("manifest", ("field", "value"), facts),
                facts=True,
                folded=f"Manifest: {len(facts)} facts",
            )
        )
    if results.failures:
        columns = ("status", "reason", *PLACE)
        failed = [tuple(row.get(name, "") or "" for name in columns) for row in results.failures]
        section.blocks.append(
            Table(columns, failed[:MANY], Numbers("failures", columns, failed), "What failed")
        )
    return section


def _proved(proved: int, instances: int) -> str:
    if proved == instances:
        return "every optimum proved"
    return f"{proved} {'optimum' if proved == 1 else 'optima'} proved, the others open"


def _flat(value: object, place: str = "") -> list[tuple[str, str]]:
    """Return (path, value) of every scalar; long lists are counted."""
    if isinstance(value, Mapping):
        return [
            row
            for key, item in value.items()
            for row in _flat(item, f"{place}.{key}" if place else str(key))
        ]
    if isinstance(value, list):
        short = len(value) <= 24 and all(not isinstance(item, list | dict) for item in value)
        return [(place, ", ".join(map(str, value)) if short else f"{len(value)} entries")]
    return [(place, str(value))]


def cell_numbers(name: str, cells: Sequence[Cell], columns: Sequence[str]) -> Numbers:
    """Return these columns of the cells' records."""
    records = (cell_record(cell) for cell in cells)
    return Numbers(
        name, columns, [[record.get(column, "") for column in columns] for record in records]
    )


def worst_section(cells: Sequence[Cell], instances: Instances, count: int = 15) -> Section:
    """List the worst cells, those that collected nothing apart, and how to make their instances."""
    section = Section("worst", "Worst cases")
    columns = ("policy", "OPT/P", "D/P", "guarantee", "family", "seed", "parallelism", "instance")
    finite = sorted((c for c in cells if not starved(c)), key=lambda c: -c.ratio_low)
    nothing = [cell for cell in cells if starved(cell)]
    for name, what, chosen in (
        ("worst", "cells, the worst first", finite),
        ("starved", "cells with P = 0 < OPT", nothing),
    ):
        rows = [_worst(cell, instances) for cell in chosen]
        shown = [
            (short(cell.policy), *row[1:]) for cell, row in zip(chosen[:count], rows, strict=False)
        ]
        caption = f"{len(shown)} of {len(rows)} {what}"
        if rows:
            numbers = Numbers(name, columns, rows)
            section.blocks.append(Table(columns, shown, numbers, caption, wrapped=True))
    return section


def _guarantee(cell: Cell) -> str:
    vacuous = " (vacuous)" if cell.vacuous else ""
    return f"{cell.theorem}: {report.figure(cell.guarantee, 1)}{vacuous}"


def _worst(cell: Cell, instances: Instances) -> tuple[str | Link, ...]:
    return (
        cell.policy,
        report.interval(Interval(cell.ratio_low, cell.ratio_high)),
        report.figure(cell.certified),
        theorem_link(cell, _guarantee(cell)) if cell.theorem else "-",
        cell.family,
        str(cell.seed),
        cell.parallelism,
        _command(cell, instances),
    )


def _command(cell: Cell, instances: Instances) -> str:
    """Return the command that makes the cell's instance again, or what it is of."""
    family, parameters = instances.source(cell)
    if family not in FAMILIES:
        return f"of a trace, draw {cell.seed} of the models: hadaropt bench ratio --trace FILE"
    words = ["hadaropt", "generate", family, "--seed", str(cell.seed)]
    words += ["--jobs", str(cell.jobs), "--rounds", str(cell.rounds)]
    words += ["--parallelism", cell.parallelism]
    for name, value in parameters.items():
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        words += ["--load", text] if name == "load" else ["--set", f"{name}={text}"]
    return join([*words, "-o", "worst.json"])
