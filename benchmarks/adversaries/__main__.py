"""Search for the worst instances of every policy; keep those that are worse than what is known.

    python -m benchmarks.adversaries search CLASS [--budget 20] [--seed 0] [--policies NAMES]
    python -m benchmarks.adversaries family
    python -m benchmarks.adversaries table

``family`` proves and writes the instance of R2x, which no search has to find. ``table`` verifies
and replays the archive and writes README.md beside it.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

from hadaropt.bench.adversary.archive import FIND, Find, replay, settle, write_find
from hadaropt.bench.adversary.judge import Judge
from hadaropt.bench.adversary.search import Budget, Search
from hadaropt.bench.adversary.space import UNIT, Limits, Offer, Play
from hadaropt.bench.ratio.contestants import make_contestant
from hadaropt.bench.ratio.report import figure
from hadaropt.policies import POLICY_NAMES

ARCHIVE = Path(__file__).parent
HADAR = ("hadar", "hadar:exact", "hadar:guaranteed")
SCHEDULERS = (*HADAR, "gavel:max_min_fairness_perf", "tiresias", "yarn")
POLICIES = (*POLICY_NAMES, *(f"round:{name}" for name in SCHEDULERS))
BASE = Limits(jobs=10, rounds=2, gpus=4, gang=1, spread=100)
PAIRS = (
    "primal_dual:zero_start|fifo",
    "fifo|primal_dual:zero_start",
    "primal_dual:zero_start|primal_dual:exponential_paper",
    "primal_dual:exponential_paper|primal_dual:zero_start",
    "primal_dual:step|primal_dual:threshold",
    "round:hadar|round:hadar:exact",
    "round:hadar:exact|round:hadar",
    "round:hadar|round:hadar:guaranteed",
    "round:hadar:guaranteed|round:hadar",
)
"""A policy and its rival, for the class ``rivals``."""

STARVED = "starved"
"""Folder of a find with P = 0 < OPT, beside the worst finite ratio."""

CLASSES = {
    "unit": ("single GPUs on a node of 4, two rounds", BASE, "ratio"),
    "half": (
        "gangs of up to 2 on a node of 4, two rounds",
        Limits(**{**asdict(BASE), "gang": 2}),
        "ratio",
    ),
    "whole": (
        "gangs of up to 4 on a node of 4, two rounds",
        Limits(**{**asdict(BASE), "gang": 4}),
        "ratio",
    ),
    "types": (
        "gangs of up to 2, mixing two types of 2 GPUs each, three rounds",
        Limits(**{**asdict(BASE), "gang": 2, "gpus": 2, "types": 2, "rounds": 3}),
        "ratio",
    ),
    "rounds": (
        "one GPU, jobs of several rounds, eight rounds",
        Limits(jobs=8, rounds=8, gpus=1, gang=1, spread=100),
        "ratio",
    ),
    "fresh": (
        "the family of R2x: job i comes in round i, takes two rounds, is due then, worth 100 + i",
        Limits(jobs=8, rounds=9, gpus=1, gang=1, spread=107),
        "ratio",
    ),
    "rivals": (
        "two policies, gangs of up to 2 on a node of 4: where the second beats the first",
        Limits(**{**asdict(BASE), "gang": 2}),
        "rival",
    ),
    "certified": (
        "gangs of up to 2 on a node of 4, two rounds: D/P instead of OPT/P",
        Limits(**{**asdict(BASE), "gang": 2}),
        "certified",
    ),
}


def short(policy: str) -> str:
    return " against ".join(name.removeprefix("primal_dual:") for name in policy.split("|"))


def place(name: str, policy: str) -> Path:
    return ARCHIVE / name / short(policy).replace(":", "-").replace(" ", "-")


def recorded(folder: Path) -> Fraction:
    """Return the score of a find on file; 0 if there is none."""
    file = folder / FIND
    if not file.exists():
        return Fraction(0)
    facts = json.loads(file.read_text("utf-8"))
    against = {"ratio": "best", "certified": "dual", "rival": "rival_primal"}[facts["objective"]]
    return Fraction(facts[against]) / Fraction(facts["primal"])


def entries(name: str) -> tuple[str, ...]:
    """Return the policies of a class, or its pairs of policies."""
    if name == "rivals":
        return PAIRS
    if name in {"rounds", "fresh"}:
        return tuple(f"round:{scheduler}" for scheduler in HADAR)
    prices = tuple(policy for policy in POLICIES if policy.startswith("primal_dual:"))
    return prices if name == "certified" else POLICIES


def search(name: str, budget: float, seed: int, chosen: list[str]) -> None:
    _, limits, objective = CLASSES[name]
    for entry in chosen:
        policy, _, rival = entry.partition("|")
        opponent = make_contestant(rival) if rival else None
        judge = Judge(make_contestant(policy), limits, objective, opponent)
        found = Search(judge, seed).run(Budget(budget))
        folder = place(name, entry)
        known = recorded(folder)
        score = Fraction(0) if found.best is None else found.best.score or Fraction(0)
        print(
            f"{name} {entry}: {judge.count} instances, {float(score):.6g}, "
            f"known {float(known):.6g}{', starved found' if found.starved else ''}",
            flush=True,
        )
        if found.best is not None and score > known:
            keep(settle(found.best, judge, policy, rival), folder)
        if found.starved is not None and not (folder / STARVED).exists():
            keep(settle(found.starved, judge, policy, rival), folder / STARVED)
        if found.interrupted:
            raise KeyboardInterrupt


def keep(find: Find, folder: Path) -> None:
    if find.best != find.bound:
        print(f"  not kept: the optimum is open ({find.best} .. {find.bound})", flush=True)
        return
    folder.mkdir(parents=True, exist_ok=True)
    write_find(find, folder)


def family() -> None:
    """Write the instance of theorem R2x with eight jobs, and what the schedulers make of it."""
    _, limits, objective = CLASSES["fresh"]
    jobs = range(limits.jobs)
    offers = tuple(Offer(i, 1, 2, (1,), UNIT * (100 + i), 2) for i in jobs)
    play = Play(((1,),), limits.rounds, offers)
    for policy in entries("fresh"):
        judge = Judge(make_contestant(policy), limits, objective)
        judged = judge(play, Fraction(0))
        assert judged is not None
        keep(settle(judged, judge, policy), place("fresh", policy))


INTRODUCTION = """# Worst instances found

Found by `python -m benchmarks.adversaries search CLASS`, shrunk, and proved: each folder holds the
instance, a certificate of its optimum (`hadaropt verify instance.json certificate.json`) and what
the policy makes of it. Tests replay all of them. They are the worst found so far by
short searches: longer ones may find worse, so a ratio may lie below the "lower bound" that theory
proves for the whole class. This page is written by `python -m
benchmarks.adversaries table`.

Densities lie between 1 and 100 per GPU and round (U/L = 100; 107 in the family of R2x), and every
price function is told exactly that, with the largest gang of the class. "Lower bound": no
deterministic policy that commits at arrival has a smaller ratio on the class (theorems T9, T10
and T12 of `proofs/README.md`, for one resource and one round). "Theorem": what the policy's own
theorem allows on that very instance, (constant P + additive)/P. "inf": an instance with P = 0 <
OPT, the worst finite ratio beside it. `rolling_horizon` and the round schedulers revise their
plans, so the bound is not about them; R1 and R2 are, for `round:hadar:guaranteed`.
"""


def hold(folder: Path) -> Find:
    """Return a find of the archive, its certificate verified and the policy's run made again."""
    find, different = replay(folder)
    if different:
        raise SystemExit(f"{folder}: {different}")
    return find


def table() -> str:
    parts = [INTRODUCTION]
    for name, (about, _, objective) in CLASSES.items():
        rows = []
        for policy in entries(name):
            folder = place(name, policy)
            if not (folder / FIND).exists():
                continue
            find = hold(folder)
            score = float(find.against / find.primal)
            nothing = ""
            if (folder / STARVED / FIND).exists():
                hold(folder / STARVED)
                nothing = f"[inf]({name}/{folder.name}/{STARVED}); else "
            lower = "-" if find.lower is None or find.rival else figure(float(find.lower), 2)
            allowed = "none"
            if find.guarantee is not None:
                allowed = f"{find.theorem}: {figure(float(find.guarantee / find.primal), 2)}"
            cells = (
                f"[{short(policy)}]({name}/{folder.name})",
                nothing + figure(score, 2),
                lower,
                allowed,
                str(len(find.instance.jobs)),
            )
            rows.append(f"| {' | '.join(cells)} |")
        if rows:
            what = {"ratio": "OPT/P", "certified": "D/P", "rival": "rival/P"}[objective]
            parts += [
                f"\n## {about[0].upper()}{about[1:]}\n",
                f"| policy | worst {what} found | lower bound | theorem | jobs |",
                "|---|---|---|---|---|",
                *rows,
            ]
    return "\n".join(parts) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adversaries", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    seek = commands.add_parser("search")
    seek.add_argument("name", choices=[name for name in CLASSES if name != "fresh"])
    seek.add_argument("--budget", type=float, default=20.0)
    seek.add_argument("--seed", type=int, default=0)
    seek.add_argument("--policies", help="comma-separated; all of the class by default")
    commands.add_parser("family")
    commands.add_parser("table")
    options = parser.parse_args()
    if options.command == "search":
        chosen = options.policies.split(",") if options.policies else list(entries(options.name))
        search(options.name, options.budget, options.seed, chosen)
    elif options.command == "family":
        family()
    else:
        page = ARCHIVE / "README.md"
        page.write_text(table(), encoding="utf-8")
        finds = sum(1 for _ in ARCHIVE.rglob(FIND))
        print(f"{finds} finds replayed, their certificates verified; table: {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
