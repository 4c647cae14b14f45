"""How much the figures of the trace simulation depend on what was chosen for it.

    python -m benchmarks.paper.hadar_sensitivity [--full] [--samples N] [--seconds S] [--out DIR]

One choice at a time is changed: the length of a round, the restart cost, which model each job gets
(three draws and three rules), the offered load, and what the scheduler is told of lengths (right,
wrong in four ways, not at all in two). Every run is measured against the bound of its own setting,
and paired with Gavel on the same workload.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.paper import _tables as tables
from benchmarks.paper._assignment import RULES
from benchmarks.paper._cells import Cell, Figures, run_cells
from benchmarks.paper._command import FULL_SAMPLES, command, seconds_of
from benchmarks.paper._lookalikes import shown, traces_or_lookalike
from benchmarks.paper._misinformed import TOLD, Misinformed, telling
from benchmarks.paper._samples import Sample
from benchmarks.paper.claims import Claim
from benchmarks.paper.hadar_simulation import GAVEL, LOAD, sized
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import make_scheduler
from hadaropt.simulate.view import Scheduler

NEEDS = ("traces",)
"""Entries of the folder of public data."""
INSTEAD = "a GENERATED look-alike of the Philly trace"
"""What it runs on where they are not there."""
REDUCED_SAMPLES = 5
SCHEDULERS = ("hadar", "hadar@jct", GAVEL)
AS_IT_IS = "*"
"""Marks the setting that all the others start from."""
Settings = dict[str, dict[str, Cell]]
WHY = {
    "round, s": "A restart costs 10 s however long the round: Gavel takes turns and loses up to a "
    "sixth of short rounds. In long ones a job that ends early leaves its GPUs idle to the end of "
    "the round, under every scheduler.",
    "restart, s": "Gavel takes turns and so restarts far more jobs than Hadar, which keeps on with "
    "what is nearly done.",
    "models": "Three draws of models, one model for all jobs, and models by how much faster they "
    "are on a V100 than on a K80, given to jobs from short to long or the other way round.",
    "load": "The more jobs wait, the more their order matters: with 1/d short jobs go first, with "
    "the published value those that count many iterations.",
    "lengths told": "Told wrong: every job between half and twice its length; one job in two 0.5, "
    "2 or 10 times its length. Not told: every job has the length of the median one; as much is "
    "left as has been done (attained). A job told too short goes first and holds up others, one "
    "told too long harms itself alone. Max-min fairness looks at no length: only Hadar changes.",
}
"""Why, by choice."""


def settings(base: Cell) -> Settings:
    """Return for each choice its settings by label."""

    def sampled(**changes: object) -> Cell:
        return replace(base, sample=replace(base.sample, **changes))  # type: ignore[arg-type]

    return {
        "round, s": {
            "60": replace(base, round_seconds=60),
            f"360{AS_IT_IS}": base,
            "1800": replace(base, round_seconds=1800),
        },
        "restart, s": {
            "0": replace(base, restart_seconds=0),
            f"10{AS_IT_IS}": base,
            "60": replace(base, restart_seconds=60),
        },
        "models": {
            f"drawn{AS_IT_IS}": base,
            "drawn again": sampled(model_seed=1),
            "drawn once more": sampled(model_seed=2),
            **{rule: sampled(models=rule) for rule in RULES[1:]},
        },
        "load": {
            "0.5": sampled(load=0.5),
            f"{LOAD}{AS_IT_IS}": base,
            "1.2": sampled(load=1.2),
            "at once": sampled(load=None),
        },
        "lengths told": {
            f"right{AS_IT_IS}": base,
            **{rule: replace(base, told=rule) for rule in TOLD},
        },
    }


def scheduler_of(cell: Cell, problem: RoundProblem) -> Scheduler:
    name, _, objective = cell.scheduler.partition("@")
    inner = make_scheduler(name)
    if not cell.told:
        return inner
    tell = telling(cell.told, problem, cell.sample.seed)
    return Misinformed(inner, problem, tell, counted=objective != "jct")


def run_of(cell: Cell, scheduler: str) -> Cell:
    """Return the cell of a scheduler: max-min fairness looks at no length, told right or wrong."""
    return replace(cell, scheduler=scheduler, told="" if scheduler == GAVEL else cell.told)


Found = dict[str, dict[str, dict[str, list[Figures]]]]
"""By choice, setting and scheduler: one for each sample that all have run."""


def measure(full: bool, samples: int, data: Path, folder: Path, seconds: float) -> Found:
    jobs, cluster = sized(full)
    plans = [
        settings(Cell(Sample(seed=seed, jobs=jobs, cluster=cluster, load=LOAD), ""))
        for seed in range(samples)
    ]
    plans_of = [
        [
            run_of(cell, scheduler)
            for own in plan.values()
            for cell in own.values()
            for scheduler in SCHEDULERS
        ]
        for plan in plans
    ]
    cells = list(dict.fromkeys(cell for own in plans_of for cell in own))
    found = run_cells(cells, data, folder, make=scheduler_of, seconds=seconds)
    done = [
        plan
        for plan, own in zip(plans, plans_of, strict=True)
        if all(cell in found for cell in own)
    ]
    return {
        choice: {
            label: {
                scheduler: [found[run_of(plan[choice][label], scheduler)] for plan in done]
                for scheduler in SCHEDULERS
            }
            for label in labels
        }
        for choice, labels in plans[0].items()
        if done
    }


def report(found: Found, size: str) -> str:
    """Return the table as markdown."""
    count = len(next(iter(next(iter(found.values())).values()))[GAVEL])
    body = []
    for choice, labels in found.items():
        for label, rows in labels.items():
            gaps = [tables.mean([run.jct_gap for run in rows[name]]) for name in SCHEDULERS]
            spans = [tables.mean([run.makespan_gap for run in rows[name]]) for name in SCHEDULERS]
            body.append(
                [
                    choice,
                    label,
                    *(tables.shown(gap) for gap in gaps),
                    *(tables.shown(span) for span in spans),
                    *(tables.shown(tables.ratio(*own)) for own in gains(rows)),
                    *(tables.shown(own) for own in changes(rows, labels)),
                ]
            )
    head = (
        "choice",
        "setting",
        *(f"{name}: JCT / bound" for name in SCHEDULERS),
        *(f"{name}: makespan / bound" for name in SCHEDULERS),
        *(f"JCT of Gavel / {name}" for name in SCHEDULERS[:-1]),
        *(f"that over {AS_IT_IS}, {name}" for name in SCHEDULERS[:-1]),
    )
    title = f"# Sensitivity, {size}, {count} sample{'s' * (count > 1)}\n"
    return "\n".join([title, f"{AS_IT_IS}: as in all other rows.\n", tables.table(head, body)])


def gains(rows: Mapping[str, list[Figures]]) -> list[tuple[list[float], list[float]]]:
    """Return the mean JCT of Gavel and of each Hadar, sample by sample."""
    gavel = [run.jct_mean for run in rows[GAVEL]]
    return [(gavel, [run.jct_mean for run in rows[name]]) for name in SCHEDULERS[:-1]]


def changes(
    rows: Mapping[str, list[Figures]], labels: Mapping[str, Mapping[str, list[Figures]]]
) -> list[tuple[float, float, float]]:
    """Return the gain over Gavel in a setting over that in the usual one, paired by sample."""
    usual = next(own for label, own in labels.items() if label.endswith(AS_IT_IS))
    return [
        tables.ratio(*([a / b for a, b in zip(*own, strict=True)] for own in both))
        for both in zip(gains(rows), gains(usual), strict=True)
    ]


def publish(found: Found, out: Path, size: str) -> list[Claim]:
    text = report(found, size) if found else "No sample is complete yet.\n"
    (out / "hadar_sensitivity.md").write_text(text, encoding="utf-8")
    if not found:
        return []
    panels = {
        choice: {
            name: [
                (label, tables.mean([run.jct_gap for run in rows[name]])[0])
                for label, rows in labels.items()
            ]
            for name in SCHEDULERS
        }
        for choice, labels in found.items()
    }
    axis = shown("mean JCT / bound for any schedule", size)
    tables.dots(out / "sensitivity.png", panels, axis)
    count = len(next(iter(next(iter(found.values())).values()))[GAVEL])
    return [
        Claim(
            f"Hadar: the average JCT of Gavel over that of Hadar depends on: {choice}",
            "not reported",
            "\n".join(
                [
                    f"{count} samples, {size}, load {LOAD}; with the published value of a job, "
                    "with value 1/d:",
                    *(
                        f"{label}: "
                        + ", ".join(tables.shown(tables.ratio(*own)) for own in gains(rows))
                        for label, rows in labels.items()
                    ),
                ]
            ),
            f"{AS_IT_IS} is the setting of all other rows. {WHY[choice]}",
        )
        for choice, labels in found.items()
    ]


def run(full: bool, out: Path) -> list[Claim]:
    samples = FULL_SAMPLES if full else REDUCED_SAMPLES
    return perform(full, samples, out, seconds_of(full))


def perform(full: bool, samples: int, out: Path, seconds: float) -> list[Claim]:
    own = traces_or_lookalike(out, NEEDS, INSTEAD)
    found = measure(full, samples, own.data, own.cells(out), seconds)
    jobs, cluster = sized(full)
    return own.marked(publish(found, out, own.size(f"{jobs} jobs on {cluster}")))


def main() -> None:
    command("hadar_sensitivity", __doc__, REDUCED_SAMPLES, perform)


if __name__ == "__main__":
    main()
