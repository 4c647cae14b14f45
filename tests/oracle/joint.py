"""All jobs: the optimum, by enumeration."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.oracle.judge import job_json, schedule_json
from tests.oracle.reading import Cell, Json, capacity, iterations, num_rounds, release, utility
from tests.oracle.single import Option, round_options

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
        for j, chosen in zip(active, how, strict=True):
            if chosen:
                rounds[j].append((t, chosen))
            if not left[j]:
                completion[j] = t
    entries = [job_json(jobs[j]["name"], completion[j], rounds[j]) for j in sorted(completion)]
    return value, schedule_json(inst, value, entries)
