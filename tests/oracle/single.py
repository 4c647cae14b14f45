"""One job: its choices in a round, its irredundant schedules, its least costs at prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import floor
from typing import Any, NamedTuple

from tests.oracle.reading import (
    Cell,
    Json,
    capacity,
    gang_size,
    iterations,
    max_copies,
    num_rounds,
    number,
    parallelism,
    release,
    throughput,
    utility,
)

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
