"""The experiment behind the cells, where the manifest defines it, and its paired differences."""

from __future__ import annotations

from collections.abc import Sequence

from hadaropt.bench.page.html import Figure, Numbers, Section, Table, Text
from hadaropt.bench.page.results import Results
from hadaropt.bench.ratio.cells import Cell
from hadaropt.bench.ratio.suite import RatioSuite
from hadaropt.bench.results import comparison
from hadaropt.bench.results.experiment import Experiment, experiment
from hadaropt.bench.results.manifest import definition_of
from hadaropt.errors import InstanceError
from hadaropt.plot.paired import plot_paired
from hadaropt.plot.style import short


def defined(results: Results) -> Experiment | None:
    """Return the ratio experiment of the manifest, if there is one that this version can read."""
    if results.manifest is None:
        return None
    try:
        found = experiment(definition_of(results.manifest))
    except InstanceError:
        return None
    return found if found.kind == "ratio" else None


def suites_of(found: Experiment | None) -> dict[str, tuple[str, RatioSuite]]:
    """Return, by the name of a family in tables, the family and the suite with its parameters."""
    suites = [] if found is None else [s for s in found.suites if isinstance(s, RatioSuite)]
    return {suite.named(family): (family, suite) for suite in suites for family in suite.families}


def paired_section(cells: Sequence[Cell], found: Experiment) -> Section:
    """Compare the policies with the baseline, seed by seed, for each value of what varies."""
    section = Section("paired", "Paired comparison")
    known, rows, points = suites_of(found), [], []
    for label in dict.fromkeys(suite.label for _, suite in known.values()):
        part = [c for c in cells if c.family in known and known[c.family][1].label == label]
        compared = comparison.paired_shares(part, found.baseline)
        rows += comparison.paired_rows(compared, label)
        points += [(row.name, label, row.mean, row.low, row.high) for row in compared]
    columns = (comparison.against(short(found.baseline)), "where", *comparison.PAIRED_COLUMNS)
    kept = [k for k in range(len(columns)) if k != 1 or any(row[1] for row in rows)]
    shown = [[short(row[0]), *(row[k] for k in kept[1:])] for row in rows]
    heads = [columns[k] for k in kept]
    note = f"{comparison.PAIRED_NOTE} The interval is - with one seed."
    numbers = Numbers("paired", columns, rows)
    section.blocks += [Text(note), Table(heads, shown, numbers)]
    if points:
        caption = f"Mean difference of P / best known value, {heads[0]}; lines: 95 % intervals"
        alt = "A point with its interval for each policy, and for each value of what varies."
        section.blocks.append(Figure(caption, alt, plot_paired(points), numbers))
    return section
