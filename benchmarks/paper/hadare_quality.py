"""Does forking change the quality of what is trained? Measured, not assumed.

    python -m benchmarks.paper.hadare_quality --out DIR [--seeds 10] [--tasks digits,diabetes]

The source says that HadarE's models are at least as good as unforked ones. Here each task is
trained unforked on the fastest node, and forked over all five, from the same first weights:

- *equal steps*: both make N steps in all;
- *equal time*: both take the N / 10 seconds that the fastest node needs for N steps. The clock is
  simulated: nodes make 10, 10, 5, 5 and 2 steps per second, a consolidation takes one second.

Both are looked at *early*, where the unforked model still gets better fast, and *late*, where it
hardly does. The consolidation period is in steps of all copies together (32 are one second of the
five nodes); ``once`` averages at the end only. Each condition is paired with the unforked run of
its seed; the intervals are 95 % percentile bootstraps over seeds, which are a little too narrow for
ten. Minibatches differ between conditions, so a difference of one seed means nothing.

Each task and phase is kept in a file of its own in DIR; what is there is not run again.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.paper.claims import Claim, SkippedError
from hadaropt.forking.training.engines.engine import SimulatedNodes
from hadaropt.forking.training.loop import Training
from hadaropt.forking.training.options import Options, TrainingJob
from hadaropt.forking.training.proportional import proportional
from hadaropt.forking.training.tasks.registry import TORCH_TASKS, make_task
from hadaropt.plot.style import BLUE, VERMILION, new_figure, save_figure

SPEEDS = {"n0": 10, "n1": 10, "n2": 5, "n3": 5, "n4": 2}
TOGETHER = sum(SPEEDS.values())
FASTEST = max(SPEEDS.values())
CONSOLIDATION_SECONDS = 1
STEPS = {
    "digits": {"early": 400, "late": 1200},
    "diabetes": {"early": 300, "late": 1000},
    "cancer": {"early": 100, "late": 500},
    "conv-digits": {"early": 150, "late": 400},
    "char-model": {"early": 300, "late": 800},
}
PHASES = ("early", "late")
PERIODS = (32, 160, None)
RESAMPLES = 10_000


@dataclass(frozen=True)
class Condition:
    """What is compared with the unforked run."""

    budget: str
    period: int | None
    optimiser: str = "average"

    @property
    def label(self) -> str:
        reset = ", Adam reset" if self.optimiser == "reset" else ""
        return f"{self.budget}, {'once' if self.period is None else f'every {self.period}'}{reset}"

    def steps(self, unforked: int) -> int:
        """Return the steps of the forked run: N, or what fits into the time of N unforked ones."""
        if self.budget == "equal steps":
            return unforked
        seconds = Fraction(unforked, FASTEST)
        if self.period is None:
            return int((seconds - CONSOLIDATION_SECONDS) * TOGETHER)
        whole = Fraction(self.period, TOGETHER) + CONSOLIDATION_SECONDS
        rounds = seconds // whole
        rest = max(Fraction(0), seconds - rounds * whole - CONSOLIDATION_SECONDS)
        return int(rounds * self.period + rest * TOGETHER)


CONDITIONS = (
    *(Condition("equal steps", period) for period in PERIODS),
    Condition("equal steps", 160, "reset"),
    *(Condition("equal time", period) for period in PERIODS),
)


class Row(NamedTuple):
    task: str
    phase: str
    seed: int
    condition: str
    steps: int
    score: float


def final_score(task: str, seed: int, steps: int, speeds: dict[str, int], **how) -> float:
    """Train and return the score; the exact count of steps is asserted."""
    training = Training(
        [TrainingJob(make_task(task), steps)],
        SimulatedNodes(speeds),
        plan=lambda views: proportional(views, round_steps=how.get("period")),
        options=Options(seed=seed, optimiser=how.get("optimiser", "average")),
    )
    training.run()
    assert training.tracker.done(task) == sum(own.steps for own in training.copies) == steps
    return training.curve[-1].score


def measure(task: str, phase: str, seeds: int) -> Iterator[Row]:
    steps = STEPS[task][phase]
    for seed in range(seeds):
        alone = final_score(task, seed, steps, {"n0": FASTEST})
        yield Row(task, phase, seed, "unforked", steps, alone)
        for condition in CONDITIONS:
            count = condition.steps(steps)
            how = {"period": condition.period, "optimiser": condition.optimiser}
            score = final_score(task, seed, count, SPEEDS, **how)
            yield Row(task, phase, seed, condition.label, count, score)


def kept_or_measured(task: str, phase: str, seeds: int, folder: Path) -> list[Row]:
    file = folder / f"{task}-{phase}.csv"
    if not file.exists():
        began = time.monotonic()
        rows = list(measure(task, phase, seeds))
        print(f"{task}, {phase}: {time.monotonic() - began:.0f} s", file=sys.stderr)
        with file.open("w", newline="", encoding="utf-8") as stream:
            table = csv.writer(stream, lineterminator="\n")
            table.writerow(Row._fields)
            table.writerows(rows)
    with file.open(newline="", encoding="utf-8") as stream:
        return [
            Row(task, phase, int(r["seed"]), r["condition"], int(r["steps"]), float(r["score"]))
            for r in csv.DictReader(stream)
        ]


class Effect(NamedTuple):
    """Mean score, and mean paired difference to the unforked run with its 95 % interval."""

    steps: int
    mean: float
    difference: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        if self.low > 0:
            return "better"
        return "worse" if self.high < 0 else "no difference seen"


def scores_of(rows: list[Row], task: str, phase: str, condition: str) -> dict[int, Row]:
    return {r.seed: r for r in rows if r[:2] == (task, phase) and r.condition == condition}


def effect(rows: list[Row], task: str, phase: str, condition: str) -> Effect:
    own, alone = (scores_of(rows, task, phase, name) for name in (condition, "unforked"))
    sign = 1 if make_task(task).higher_is_better else -1
    scores = np.array([own[seed].score for seed in sorted(own)])
    gains = sign * (scores - np.array([alone[seed].score for seed in sorted(own)]))
    draws = np.random.default_rng(0).integers(len(gains), size=(RESAMPLES, len(gains)))
    low, high = np.percentile(gains[draws].mean(axis=1), [2.5, 97.5])
    return Effect(own[0].steps, scores.mean(), gains.mean(), low, high)


def markdown(rows: list[Row]) -> str:
    lines = [
        "| task | condition | steps | mean score | better than unforked by [95 %] | |",
        "|---|---|---|---|---|---|",
    ]
    for task, phase in dict.fromkeys(row[:2] for row in rows):
        alone = scores_of(rows, task, phase, "unforked")
        mean = np.mean([row.score for row in alone.values()])
        name = f"{task}, {phase} ({make_task(task).metric}, {len(alone)} seeds)"
        lines.append(f"| {name} | unforked | {STEPS[task][phase]} | {mean:.4f} | | |")
        for condition in CONDITIONS:
            own = effect(rows, task, phase, condition.label)
            interval = f"{own.difference:+.4f} [{own.low:+.4f}, {own.high:+.4f}]"
            cells = ("", condition.label, own.steps, f"{own.mean:.4f}", interval, own.verdict)
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def picture(rows: list[Row], file: Path) -> None:
    tasks = list(dict.fromkeys(row.task for row in rows))
    phases = list(dict.fromkeys(row.phase for row in rows))
    figure = new_figure(3.0 * len(tasks) + 1.8, 3.2 * len(phases))
    panels = figure.subplots(len(phases), len(tasks), sharey=True, squeeze=False)
    labels = [condition.label for condition in CONDITIONS]
    for column, task in enumerate(tasks):
        for axes, phase in zip(panels[:, column], phases, strict=True):
            for y, condition in enumerate(CONDITIONS):
                own = effect(rows, task, phase, condition.label)
                timed = condition.budget == "equal time"
                axes.errorbar(
                    own.difference,
                    y,
                    xerr=[[own.difference - own.low], [own.high - own.difference]],
                    color=VERMILION if timed else BLUE,
                    marker="s" if timed else "o",
                    capsize=3,
                )
            axes.axvline(0, color="0.5", linewidth=0.8)
            axes.set(title=f"{task}, {phase}", xlabel=f"gain in {make_task(task).metric}")
            axes.locator_params(axis="x", nbins=5)
            axes.grid(axis="x", alpha=0.3)
    for axes in panels[:, 0]:
        axes.set_yticks(range(len(labels)), labels)
    panels[0][0].invert_yaxis()
    figure.suptitle("Forked minus unforked: mean over seeds and 95 % interval (right is better)")
    save_figure(figure, file)


def verdicts(rows: list[Row], budget: str) -> str:
    """Return in words how many conditions of a budget are better, worse or neither."""
    found: dict[str, list[str]] = {"better": [], "worse": [], "no difference seen": []}
    for task, phase in dict.fromkeys(row[:2] for row in rows):
        for condition in CONDITIONS:
            if condition.budget == budget:
                own = effect(rows, task, phase, condition.label)
                found[own.verdict].append(f"{task} {phase} {own.difference:+.4f}")
    return "; ".join(
        f"{verdict}: {len(cases)}" + (f" ({', '.join(cases)})" if verdict == "better" else "")
        for verdict, cases in found.items()
        if cases
    )


def run(full: bool, out: Path) -> list[Claim]:
    """Return what the page of the sources' claims says of quality."""
    if find_spec("sklearn") is None:
        raise SkippedError("scikit-learn is not installed (extra: train)")
    tasks = list(STEPS) if full else ["diabetes", "cancer"]
    rows = rows_of(tasks, 10, out)
    write(rows, out)
    size = f"10 seeds; {', '.join(dict.fromkeys(row.task for row in rows))}; early and late"
    why = (
        "copies that are averaged go less far than one model that makes all the steps in a row, "
        "and small models on one data set gain little from the noise that averaging removes"
    )
    return [
        Claim(
            f"HadarE, inference quality of forked training at {budget}",
            "at least as good as without forking",
            f"{verdicts(rows, budget)} ({size})",
            why,
        )
        for budget in ("equal steps", "equal time")
    ]


def rows_of(tasks: list[str], seeds: int, out: Path, phases: Sequence[str] = PHASES) -> list[Row]:
    rows: list[Row] = []
    for task in tasks:
        if task in TORCH_TASKS and find_spec("torch") is None:
            print(f"{task}: left out, torch is not installed", file=sys.stderr)
            continue
        for phase in phases:
            rows += kept_or_measured(task, phase, seeds, out)
    return rows


def write(rows: list[Row], out: Path) -> None:
    (out / "hadare_quality.md").write_text(markdown(rows), encoding="utf-8")
    picture(rows, out / "hadare_quality.png")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for csv, table, picture")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--tasks", default=",".join(STEPS))
    parser.add_argument("--phases", default=",".join(PHASES))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    phases = options.phases.split(",")
    rows = rows_of(options.tasks.split(","), options.seeds, options.out, phases)
    write(rows, options.out)
    print(markdown(rows), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
