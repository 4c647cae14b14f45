"""Feed the recorded allocations to the mechanism and compare every pick, time and average.

    python -m benchmarks.paper.gavel_validation DATA [--only SUBSTRING] [--solved]

DATA holds ``reference/runs.csv``, ``reference/{allocs,rounds,per_job}``, ``traces`` and
``throughputs.csv``. Exit code 0: every run is reproduced exactly.

With ``--solved`` the policies are solved by HiGHS instead. The programs are degenerate, so only
averages can be compared: within 3 % of the recorded ones of the setting, or between the least and
the largest of them, widened by 3 %. Exit code 0: every setting is.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.paper.claims import Claim, data_folder
from hadaropt.simulate.schedulers.gavel_reference import ReferenceRun, simulate_gavel_reference
from hadaropt.simulate.shares.policy import POLICIES

NEEDS = ("gavel/reference/runs.csv",)
"""Entries of the folder of public data."""
TOLERANCE = 0.03


def recorded_runs(data: Path) -> list[dict[str, str]]:
    with (data / "reference" / "runs.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def replayed(data: Path, run: dict[str, str], *, solved: bool = False) -> ReferenceRun:
    counts = dict(zip(("v100", "p100", "k80"), map(int, run["cluster"].split(":")), strict=True))
    return simulate_gavel_reference(
        data / "traces" / f"{run['trace']}.csv",
        data / "throughputs.csv",
        counts,
        run["policy"].partition("+")[0],
        round_seconds=float(run["round_s"]),
        seed=int(run["seed"]),
        replay=None if solved else data / "reference" / "allocs" / f"{run['tag']}.csv.gz",
    )


def differences(data: Path, run: dict[str, str], ours: ReferenceRun) -> Iterator[str]:
    """Yield what differs; equality is of doubles, bit for bit."""
    reference, tag = data / "reference", run["tag"]
    with gzip.open(reference / "rounds" / f"{tag}.csv.gz", "rt", newline="") as file:
        picks = {
            (
                int(row["round"]),
                float(row["start_s"]),
                row["job_id"],
                row["worker_type"],
                int(row["steps"]),
                tuple(map(int, row["worker_ids"].split())),
            )
            for row in csv.DictReader(file)
        }
    mine = {
        (p.round, p.start, ours.jobs[p.job].name, p.type, p.steps, p.workers) for p in ours.picks
    }
    if mine != picks:
        yield f"{len(mine - picks)} picks are not recorded, {len(picks - mine)} are missing"
    index = {job.name: j for j, job in enumerate(ours.jobs)}
    with (reference / "per_job" / f"{tag}.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            job = index[row["job_id"]]
            done = row["status"] == "done"
            theirs = (float(row["finish_s"]), float(row["jct_s"])) if done else (None, None)
            if (ours.finish.get(job), ours.jct_s.get(job)) != theirs:
                yield f"job {row['job_id']}: {ours.finish.get(job)} instead of {theirs[0]}"
    for name, value in (
        ("done", len(ours.finish)),
        ("failed", len(ours.dropped)),
        ("avg_jct_s", ours.avg_jct_s),
        ("makespan_s", ours.makespan_s),
        ("utilization", ours.utilization),
        ("rounds", ours.rounds),
        ("policy_solves", ours.policy_solves),
    ):
        if value != float(run[name]):
            yield f"{name}: {value} instead of {run[name]}"


def compare_averages(data: Path, only: str) -> bool:
    settings: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for run in recorded_runs(data):
        if only in run["tag"] and run["policy"] in POLICIES:
            key = (run["trace"], run["cluster"], run["round_s"], run["policy"])
            settings.setdefault(key, []).append(run)
    close = 0
    for key, runs in settings.items():
        recorded = [float(run["avg_jct_s"]) for run in runs]
        ours = replayed(data, runs[0], solved=True).avg_jct_s or 0.0
        low, high = min(recorded) * (1 - TOLERANCE), max(recorded) * (1 + TOLERANCE)
        close += low <= ours <= high
        nearest = min((ours / theirs - 1 for theirs in recorded), key=abs)
        verdict = "close" if low <= ours <= high else "APART"
        print(*key, f"{ours:.0f} s, recorded {sorted(recorded)}: {nearest:+.1%} {verdict}")
    print(f"{close} of {len(settings)} settings within the tolerance")
    return close == len(settings)


def run(full: bool, out: Path) -> list[Claim]:
    """Replay every recorded run; at reduced size the first of each policy and trace."""
    data = data_folder(*NEEDS) / "gavel"
    runs = recorded_runs(data)
    if not full:
        runs = list({(run["trace"], run["policy"]): run for run in reversed(runs)}.values())[::-1]
    exact = picks = 0
    with (out / "differences.txt").open("w") as file:
        for recorded in runs:
            ours = replayed(data, recorded)
            found = list(differences(data, recorded, ours))
            exact += not found
            picks += len(ours.picks)
            file.writelines(f"{recorded['tag']}: {difference}\n" for difference in found)
    policies = len({run["policy"] for run in runs})
    return [
        Claim(
            "Gavel's public simulator: every pick, finish, average and count of its recorded runs",
            f"{len(runs)} runs of {policies} policies, {picks:,} picks",
            f"{exact} of {len(runs)} runs equal to the last bit",
            "the mechanism is fed the recorded allocations, so no degenerate optimum decides"
            + ("" if exact == len(runs) else "; differences.txt lists what differs"),
        )
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", default="", help="runs whose tag contains this")
    parser.add_argument("--solved", action="store_true", help="solve the policies anew")
    options = parser.parse_args()
    if options.solved:
        return 0 if compare_averages(options.data, options.only) else 1
    exact = picks = count = 0
    for run in recorded_runs(options.data):
        if options.only not in run["tag"]:
            continue
        count += 1
        ours = replayed(options.data, run)
        found = list(differences(options.data, run, ours))
        exact += not found
        picks += len(ours.picks)
        for difference in found:
            print(f"{run['tag']}: {difference}")
    print(f"{exact} of {count} runs reproduced exactly ({picks} picks)")
    return 0 if exact == count else 1


if __name__ == "__main__":
    sys.exit(main())
