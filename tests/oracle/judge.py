"""Schedule documents: written, and judged."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

from tests.oracle.reading import (
    Cell,
    Json,
    capacity,
    gang_size,
    instance_sha256,
    iterations,
    max_copies,
    num_rounds,
    number,
    parallelism,
    release,
    throughput,
    utility,
)
from tests.oracle.single import Option


def schedule_json(inst: Json, value: Fraction, entries: list[Json]) -> Json:
    """A schedule document."""
    return {
        "format": "hadaropt-schedule/1",
        "instance_sha256": instance_sha256(inst),
        "objective": str(value),
        "jobs": entries,
    }


def job_json(
    name: str, completion: int | None, rounds: list[tuple[int, Option]] | tuple[Any, ...]
) -> Json:
    """The entry of one job in a schedule document."""
    out = []
    for t, option in rounds:
        gpus: dict[str, dict[str, int]] = {}
        for (h, r), held in option.use:
            gpus.setdefault(h, {})[r] = held
        entry: Json = {"round": t, "gpus": gpus}
        if option.copies:
            entry["copies"] = True
        out.append(entry)
    return {"name": name, "completion": completion, "rounds": out}


def schedule_value(inst: Json, schedule: Json) -> tuple[Fraction, dict[str, int | None]]:
    """Exact value and completion rounds of a schedule document; ValueError says what is wrong."""
    jobs = {job["name"]: job for job in inst["jobs"]}
    cells = capacity(inst)
    held_by_all: dict[tuple[int, Cell], int] = {}
    completion: dict[str, int | None] = dict.fromkeys(jobs)
    value, seen = Fraction(0), set()
    for entry in schedule["jobs"]:
        name = entry["name"]
        if name not in jobs or name in seen:
            raise ValueError(f"job {name!r} unknown or listed twice")
        seen.add(name)
        job, done = jobs[name], 0
        by_round = {e["round"]: e for e in entry["rounds"]}
        if len(by_round) != len(entry["rounds"]):
            raise ValueError(f"job {name!r} has a round twice")
        for t in sorted(by_round):
            if not release(job) <= t < num_rounds(inst):
                raise ValueError(f"job {name!r} runs in round {t}, outside its window")
            if completion[name] is not None:
                raise ValueError(f"job {name!r} runs in round {t}, after completion")
            done += round_progress(inst, job, by_round[t])
            for h, gpus in by_round[t]["gpus"].items():
                for r, units in gpus.items():
                    held_by_all[t, (h, r)] = held_by_all.get((t, (h, r)), 0) + units
            if done >= iterations(job):
                completion[name] = t
                value += utility(inst, job, t - release(job) + 1)
        if entry.get("completion") != completion[name]:
            raise ValueError(f"job {name!r} claims completion {entry.get('completion')}")
    for (t, cell), units in held_by_all.items():
        if units > cells.get(cell, 0):
            raise ValueError(f"round {t}: {units} GPUs of {cell} exceed the capacity")
    if "objective" in schedule and number(schedule["objective"]) != value:
        raise ValueError(f"objective {schedule['objective']} claimed, {value} true")
    return value, completion


def round_progress(inst: Json, job: Json, entry: Json) -> int:
    """Progress of one round entry, its own rules checked (capacity apart)."""
    nodes = {n["name"] for n in inst["nodes"]}
    tau, where = number(inst["round_seconds"]), f"job {job['name']!r}, round {entry['round']}"
    totals, slowest, types = [], [], set()
    for h, gpus in entry["gpus"].items():
        if h not in nodes:
            raise ValueError(f"{where}: unknown node {h!r}")
        for r, units in gpus.items():
            if r not in inst["accelerators"]:
                raise ValueError(f"{where}: unknown type {r!r}")
            if units < 1 or throughput(job, r) == 0:
                raise ValueError(
                    f"{where}: {units} GPUs of {r!r} (no progress there, or none held)"
                )
        if not gpus:
            raise ValueError(f"{where}: node {h!r} is named but holds nothing")
        totals.append(sum(gpus.values()))
        slowest.append(min(throughput(job, r) for r in gpus))
        types |= set(gpus)
    if entry.get("copies", False):
        if parallelism(inst) != "forked" or not 2 <= len(totals) <= max_copies(inst, job):
            raise ValueError(f"{where}: {len(totals)} copies")
        if any(n != gang_size(job) for n in totals):
            raise ValueError(f"{where}: a copy without exactly {gang_size(job)} GPUs")
        seconds = max(Fraction(0), tau - number(inst.get("consolidation_seconds", 0)))
        return sum(floor(x * seconds) for x in slowest)
    if sum(totals) != gang_size(job):
        raise ValueError(f"{where}: {sum(totals)} GPUs held, not {gang_size(job)}")
    if parallelism(inst) == "single_type" and len(types) > 1:
        raise ValueError(f"{where}: several types in a single_type gang")
    rho = number(job.get("spread_factor", 1)) if len(totals) > 1 else Fraction(1)
    return floor(min(slowest) * rho * tau)
