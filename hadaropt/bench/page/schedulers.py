"""The section of round schedulers: each against the baseline, and every run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hadaropt.bench.page.html import Figure, Numbers, Section, Table, Text
from hadaropt.bench.page.listings import MANY
from hadaropt.bench.page.results import Record
from hadaropt.bench.ratio.report import figure
from hadaropt.bench.results.comparison import against
from hadaropt.bench.results.paired import ITSELF, Paired, compare, without_parameters
from hadaropt.plot.paired import plot_paired
from hadaropt.plot.style import new_figure

SCHEDULER_FIGURES = {
    "family": "family",
    "seed": "seed",
    "jobs": "jobs",
    "done": "done",
    "common_jct_s.mean": "JCT h, common jobs",
    "ratio": "ratio",
    "jct_s.mean": "JCT h, own jobs",
    "jct_s.p95": "p95 h, own jobs",
    "makespan_s": "makespan h",
    "finish_time_fairness.mean": "FTF",
    "gru": "in use",
    "restarts": "restarts",
}
"""Of the rows of round schedulers, what the table shows."""


def scheduler_section(rows: Sequence[Record], manifest: Record | None) -> Section:
    """Rows of round schedulers in hours, with the ratio of JCT to that of the baseline."""
    section = Section("schedulers", "Round schedulers")
    definition = (manifest or {}).get("definition")
    named = definition.get("baseline") if isinstance(definition, Mapping) else None
    baseline = named or rows[0]["scheduler"]
    named_baseline = "the same scheduler without [ ]" if baseline == ITSELF else baseline
    section.blocks.append(
        Text(
            f"ratio: JCT over that of {named_baseline} on the same workload, over the common jobs, "
            "those that every scheduler completes there; own jobs: all that a scheduler completes."
        )
    )
    base = {
        (row["scheduler"], row.get("family"), row.get("seed")): row.get("common_jct_s.mean")
        for row in rows
    }

    def ratio(row: Record) -> float | None:
        other = str(row["scheduler"])
        other = without_parameters(other) if baseline == ITSELF else str(baseline)
        return _quotient(row, base.get((other, row.get("family"), row.get("seed"))))

    full = [{**row, "ratio": ratio(row)} for row in rows]
    keys = [key for key in SCHEDULER_FIGURES if any(row.get(key) is not None for row in full)]
    columns = ("scheduler", *(SCHEDULER_FIGURES[key] for key in keys))
    table = [(str(row["scheduler"]), *(_shown(key, row.get(key)) for key in keys)) for row in full]
    section.blocks += _summary(rows, str(baseline))
    names = [
        name
        for name in dict.fromkeys(("scheduler", *(key for row in full for key in row)))
        if any(row.get(name) is not None for row in full)
        and name not in ("status", "reason", "instance_sha256")
    ]
    numbers = Numbers("schedulers", names, [[row.get(name) for name in names] for row in full])
    section.blocks.append(
        Table(
            columns,
            table[:MANY],
            numbers,
            folded=f"Runs: {min(MANY, len(table))} of {len(table)}",
        )
    )
    return section


def _summary(rows: Sequence[Record], baseline: str) -> list[Table | Figure]:
    """Return each scheduler's JCT over that of the baseline, family by family, and its figure."""
    found: list[tuple[str, Paired]] = []
    for family in dict.fromkeys(str(row.get("family")) for row in rows):
        values: dict[str, dict[tuple[object, int], float]] = {}
        for row in rows:
            jct, seed = row.get("common_jct_s.mean"), row.get("seed")
            if str(row.get("family")) == family and isinstance(jct, float) and jct > 0:
                assert isinstance(seed, int)
                values.setdefault(str(row["scheduler"]), {})[seed, seed] = math.log(jct)
        found += [(family, row) for row in compare(values, baseline)]
    if not found:
        return []
    points = [
        (row.name, family, math.exp(row.mean), math.exp(row.low), math.exp(row.high))
        for family, row in found
    ]
    columns = (
        against(baseline),
        "family",
        "workloads",
        "ratio",
        "95 % interval",
        "slower",
        "faster",
    )
    shown = [
        (
            row.name,
            family,
            str(row.pairs),
            figure(mean),
            "-" if math.isnan(low) else f"{figure(low)}..{figure(high)}",
            str(row.better),
            str(row.worse),
        )
        for (family, row), (_, _, mean, low, high) in zip(found, points, strict=True)
    ]
    numbers = Numbers("ratios", columns, shown)
    names, places = ({point[k] for point in points} for k in (0, 1))
    height = 1.0 + 0.3 * len(names) * max(1, 0.55 * len(places))
    axes = plot_paired(
        points,
        reference=1.0,
        label="JCT / JCT of the baseline",
        log=True,
        ax=new_figure(5.2, height).subplots(),
    )
    caption = f"Ratio of JCT, {columns[0]}: geometric mean; lines: 95 % intervals over the seeds"
    alt = "A point with its interval for each scheduler and family of workloads."
    return [Table(columns, shown, numbers), Figure(caption, alt, axes, numbers)]


def _quotient(row: Record, base: object) -> float | None:
    own = row.get("common_jct_s.mean")
    if isinstance(own, float) and isinstance(base, float) and base > 0:
        return own / base
    return None


def _shown(key: str, value: object) -> str:
    """Return a figure to three significant digits, seconds in hours."""
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    if key.partition(".")[0].endswith("_s"):
        value /= 3600
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
