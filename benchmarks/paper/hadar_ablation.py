"""What each part of Hadar is worth, at equal foreknowledge.

    python -m benchmarks.paper.hadar_ablation [--full] [--samples N] [--seconds S] [--out DIR]

The base is the greedy by value per GPU, which puts every gang on one type and lets it run to its
end. One part at a time is switched on: mixing of types in a gang; planning all jobs again in each
round; take-or-skip at rising prices instead of the greedy; the exact optimum of each round instead
of the greedy. Everything knows the same: the jobs that have arrived, and their lengths.

A second table has instances in slots, where rolling horizon (the offline problem of all known jobs
solved again at each arrival) can be afforded, against the Lagrangian bound on total utility.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from benchmarks.paper import _tables as tables
from benchmarks.paper._ablation import Committed, DensityGreedy
from benchmarks.paper._cells import Cell, Figures, run_cells
from benchmarks.paper._command import FULL_SAMPLES, command, seconds_of
from benchmarks.paper._lookalikes import shown, traces_or_lookalike
from benchmarks.paper._samples import Sample
from benchmarks.paper.claims import Claim
from benchmarks.paper.hadar_simulation import GAVEL, sized
from hadaropt import run_online, run_rounds
from hadaropt.instance import Instance
from hadaropt.offline.lagrangian.bound import lagrangian_bound
from hadaropt.policies import make_policy
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import make_scheduler
from hadaropt.simulate.view import Scheduler

NEEDS = ("traces",)
"""Entries of the folder of public data."""
INSTEAD = "a GENERATED look-alike of the Philly trace"
"""What it runs on where they are not there."""
BASE = "base: greedy, one type, to the end"
VARIANTS: dict[str, tuple[str, bool, bool]] = {
    BASE: ("greedy", False, False),
    "base + mixing": ("greedy", True, False),
    "base + re-planning": ("greedy", False, True),
    "base + prices": ("hadar", False, False),
    "base + exact rounds": ("hadar:exact", False, False),
    "mixing + re-planning": ("greedy", True, True),
    "Hadar (mixing + re-planning + prices)": ("hadar", True, True),
    "Hadar exact (mixing + re-planning + exact)": ("hadar:exact", True, True),
}
"""Name: scheduler, mixing, re-planning."""
REDUCED_SAMPLES = 5
OBJECTIVES = {"jct": "1/d", "effective_throughput": "Q/(d tau), the published one"}
"""Value of a job that completes after d rounds: name and formula."""
WHY = {
    "jct": "Mixing alone binds fast GPUs to the pace of slow ones until the job ends; with "
    "re-planning they part again.",
    "effective_throughput": "Re-planning lets jobs that count many iterations go before all "
    "others, again and again, which harms the mean JCT.",
}
SLOTS_PART = 4
"""The table in slots gets so many times fewer seconds than the other, where these are limited."""
IN_SLOTS = ("hadar", "hadar:exact", "density_greedy", GAVEL)
AT_ARRIVAL = ("rolling_horizon", "greedy_density", "primal_dual:step", "fifo")


def scheduler_of(cell: Cell, problem: RoundProblem) -> Scheduler:
    """Return the scheduler of a cell, whose name is that of a variant."""
    name, _, again = VARIANTS[cell.scheduler.partition("@")[0]]
    return _variant(name) if again else Committed(_variant(name))


def _variant(name: str) -> Scheduler:
    return DensityGreedy() if name in ("greedy", "density_greedy") else make_scheduler(name)


def parts(
    full: bool, samples: int, data: Path, folder: Path, seconds: float
) -> dict[str, dict[str, list[Figures]]]:
    """Return the figures by objective and variant, over the samples that all variants have run."""
    jobs, cluster = sized(full)
    cells = {
        (seed, objective, name): Cell(
            Sample(seed=seed, jobs=jobs, cluster=cluster), f"{name}@{objective}", mixing=mixing
        )
        for seed in range(samples)  # outermost, so that a stopped run has whole samples
        for objective in OBJECTIVES
        for name, (_, mixing, _) in VARIANTS.items()
    }
    found = run_cells(list(cells.values()), data, folder, make=scheduler_of, seconds=seconds)
    done = {
        objective: [
            seed
            for seed in range(samples)
            if all(cells[seed, objective, name] in found for name in VARIANTS)
        ]
        for objective in OBJECTIVES
    }
    return {
        objective: {
            name: [found[cells[seed, objective, name]] for seed in own] for name in VARIANTS
        }
        for objective, own in done.items()
        if own
    }


def slotted(data: Path, seed: int) -> Instance:
    """Return a sample in slots of four hours: 16 jobs on 3 x 2 GPUs."""
    sample = Sample(seed=seed, jobs=16, cluster="V100=2,P100=2,K80=2", load=1.0)
    return sample.workload(data).to_instance(round_seconds=4 * 3600)


def in_slots(seeds: int, data: Path, folder: Path, seconds: float) -> dict[str, list[float]]:
    """Return value / bound of each scheduler on each instance; kept in a file for each.

    After ``seconds`` no further instance is begun.
    """
    folder.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + seconds
    found: dict[str, list[float]] = {}
    for seed in range(seeds):
        path = folder / f"slots-{seed}.json"
        if not path.is_file():
            if time.monotonic() > end:
                break
            path.write_text(json.dumps(_in_slots(slotted(data, seed))) + "\n", encoding="utf-8")
            print(f"slotted instance {seed}", file=sys.stderr, flush=True)
        for name, share in json.loads(path.read_text("utf-8")).items():
            found.setdefault(name, []).append(share)
    return found


def _in_slots(instance: Instance) -> dict[str, float]:
    bound = lagrangian_bound(instance, time_limit=10).bound
    assert bound is not None
    values: dict[str, Fraction] = {}
    for name in IN_SLOTS:
        values[name] = run_rounds(instance, _variant(name)).value
    for name in AT_ARRIVAL:
        values[name] = run_online(instance, make_policy(name)).value
    return {name: float(value / bound) for name, value in values.items()}


def report(
    found: dict[str, dict[str, list[Figures]]], slots: dict[str, list[float]], size: str
) -> str:
    """Return the tables as markdown."""
    text = [f"# Parts of Hadar, {size}, all jobs at once\n"]
    for objective, rows in found.items():
        base, body = rows[BASE], []
        for name, runs in rows.items():
            against = tables.ratio([b.jct_mean for b in base], [r.jct_mean for r in runs])
            columns: list[Sequence[float]] = [
                [run.jct_gap for run in runs],
                [run.makespan_gap for run in runs],
                [run.useful for run in runs],
                [run.restarts for run in runs],
            ]
            body.append(
                [name, tables.shown(against), *(tables.shown(tables.mean(c)) for c in columns)]
            )
        count = len(base)
        text.append(
            f"## Value of a job: {OBJECTIVES[objective]}, {count} sample{'s' * (count > 1)}\n"
        )
        head = (
            "variant",
            "base JCT / own",
            "JCT / bound",
            "makespan / bound",
            "useful",
            "restarts",
        )
        text.append(tables.table(head, body))
    if slots:
        body = [[name, tables.shown(tables.mean(own))] for name, own in slots.items()]
        count = len(next(iter(slots.values())))
        text.append(
            f"## Total utility in slots of four hours, 16 jobs, {count} "
            f"instance{'s' * (count > 1)}\n"
        )
        text.append(tables.table(("scheduler", "value / Lagrangian bound"), body))
    return "\n".join(text)


def claims(
    found: dict[str, dict[str, list[Figures]]], slots: dict[str, list[float]], size: str
) -> list[Claim]:
    """Return what the parts are worth."""
    rows = []
    for objective, own in found.items():
        base = [run.jct_mean for run in own[BASE]]
        gains = "\n".join(
            f"{name.removeprefix('base + ')}: "
            f"{tables.shown(tables.ratio(base, [run.jct_mean for run in own[name]]))}"
            for name in list(VARIANTS)[1:]
        )
        rows.append(
            Claim(
                f"Hadar: what each part is worth, at value {OBJECTIVES[objective]}",
                "not reported",
                f"{len(base)} sample{'s' * (len(base) > 1)}, {size}; mean JCT of the base over "
                f"that with:\n{gains}",
                "The base is the greedy by value per GPU on one type, to the end; one part at a "
                f"time, then together. All variants know the same. {WHY[objective]}",
            )
        )
    if slots:
        shares = "\n".join(f"{k}: {tables.shown(tables.mean(v))}" for k, v in slots.items())
        rows.append(
            Claim(
                "Hadar: prices against density greedy and rolling horizon",
                "not reported",
                f"part of the Lagrangian bound on total utility:\n{shares}",
                f"Instances in slots of four hours ({len(next(iter(slots.values())))} of them), "
                "16 jobs on 6 GPUs at load 1; nobody can reach more than 1, and the optimum itself "
                "may be below it.",
            )
        )
    return rows


def publish(
    found: dict[str, dict[str, list[Figures]]], slots: dict[str, list[float]], out: Path, size: str
) -> list[Claim]:
    (out / "hadar_ablation.md").write_text(report(found, slots, size), encoding="utf-8")
    if found:
        groups = {
            name: {
                OBJECTIVES[objective]: tables.mean([run.jct_gap for run in rows[name]])[0]
                for objective, rows in found.items()
            }
            for name in VARIANTS
        }
        title = "Mean JCT over a bound that no schedule can beat, by value of a job"
        tables.bars(out / "ablation.png", shown(title, size), "times the bound", groups)
    return claims(found, slots, size)


def run(full: bool, out: Path) -> list[Claim]:
    samples = FULL_SAMPLES if full else REDUCED_SAMPLES
    return perform(full, samples, out, seconds_of(full))


def perform(full: bool, samples: int, out: Path, seconds: float) -> list[Claim]:
    own = traces_or_lookalike(out, NEEDS, INSTEAD)
    found = parts(full, samples, own.data, own.cells(out), seconds)
    slots = in_slots(samples, own.data, own.cells(out, "slots"), seconds / SLOTS_PART)
    jobs, cluster = sized(full)
    return own.marked(publish(found, slots, out, own.size(f"{jobs} jobs on {cluster}")))


def main() -> None:
    command("hadar_ablation", __doc__, REDUCED_SAMPLES, perform)


if __name__ == "__main__":
    main()
