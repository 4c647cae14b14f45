"""Brute-force oracle for tiny instances, written from the problem definition alone.

Works on the parsed JSON of an instance file (numbers as int, str or Decimal) and imports only the
standard library, so that it shares no code, and no mistake, with the library that it judges.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal, Overflow, Underflow
from fractions import Fraction
from math import floor
from typing import Any, NamedTuple

Json = dict[str, Any]
Cell = tuple[str, str]  # node name, accelerator name
Prices = Mapping[tuple[Any, ...], Fraction | int]  # (round, type) or (round, node, type)
Free = Mapping[tuple[Any, ...], int]  # same keys


class Option(NamedTuple):
    """What one job may hold in one round."""

    progress: int
    use: tuple[tuple[Cell, int], ...]  # in the order of nodes, then accelerators
    copies: bool


class JobSchedule(NamedTuple):
    """One irredundant schedule of one job."""

    value: Fraction
    completion: int
    rounds: tuple[tuple[int, Option], ...]


# ---------------------------------------------------------------- reading the dictionary


def number(x: Any) -> Fraction:
    """Exact value of a number literal."""
    if isinstance(x, bool) or not isinstance(x, (int, str, Decimal, Fraction)):
        raise TypeError(f"{x!r} is not an exact number")
    return Fraction(x)


def whole(x: Any) -> int:
    """Exact integer value of a number literal."""
    value = number(x)
    if value.denominator != 1:
        raise ValueError(f"{x!r} is not an integer")
    return value.numerator


def num_rounds(inst: Json) -> int:
    """T."""
    return whole(inst["num_rounds"])


def release(job: Json) -> int:
    """a_j."""
    return whole(job["release"])


def gang_size(job: Json) -> int:
    """W_j."""
    return whole(job["gang_size"])


def iterations(job: Json) -> int:
    """Q_j."""
    return whole(job["iterations"])


def parallelism(inst: Json) -> str:
    """One of single_type, mixed, forked."""
    return str(inst.get("parallelism", "mixed"))


def max_copies(inst: Json, job: Json) -> int:
    """Largest number of copies of a job in one round; by default the number of nodes."""
    return whole(job.get("max_copies", len(inst["nodes"])))


def throughput(job: Json, accelerator: str) -> Fraction:
    """X_jr, 0 where the file is silent."""
    return number(job["throughput"].get(accelerator, 0))


def capacity(inst: Json) -> dict[Cell, int]:
    """c_hr of every cell that holds a GPU, nodes first."""
    cells = {
        (node["name"], r): whole(node["gpus"].get(r, 0))
        for node in inst["nodes"]
        for r in inst["accelerators"]
    }
    return {cell: units for cell, units in cells.items() if units > 0}


def utility(inst: Json, job: Json, d: int) -> Fraction:
    """U_j(d), d = flow time in rounds, counted from 1."""
    u = job["utility"]
    kind = u["kind"]
    if kind == "table":
        return number(u["values"][d - 1]) if d <= len(u["values"]) else Fraction(0)
    if kind == "linear":
        return max(Fraction(0), number(u["peak"]) - number(u["decay"]) * (d - 1))
    if kind == "step":
        return number(u["peak"]) if d <= number(u["deadline"]) else Fraction(0)
    if kind == "completion":
        return number(u["weight"]) * max(Fraction(0), number(u["horizon"]) - d)
    if kind == "effective_throughput":
        return number(u["scale"]) * iterations(job) / (d * number(inst["round_seconds"]))
    if kind == "sigmoid":
        return _sigmoid(
            number(u["peak"]), number(u["steepness"]) * (Fraction(d) - number(u["deadline"]))
        )
    raise ValueError(f"utility kind {kind!r}")


def _sigmoid(peak: Fraction, x: Fraction) -> Fraction:
    """peak / (1 + exp(x)) to 50 digits, then half-even to 9 decimals."""
    context = Context(prec=50, rounding=ROUND_HALF_EVEN)
    context.traps[Overflow] = context.traps[Underflow] = False  # exp -> Infinity gives 0, fine

    def decimal(q: Fraction) -> Decimal:
        return context.divide(Decimal(q.numerator), Decimal(q.denominator))

    below = context.add(Decimal(1), context.exp(decimal(x)))
    value = context.divide(decimal(peak), below)
    wide = Context(prec=1000, rounding=ROUND_HALF_EVEN)
    return Fraction(value.quantize(Decimal("1e-9"), context=wide))


def canonical(inst: Json) -> str:
    """Canonical text of an instance: exact numbers, defaults filled in, zeros dropped, no name."""

    def text(x: Any) -> str:
        return str(number(x))

    def positive(entries: Json) -> Json:
        return {key: text(x) for key, x in entries.items() if number(x) != 0}

    def utility_of(job: Json) -> Json:
        out: Json = {}
        for key, x in job["utility"].items():
            out[key] = x if key == "kind" else [*map(text, x)] if key == "values" else text(x)
        return out

    body = {
        "format": inst["format"],
        "round_seconds": text(inst["round_seconds"]),
        "num_rounds": text(inst["num_rounds"]),
        "parallelism": parallelism(inst),
        "consolidation_seconds": text(inst.get("consolidation_seconds", 0)),
        "accelerators": list(inst["accelerators"]),
        "nodes": [{"name": n["name"], "gpus": positive(n["gpus"])} for n in inst["nodes"]],
        "jobs": [
            {
                "name": job["name"],
                "release": text(job["release"]),
                "gang_size": text(job["gang_size"]),
                "iterations": text(job["iterations"]),
                "throughput": positive(job["throughput"]),
                "spread_factor": text(job.get("spread_factor", 1)),
                "max_copies": text(max_copies(inst, job)),
                "utility": utility_of(job),
            }
            for job in inst["jobs"]
        ],
    }
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def instance_sha256(inst: Json) -> str:
    """Hash of the canonical text."""
    return hashlib.sha256(canonical(inst).encode("utf-8")).hexdigest()


# ---------------------------------------------------------------- one job


def _placements(
    cells: list[tuple[Cell, int]], units: int
) -> Iterator[tuple[tuple[Cell, int], ...]]:
    """Every way to hold exactly `units` GPUs on cells of given capacity."""
    if units == 0:
        yield ()
        return
    if not cells:
        return
    (cell, limit), rest = cells[0], cells[1:]
    for held in range(min(limit, units) + 1):
        for others in _placements(rest, units - held):
            yield ((cell, held), *others) if held else others


def round_options(inst: Json, job: Json) -> list[Option]:
    """Everything the job may hold in one round of an empty cluster, useless choices included."""
    usable = [(c, n) for c, n in capacity(inst).items() if throughput(job, c[1]) > 0]
    size, tau = gang_size(job), number(inst["round_seconds"])
    rho = number(job.get("spread_factor", 1))
    options = []
    for use in _placements(usable, size):
        types = {r for (_, r), _ in use}
        if parallelism(inst) == "single_type" and len(types) > 1:
            continue
        spans = len({h for (h, _), _ in use}) > 1
        speed = min(throughput(job, r) for r in types) * (rho if spans else 1)
        options.append(Option(floor(speed * tau), use, False))
    if parallelism(inst) == "forked":
        left = max(Fraction(0), tau - number(inst.get("consolidation_seconds", 0)))
        options += _copies(inst, job, usable, left)
    return options


def _copies(
    inst: Json, job: Json, usable: list[tuple[Cell, int]], seconds: Fraction
) -> list[Option]:
    """Every choice of 2..max_copies nodes, each with one gang of the job inside."""
    found: list[tuple[int, int, tuple[tuple[Cell, int], ...]]] = [(0, 0, ())]
    for node in inst["nodes"]:
        inside = [(c, n) for c, n in usable if c[0] == node["name"]]
        for count, progress, use in list(found):
            for one in _placements(inside, gang_size(job)):
                slowest = min(throughput(job, r) for (_, r), _ in one)
                found.append((count + 1, progress + floor(slowest * seconds), use + one))
    return [Option(p, use, True) for n, p, use in found if 2 <= n <= max_copies(inst, job)]


def job_schedules(inst: Json, j: int) -> list[JobSchedule]:
    """All irredundant schedules of job j on the empty cluster, those of value 0 included."""
    job = inst["jobs"][j]
    need, horizon = iterations(job), num_rounds(inst)
    options = [o for o in round_options(inst, job) if o.progress > 0]
    found: list[JobSchedule] = []

    def extend(t: int, rounds: tuple[tuple[int, Option], ...]) -> None:
        total = sum(o.progress for _, o in rounds)
        if total >= need:
            # Irredundant: no round can be dropped. The last one then is the completing one.
            if all(total - o.progress < need for _, o in rounds):
                f = rounds[-1][0]
                found.append(JobSchedule(utility(inst, job, f - release(job) + 1), f, rounds))
            return
        for later in range(t, horizon):
            for option in options:
                extend(later + 1, (*rounds, (later, option)))

    extend(release(job), ())
    return found


def option_cost(option: Option, t: int, prices: Prices) -> Fraction:
    """A GPU pays the price of its type and the price of its cell; an absent price is 0."""
    total = Fraction(0)
    for (h, r), held in option.use:
        total += held * (Fraction(prices.get((t, r), 0)) + Fraction(prices.get((t, h, r), 0)))
    return total


def _fits(option: Option, t: int, free: Free) -> bool:
    """Whether the option fits what is left; a key that is absent means the full capacity."""
    pooled: dict[str, int] = {}
    for (h, r), held in option.use:
        pooled[r] = pooled.get(r, 0) + held
        if held > free.get((t, h, r), held):
            return False
    return all(held <= free.get((t, r), held) for r, held in pooled.items())


def least_costs(
    inst: Json, j: int, prices: Prices, free: Free | None = None
) -> list[Fraction | None]:
    """Least cost of completing job j in round f or before, for f = 0..T-1; None = impossible."""
    job = inst["jobs"][j]
    need = iterations(job)
    options = [o for o in round_options(inst, job) if o.progress > 0]
    cheapest = {0: Fraction(0)}  # progress so far, capped at Q_j -> least cost
    answer: list[Fraction | None] = []
    for t in range(num_rounds(inst)):
        if t >= release(job):
            reached = dict(cheapest)
            for option in options:
                if not _fits(option, t, free or {}):
                    continue
                cost = option_cost(option, t, prices)
                for done, paid in cheapest.items():
                    total = min(need, done + option.progress)
                    reached[total] = min(reached.get(total, paid + cost), paid + cost)
            cheapest = reached
        answer.append(cheapest.get(need))
    return answer


def max_payoff(inst: Json, j: int, prices: Prices, free: Free | None = None) -> Fraction:
    """mu*_j: the best U_j(d) - cost over all schedules of job j, the empty one included.

    Completing by f instead of in f changes nothing: U_j does not increase.
    """
    job = inst["jobs"][j]
    best = Fraction(0)
    for f, cost in enumerate(least_costs(inst, j, prices, free)):
        if cost is not None:
            best = max(best, utility(inst, job, f - release(job) + 1) - cost)
    return best


# ---------------------------------------------------------------- all jobs

Vector = tuple[int, ...]


def _maximal(labels: dict[Vector, Any]) -> dict[Vector, Any]:
    """Progress vectors that no other vector equals or exceeds in every job."""
    return {
        p: how
        for p, how in labels.items()
        if not any(q != p and all(a <= b for a, b in zip(p, q, strict=True)) for q in labels)
    }


def _joint(
    cells: dict[Cell, int], options: list[list[Option]]
) -> dict[Vector, tuple[Option | None, ...]]:
    """Maximal progress vectors that the given jobs reach together in one round.

    Only maximal vectors matter: more progress for one job never hurts, since its completion can
    only move forward (U_j does not increase) and a completed job holds nothing afterwards. For the
    same reason it is enough to keep, for every state of the cells, the maximal vectors of the jobs
    placed so far.
    """
    order = list(cells)
    states: dict[Vector, dict[Vector, tuple[Option | None, ...]]]
    states = {tuple(cells.values()): {(): ()}}
    for mine in options:
        after: dict[Vector, dict[Vector, tuple[Option | None, ...]]] = {}
        for left, labels in states.items():
            choices: list[Option | None] = [None, *mine]
            for option in choices:
                held = dict(option.use) if option else {}
                rest = tuple(n - held.get(c, 0) for c, n in zip(order, left, strict=True))
                if min(rest, default=0) < 0:
                    continue
                target = after.setdefault(rest, {})
                for vector, how in labels.items():
                    target[(*vector, option.progress if option else 0)] = (*how, option)
        states = {left: _maximal(labels) for left, labels in after.items()}
    return _maximal({v: how for labels in states.values() for v, how in labels.items()})


def optimum(inst: Json) -> tuple[Fraction, Json]:
    """Optimal value and one optimal schedule (only the jobs that complete), by enumeration.

    Over rounds the state is the vector of iterations still to do; in each round every maximal
    joint progress vector of the jobs that can still earn something is tried.
    """
    jobs, horizon, cells = inst["jobs"], num_rounds(inst), capacity(inst)
    useful = []
    for job in jobs:
        by_use: dict[Any, Option] = {}
        for option in round_options(inst, job):
            capped = option._replace(progress=min(iterations(job), option.progress))
            if capped.progress > 0 and (
                option.use not in by_use or capped.progress > by_use[option.use].progress
            ):
                by_use[option.use] = capped
        useful.append(list(by_use.values()))
    joint: dict[Vector, dict[Vector, tuple[Option | None, ...]]] = {}
    memo: dict[tuple[int, Vector], tuple[Fraction, tuple[Option | None, ...]]] = {}

    def earns(j: int, t: int) -> Fraction:
        return utility(inst, jobs[j], t - release(jobs[j]) + 1)

    def step(left: Vector, active: Vector, how: tuple[Option | None, ...]) -> Vector:
        after = list(left)
        for j, option in zip(active, how, strict=True):
            after[j] = max(0, after[j] - (option.progress if option else 0))
        return tuple(after)

    def alive(t: int, left: Vector) -> Vector:
        return tuple(
            j for j in range(len(jobs)) if left[j] and release(jobs[j]) <= t and earns(j, t) > 0
        )

    def best(t: int, left: Vector) -> Fraction:
        if t == horizon:
            return Fraction(0)
        if (t, left) not in memo:
            active = alive(t, left)
            if active not in joint:
                joint[active] = _joint(cells, [useful[j] for j in active])
            winner: tuple[Fraction, tuple[Option | None, ...]] | None = None
            for how in joint[active].values():
                after = step(left, active, how)
                gain = sum((earns(j, t) for j in active if not after[j]), Fraction(0))
                total = gain + best(t + 1, after)
                if winner is None or total > winner[0]:
                    winner = (total, how)
            assert winner is not None  # idling is always possible
            memo[t, left] = winner
        return memo[t, left][0]

    left = tuple(iterations(job) for job in jobs)
    value = best(0, left)
    rounds: list[list[tuple[int, Option]]] = [[] for _ in jobs]
    completion: dict[int, int] = {}
    for t in range(horizon):
        best(t, left)
        active, how = alive(t, left), memo[t, left][1]
        left = step(left, active, how)
        for j, option in zip(active, how, strict=True):
            if option:
                rounds[j].append((t, option))
            if not left[j]:
                completion[j] = t
    entries = [job_json(jobs[j]["name"], completion[j], rounds[j]) for j in sorted(completion)]
    return value, schedule_json(inst, value, entries)


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


# ---------------------------------------------------------------- judging a schedule


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
