"""Small odd instances: whatever is legal and rare, drawn from a plain generator."""

from __future__ import annotations

import random
from fractions import Fraction

from tests.oracle import Json, job_schedules, round_options

TYPES = ("V", "P", "K")


def utility(rng: random.Random, rounds: int, peak: str) -> Json:
    """A utility with plateaus, zeros, cliffs; ``peak`` is its order of magnitude."""

    def worth(low: int = 0) -> str:
        return str(Fraction(rng.choice((0, 1, 1, 2, 3, 5, 7, 10)[low:])) * Fraction(peak))

    kind = rng.choice(("table", "table", "step", "linear", "completion", "sigmoid"))
    if kind == "table":
        values = sorted(
            (Fraction(worth()) for _ in range(rng.randint(1, rounds + 1))), reverse=True
        )
        return {"kind": kind, "values": [str(value) for value in values]}
    if kind == "step":
        return {"kind": kind, "peak": worth(), "deadline": rng.choice(("0", "1", "2", "5/2", "9"))}
    if kind == "linear":
        decay = str(Fraction(rng.choice(("0", "1", "1/3", "3"))) * Fraction(peak))
        return {"kind": kind, "peak": worth(), "decay": decay}
    if kind == "sigmoid":
        return {
            "kind": kind,
            "peak": worth(1),
            "steepness": rng.choice(("0", "1", "2/3", "40")),
            "deadline": rng.choice(("1", "5/2")),
        }
    return {"kind": kind, "weight": worth(1), "horizon": rng.choice(("1", "2", "5/2", "4"))}


def job(rng: random.Random, name: str, types: list[str], rounds: int, peak: str) -> Json:
    """A job; speeds may be 0, tie or floor to nothing."""
    speeds = {r: rng.choice(("0", "1", "1", "2", "3", "1/2", "5/2")) for r in types}
    made: Json = {
        "name": name,
        "release": rng.choice((0, 0, 0, 1, rounds - 1, rounds)),
        "gang_size": rng.choice((1, 1, 1, 2, 2, 3)),
        "iterations": rng.choice((1, 1, 2, 3, 5)),
        "throughput": speeds,
        "utility": utility(rng, rounds, peak),
    }
    if rng.random() < 0.5:
        made["spread_factor"] = rng.choice(("1", "1/2", "2/3", "1/20"))
    if rng.random() < 0.4:
        made["max_copies"] = rng.choice((1, 2, 3))
    return made


def instance(rng: random.Random) -> Json:
    """An instance document that the oracle can solve in a moment."""
    types = rng.sample(TYPES, rng.randint(1, 3))
    rounds = rng.randint(1, 3)
    left, nodes = 5, []
    for h in range(rng.randint(1, 3)):
        gpus = {}
        for r in types:
            count = min(left, rng.choice((0, 1, 1, 2)))
            left -= count
            if count:
                gpus[r] = count
        nodes.append({"name": f"n{h}", "gpus": gpus})
    wide = rng.random() < 0.15
    jobs: list[Json] = []
    for i in range(rng.randint(0, 4)):
        peak = rng.choice(("1/10000000000", "1/1000", "1", "10000000000")) if wide else "1"
        if jobs and rng.random() < 0.25:
            jobs.append({**rng.choice(jobs), "name": f"j{i}"})
        else:
            jobs.append(job(rng, f"j{i}", types, rounds, peak))
    document: Json = {
        "format": "hadaropt-instance/1",
        "name": "odd",
        "round_seconds": rng.choice(("1", "1", "2", "7/3")),
        "num_rounds": rounds,
        "parallelism": rng.choice(("single_type", "mixed", "forked")),
        "accelerators": types,
        "nodes": nodes,
        "jobs": jobs,
    }
    if rng.random() < 0.4:
        document["consolidation_seconds"] = rng.choice(("0", "1/2", "1", "5"))
    return document


def start(rng: random.Random, document: Json) -> list[tuple[str, list[tuple[int, Json, bool]]]]:
    """A legal schedule, as (job, rounds with what is held): empty, partial, in vain or worth 0.

    Jobs are taken in some order, each with one of its schedules or with rounds that do not suffice,
    wherever that fits beside what is there.
    """
    rounds = int(document["num_rounds"])
    free = {
        (t, node["name"], r): int(count)
        for t in range(rounds)
        for node in document["nodes"]
        for r, count in node["gpus"].items()
    }
    made: list[tuple[str, list[tuple[int, Json, bool]]]] = []
    for j in rng.sample(range(len(document["jobs"])), rng.randint(0, len(document["jobs"]))):
        one = document["jobs"][j]
        options = round_options(document, one)
        if rng.random() < 0.3 and options and int(one["release"]) < rounds:
            t = rng.randrange(int(one["release"]), rounds)
            option = rng.choice(options)
            chosen = [(t, option)]
        else:
            schedules = job_schedules(document, j)
            if not schedules:
                continue
            chosen = list(rng.choice(schedules).rounds)
        held = [((t, *cell), n) for t, option in chosen for cell, n in option.use]
        if any(free[cell] < n for cell, n in held):
            continue
        for cell, n in held:
            free[cell] -= n
        entries = []
        for t, option in chosen:
            gpus: Json = {}
            for (node, r), n in option.use:
                gpus.setdefault(node, {})[r] = n
            entries.append((t, gpus, option.copies))
        made.append((str(one["name"]), entries))
    return made
