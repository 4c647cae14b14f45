"""Hadar against Gavel, Tiresias and YARN-CS on sampled traces, with bounds on what is possible.

    python -m benchmarks.paper.hadar_simulation [--full] [--samples N] [--jobs N] [--cluster SPEC]
        [--schedulers A,B] [--settings "A;B"] [--seconds S] [--out DIR]

Source: Hadar (IPDPS 2024), trace simulation: 480 jobs of Philly on 60 GPUs (20 each of V100, P100
and K80), rounds of 6 minutes. ``--full`` is that size with ten samples (hours); the default is a
fifth of the jobs and of the GPUs, five samples (two of the lesser settings). Each run is kept in
DIR/cells, so that a stopped run is taken up again; ``--seconds`` stops it.

Jobs wider than the GPUs of one type are left out (a scheduler that cannot mix types could never run
them). A job's model is drawn; its restart costs 10 s, and so does a round of its copies
(``hadare``, whose bound is one for forked jobs). All ratios are paired by sample, geometric means
with bootstrap intervals (95 %). The bound is that of `hadaropt.simulate.bounds`.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.paper import _tables as tables
from benchmarks.paper._cells import Cell, Figures, run_cells
from benchmarks.paper._command import seconds_of
from benchmarks.paper._lookalikes import traces_or_lookalike
from benchmarks.paper._reference import run_reference
from benchmarks.paper._samples import (
    ITP,
    PUBLISHED_CLUSTER,
    PUBLISHED_JOBS,
    SMALL_CLUSTER,
    SMALL_JOBS,
    Sample,
)
from benchmarks.paper.claims import Claim

NEEDS = ("traces",)
"""Entries of the folder of public data."""
INSTEAD = "a GENERATED look-alike of the Philly trace"
"""What it runs on where they are not there."""
GAVEL = "gavel:max_min_fairness_perf"
SCHEDULERS = (
    "hadar",
    "hadar@jct",
    "hadar:exact@jct",
    "hadar:makespan",
    "hadar:finish_time_fairness",
    GAVEL,
    "gavel_reference:max_min_fairness_perf",
    "tiresias",
    "yarn",
    "srtf",
    "hadare",
)
LOAD = 0.9
SETTINGS: Mapping[str, Sample] = {
    "Philly, all at once": Sample(),
    "Philly, continuous": Sample(load=LOAD),
    "ITP, all at once": Sample(ITP),
    "ITP, continuous": Sample(ITP, load=LOAD),
}
REDUCED = {"Philly, continuous": 2, "ITP, all at once": 2, "ITP, continuous": 0}
"""Samples at the reduced size, 5 where nothing is said; 10 at the published size."""
FILES: Mapping[str, Sample] = {
    "Philly, plain sample of busy hours": Sample("philly_480_busyhours_seed0", "all", load=0),
    "Philly, 120 of each class": Sample("philly_480_hadar_bins_uniform_seed0", "all", load=0),
}
"""Single cases, at the published size."""

Results = dict[str, dict[str, list[Figures]]]
"""By setting and scheduler, one for each sample; only samples that all schedulers have run."""


def simulate(
    settings: Mapping[str, Sample],
    schedulers: Sequence[str],
    samples: Mapping[str, int],
    data: Path,
    folder: Path,
    seconds: float = math.inf,
) -> Results:
    """Run what is missing, sample after sample and setting after setting."""
    cells = {
        (name, seed, scheduler): Cell(replace(sample, seed=seed), scheduler)
        for seed in range(max(samples.values()))
        for name, sample in settings.items()
        if seed < samples[name]
        for scheduler in schedulers
    }
    found = run_cells(list(cells.values()), data, folder, special=_special, seconds=seconds)
    results: Results = {}
    for name in settings:
        seeds = [
            seed
            for seed in range(samples[name])
            if all(cells.get((name, seed, own)) in found for own in schedulers)
        ]
        if seeds:
            results[name] = {
                own: [found[cells[name, seed, own]] for seed in seeds] for own in schedulers
            }
    return results


def _special(cell: Cell, data: Path) -> Figures | None:
    family, _, policy = cell.scheduler.partition(":")
    return run_reference(cell, data, policy) if family == "gavel_reference" else None


def report(results: Results) -> str:
    """Return every figure as markdown."""
    parts = []
    hours = 3600.0
    for setting, rows in results.items():
        count = len(next(iter(rows.values())))
        body = []
        for scheduler, runs in rows.items():
            picks: list[Sequence[float]] = [
                [run.ttd / hours for run in runs],
                [run.jct_mean / hours for run in runs],
                [run.jct_median / hours for run in runs],
                [run.jct_max / hours for run in runs],
                [run.queueing / hours for run in runs],
                [run.waiting / hours for run in runs],
                [run.gru for run in runs],
                [run.cru for run in runs],
                [run.useful for run in runs],
                [run.fairness for run in runs],
                [run.jct_gap for run in runs],
                [run.makespan_gap for run in runs],
            ]
            done = f"{sum(run.done for run in runs)}/{sum(run.jobs for run in runs)}"
            body.append([scheduler, done, *(tables.shown(tables.mean(own)) for own in picks)])
        head = (
            "scheduler", "done", "TTD h", "JCT mean h", "median h", "max h", "queueing h",
            "waiting h", "GRU",
            "CRU", "useful", "fairness", "JCT / bound", "makespan / bound",
        )  # fmt: skip
        parts.append(f"## {setting}: {count} sample{'s' * (count > 1)}\n")
        parts.append(tables.table(head, body))
    return "\n".join(parts)


def paired(rows: Mapping[str, list[Figures]], over: str, under: str, field: str) -> str:
    """Return the ratio of a figure of one scheduler over that of another."""
    pairs = [
        (getattr(a, field), getattr(b, field))
        for a, b in zip(rows[over], rows[under], strict=True)
        if getattr(b, field) > 0 and getattr(a, field) > 0
    ]
    if not pairs:
        return "undefined (0)"
    return tables.shown(tables.ratio(*zip(*pairs, strict=True)))


AIMS = {
    "hadar": "with the published value of a job",
    "hadar@jct": "with value 1/d (completion after d rounds)",
    "hadar:makespan": "with the aim makespan",
    "hadar:finish_time_fairness": "with the aim fairness",
}
BOTH = ("hadar", "hadar@jct")
PUBLISHED = (
    ("TTD of Gavel over Hadar", "1.20", GAVEL, None, "ttd", (*BOTH, "hadar:makespan")),
    ("average JCT of Gavel over Hadar", "2.5", GAVEL, None, "jct_mean", BOTH),
    ("average JCT of YARN-CS over Hadar", "3", "yarn", None, "jct_mean", BOTH),
    ("GPU utilisation of Hadar over Gavel", "1.20", None, GAVEL, "gru", BOTH),
    ("queueing delay of Hadar over Gavel, to the first GPU", "0.87", None, GAVEL, "queueing", BOTH),
    ("queueing delay of Hadar over Gavel, all waiting", "0.87", None, GAVEL, "waiting", BOTH),
    (
        "finish-time fairness of Hadar over Gavel (less is better)",
        "0.985",
        None,
        GAVEL,
        "fairness",
        (*BOTH, "hadar:finish_time_fairness"),
    ),
)
"""Claim, the source's figure, the ratio that it is (None: Hadar), and which Hadars are shown."""

WHY = {
    "ttd": "By a proven bound no schedule at all is more than {span_gavel} times shorter than that "
    "of this Gavel, which leaves no GPU idle that a waiting gang could use; Hadar with the "
    "published value takes {span_hadar} times the bound.",
    "jct_mean": "By a proven bound no schedule at all has a mean JCT more than {gap_gavel} times "
    "below this Gavel's. The published value Q/(d tau) counts iterations, whose unit differs "
    "between models, so that models with many short ones go first: {gap_hadar} times the bound; "
    "1/d puts short jobs first: {gap_jct} times.",
    "yarn": "YARN-CS never preempts, and a gang at its head holds up all behind it: its mean JCT "
    "is {gap_yarn} times the bound, that of Hadar {gap_hadar} and {gap_jct} times.",
    "gru": "Gavel as its simulator has it fills GPUs that are left over in each round, so that "
    "they idle only when no waiting gang fits: {gru_gavel} of GPU-seconds are held, by Hadar "
    "{gru_hadar}.",
    "queueing": "Gavel soon gives every job some time; a scheduler that "
    "serves the most valuable jobs first lets the others wait for their first GPU.",
    "waiting": "All time between arrival and completion without GPUs; the source does not say "
    "which of the two it means. Gavel takes turns, so that all wait about equally long.",
    "fairness": "JCT over that of an equal share of the cluster, averaged over jobs. A short job "
    "that waits behind long ones has a large one and moves the mean.",
}


def claims(results: Results, size: str) -> list[Claim]:
    """Return published figures beside ours, which have a line for each setting."""
    needed = {"hadar", "hadar@jct", GAVEL, "yarn"}
    complete = {setting: own for setting, own in results.items() if needed <= own.keys()}
    if not complete:
        return []
    facts = {
        f"{key}_{short}": " / ".join(
            f"{tables.mean([getattr(run, field) for run in own[name]])[0]:.3g}"
            for own in complete.values()
        )
        for key, field in (("gap", "jct_gap"), ("span", "makespan_gap"), ("gru", "gru"))
        for short, name in (
            ("hadar", "hadar"),
            ("jct", "hadar@jct"),
            ("gavel", GAVEL),
            ("yarn", "yarn"),
        )
    }
    rows = []
    for claim, published, over, under, field, named in PUBLISHED:
        first = next(iter(complete.values()))
        shown = [hadar for hadar in named if hadar in first]
        ours = [f"{size}; Hadar {', '.join(AIMS[hadar] for hadar in shown)}:"]
        for setting, own in complete.items():
            count = len(own["hadar"])
            ratios = (paired(own, over or hadar, under or hadar, field) for hadar in shown)
            ours.append(f"{setting}, {count} sample{'s' * (count > 1)}: {', '.join(ratios)}")
        why = WHY["yarn" if over == "yarn" else field].format(**facts)
        if len(complete) > 1 and "{" in WHY["yarn" if over == "yarn" else field]:
            why += " (In the order of the settings.)"
        rows.append(Claim(f"Hadar (simulation): {claim}", published, "\n".join(ours), why))
    return rows


def pictures(results: Results, folder: Path) -> None:
    """Draw how far each scheduler is from the bounds."""
    for field, name, title in (
        ("jct_gap", "jct", "Mean JCT over a bound that no schedule can beat"),
        ("makespan_gap", "makespan", "Makespan over a bound that no schedule can beat"),
    ):
        groups = {
            scheduler: {
                setting: tables.mean([getattr(run, field) for run in rows[scheduler]])[0]
                for setting, rows in results.items()
            }
            for scheduler in next(iter(results.values()))
            if not scheduler.startswith("gavel_reference")
        }
        tables.bars(folder / f"{name}_over_bound.png", title, "times the bound", groups)


def publish(results: Results, out: Path, size: str) -> list[Claim]:
    """Write the table and the pictures; return the claims."""
    own = claims(results, size)
    text = [f"# Trace simulation, {size}\n", report(results)]
    if own:
        rows = [
            (claim.claim, claim.published, claim.ours.replace("\n", "<br>"), claim.why)
            for claim in own
        ]
        text += [
            "## Published figures\n",
            tables.table(("claim", "published", "ours", "why"), rows),
        ]
    (out / "hadar_simulation.md").write_text("\n".join(text), encoding="utf-8")
    if results:
        pictures(results, out)
    return own


def run(full: bool, out: Path) -> list[Claim]:
    jobs, cluster = sized(full)
    own = traces_or_lookalike(out, NEEDS, INSTEAD)
    settings = there(settings_of(full, jobs, cluster), own.data)
    samples, seconds = counted(settings, full), seconds_of(full)
    results = simulate(settings, SCHEDULERS, samples, own.data, own.cells(out), seconds)
    results = {own.label(name): rows for name, rows in results.items()}
    return own.marked(publish(results, out, own.size(f"{jobs} jobs on {cluster}")))


def there(settings: Mapping[str, Sample], data: Path) -> dict[str, Sample]:
    """Return the settings of which the trace is there."""
    files = {name: data / "traces" / f"{own.trace}.csv" for name, own in settings.items()}
    return {name: own for name, own in settings.items() if files[name].exists()}


def settings_of(full: bool, jobs: int, cluster: str) -> dict[str, Sample]:
    """Return every setting at a size; whole files at the published one only."""
    drawn = {name: replace(own, jobs=jobs, cluster=cluster) for name, own in SETTINGS.items()}
    return drawn | (dict(FILES) if full else {})


def counted(settings: Mapping[str, Sample], full: bool) -> dict[str, int]:
    """Return the number of samples of each setting; whole files are one case."""
    return {
        name: 1 if sample.rule == "all" else 10 if full else REDUCED.get(name, 5)
        for name, sample in settings.items()
    }


def sized(full: bool) -> tuple[int, str]:
    """Return jobs and cluster."""
    return (PUBLISHED_JOBS, PUBLISHED_CLUSTER) if full else (SMALL_JOBS, SMALL_CLUSTER)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--samples", type=int)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--cluster")
    parser.add_argument("--schedulers", default=",".join(SCHEDULERS))
    parser.add_argument("--settings", default="", help="parts of names of settings, with ; between")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--out", type=Path, default=Path("results/paper/hadar_simulation"))
    options = parser.parse_args()
    jobs, cluster = sized(options.full)
    jobs, cluster = options.jobs or jobs, options.cluster or cluster
    wanted = [part for part in options.settings.split(";") if part]
    every = settings_of(options.full, jobs, cluster)
    own = traces_or_lookalike(options.out, NEEDS, INSTEAD)
    settings = {
        name: sample
        for name, sample in there(every, own.data).items()
        if not wanted or any(part in name for part in wanted)
    }
    samples = {
        name: min(count, options.samples or count)
        if settings[name].rule == "all"
        else options.samples or count
        for name, count in counted(settings, options.full).items()
    }
    options.out.mkdir(parents=True, exist_ok=True)
    results = simulate(
        settings,
        options.schedulers.split(","),
        samples,
        own.data,
        own.cells(options.out),
        options.seconds,
    )
    results = {own.label(name): rows for name, rows in results.items()}
    publish(results, options.out, own.size(f"{jobs} jobs on {cluster}"))
    print((options.out / "hadar_simulation.md").read_text("utf-8"))


if __name__ == "__main__":
    main()
