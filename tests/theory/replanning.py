"""The re-planning scheduler of R1 and R2 by enumeration, on documents of the oracle.

In every round it runs a feasible set of (job, allocation) of the greatest total score. With q the
rounds that a job still needs if it keeps an allocation, the score is U_j at the round in which it
would end, times discount ** (q - 1); 0 where q > k or the job would end after the last round.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tests.oracle import (
    Json,
    Option,
    capacity,
    iterations,
    num_rounds,
    release,
    round_options,
    utility,
)

Picks = dict[int, Option]


def rounds_of(inst: Json, j: int) -> set[int]:
    """The rounds that job j takes on each allocation that makes progress."""
    job = inst["jobs"][j]
    return {-(-iterations(job) // o.progress) for o in round_options(inst, job) if o.progress}


def score(
    inst: Json, j: int, left: int, t: int, option: Option, k: int, discount: Fraction
) -> Fraction:
    job = inst["jobs"][j]
    if not option.progress:
        return Fraction(0)
    q = -(-left // option.progress)
    if q > k or t + q > num_rounds(inst):
        return Fraction(0)
    return utility(inst, job, t + q - release(job)) * discount ** (q - 1)


def candidates(inst: Json, choices: dict[int, list[Option]]) -> Iterator[Picks]:
    """Every feasible set: at most one option per job, within the capacities."""

    def extend(jobs: list[int], free: dict[tuple[str, str], int]) -> Iterator[Picks]:
        if not jobs:
            yield {}
            return
        j, *rest = jobs
        yield from extend(rest, free)
        for option in choices[j]:
            after = dict(free)
            for cell, held in option.use:
                after[cell] -= held
            if min(after.values(), default=0) >= 0:
                for others in extend(rest, after):
                    yield {j: option, **others}

    yield from extend(list(choices), capacity(inst))


def multiplied(inst: Json, m: int) -> Json:
    """The instance with m clusters for one: node n becomes n#0, ..., n#m-1."""
    nodes = [{**n, "name": f"{n['name']}#{i}"} for i in range(m) for n in inst["nodes"]]
    return {**inst, "nodes": nodes}


def divided(option: Option) -> bool:
    """Whether it lies on more than one of the clusters of `multiplied`."""
    return len({node.rpartition("#")[2] for (node, _), _ in option.use}) > 1


def replan(
    inst: Json,
    k: int | None,
    *,
    discount: Fraction | None = None,
    rho: Fraction = Fraction(1),
    clusters: bool = False,
) -> Fraction:
    """The value collected; ``discount`` is 1 - 1/k unless given.

    With ``clusters`` each gang stays on one of those of `multiplied`.

    Without k the scheduler takes in each round the most rounds of a job that is released by then.
    With ``rho`` > 1 it runs in each round the set of the least score that is within rho of the best
    and no worse than continuing what ran before.
    """
    own = discount
    jobs = inst["jobs"]
    left = [iterations(job) for job in jobs]
    options = [
        [o for o in round_options(inst, job) if o.progress and not (clusters and divided(o))]
        for job in jobs
    ]
    before: Picks = {}
    value = Fraction(0)
    for t in range(num_rounds(inst)):
        queue = [j for j, job in enumerate(jobs) if left[j] > 0 and release(job) <= t]
        known = [j for j, job in enumerate(jobs) if release(job) <= t]
        now = max((n for j in known for n in rounds_of(inst, j)), default=1) if k is None else k
        discount = 1 - Fraction(1, now) if own is None else own
        gains = {
            (j, o): score(inst, j, left[j], t, o, now, discount) for j in queue for o in options[j]
        }
        choices = {j: [o for o in options[j] if gains[j, o] > 0] for j in queue}
        scored = [
            (sum((gains[pick] for pick in picks.items()), Fraction(0)), i, picks)
            for i, picks in enumerate(candidates(inst, choices))
        ]
        best = max(total for total, _, _ in scored)
        going_on = sum((gains[j, o] for j, o in before.items() if j in queue), Fraction(0))
        picks = min(entry for entry in scored if entry[0] * rho >= best and entry[0] >= going_on)[2]
        before = picks
        for j, option in picks.items():
            left[j] -= option.progress
            if left[j] <= 0:
                value += utility(inst, jobs[j], t - release(jobs[j]) + 1)
    return value


def bound(k: int, *, levels: bool = False, rho: Fraction = Fraction(1)) -> Fraction:
    """1 + rho k (k/(k-1))^(k-1), k times more after the 1 where jobs have several levels."""
    factor = Fraction(k**k, (k - 1) ** (k - 1))
    return 1 + rho * factor * (k if levels else 1)
