"""What to branch on: completion rounds and progress in single rounds, by strong branching.

Candidates are the decisions on which an LP point is most divided. The best of them are tried: the
LP over the columns so far is solved under either answer. That only ranks them; it proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hadaropt.mip.model import Floats
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Relaxation
from hadaropt.offline.colgen.master import Master
from hadaropt.offline.colgen.pricing_problem import Limits
from hadaropt.offline.tree.nodes import Decision, restrict
from hadaropt.offline.tree.params import BranchingParams
from hadaropt.tolerances import FRACTIONAL


@dataclass(frozen=True)
class Candidate:
    """A decision on which an LP point is divided.

    Attributes
    ----------
    decision : Decision
    yes : float
        Weight of the job's columns that say yes, in 0 .. 1.
    score : float
        How promising it looks: min(yes, 1 - yes) times a weight. Only its order matters.
    """

    decision: Decision
    yes: float
    score: float


def candidates(
    master: Master, weights: Floats, progress_weight: float = BranchingParams.progress_weight
) -> list[Candidate]:
    """Return the decisions on which an LP point is divided, most promising first.

    Completion: "job i completes by round m", for the m that divides it best, weighted by the
    largest value of the job. Progress: "job i makes at least that much progress in round t",
    weighted by ``progress_weight`` times the same.
    """
    space = master.space
    by_job: dict[int, list[int]] = {}
    for place in np.flatnonzero(weights > FRACTIONAL).tolist():
        by_job.setdefault(master.columns[place].job, []).append(place)
    found = []
    for i, places in sorted(by_job.items()):
        most = float(space.jobs[i].values[0])
        shares: dict[int, float] = {}
        made: dict[tuple[int, int], float] = {}
        for place in places:
            column, weight = master.columns[place], float(weights[place])
            shares[column.completion] = shares.get(column.completion, 0.0) + weight
            for t, option, _, _ in column.rounds:
                made[t, option] = made.get((t, option), 0.0) + weight
        best: Candidate | None = None
        total = 0.0
        for f in sorted(f for f in shares if f >= 0):
            total += shares[f]
            if FRACTIONAL < total < 1 - FRACTIONAL:
                score = min(total, 1 - total) * most
                if best is None or score > best.score:
                    best = Candidate(Decision("completion", i, f), total, score)
        if best is not None:
            found.append(best)
        best = None
        for t in sorted({t for t, _ in made}):
            total = 0.0
            for option in sorted((k for s, k in made if s == t), reverse=True):
                total += made[t, option]
                if FRACTIONAL < total < 1 - FRACTIONAL:
                    score = min(total, 1 - total) * most * progress_weight
                    if best is None or score > best.score + 1e-9:
                        best = Candidate(Decision("progress", i, t, option), total, score)
        if best is not None:
            found.append(best)
    return sorted(found, key=lambda c: -c.score)


def choose(
    relaxation: Relaxation,
    weights: Floats,
    limits: Limits,
    objective: float,
    incumbent: Fraction,
    base: Sequence[int],
    clock: Clock,
    params: BranchingParams,
) -> tuple[Decision, bool] | None:
    """Return the decision to branch on and which side to look at first; None if integral."""
    master = relaxation.master
    found = candidates(master, weights, params.progress_weight)
    if not found:
        return None
    if len(found) == 1:
        return found[0].decision, found[0].yes >= 0.5
    most = max(objective - float(incumbent), 1e-6)
    best, best_score, since = found[0], -1.0, 0
    for candidate in found[: params.tried]:
        gains: list[float] = []
        # The side that the point leans away from moves the bound most.
        for yes in (candidate.yes < 0.5, candidate.yes >= 0.5):
            child = restrict(master.space, limits, base, candidate.decision, yes)
            (value,) = relaxation.probe([child], params.probe_iterations)
            clock.spend(relaxation.lp_operations(params.probe_iterations))
            gains.append(min(most, max(objective - value, 1e-6 * most)))
            if gains[0] * most <= best_score:
                break
        score = gains[0] * gains[1] if len(gains) == 2 else 0.0
        if score > best_score:
            best, best_score, since = candidate, score, 0
        else:
            since += 1
            if since >= params.stale:
                break
    if best_score < params.negligible * most**2:
        # Nothing moves the bound: the same work fits elsewhere. Settle the rounds in order.
        best = earliest(master, weights) or best
    return best.decision, best.yes >= 0.5


def earliest(master: Master, weights: Floats) -> Candidate | None:
    """Return the decision on the largest gang in the first round on which a point is divided."""
    made: dict[tuple[int, int], dict[int, float]] = {}
    for place in np.flatnonzero(weights > FRACTIONAL).tolist():
        column = master.columns[place]
        for t, option, _, _ in column.rounds:
            options = made.setdefault((t, column.job), {})
            options[option] = options.get(option, 0.0) + float(weights[place])
    best: Candidate | None = None
    now = -1
    for (t, i), options in sorted(made.items()):
        if best is not None and t > now:
            break
        total = 0.0
        for option in sorted(options, reverse=True):
            total += options[option]
            if FRACTIONAL < total < 1 - FRACTIONAL:
                score = min(total, 1 - total) * master.space.jobs[i].gang_size
                if best is None or score > best.score:
                    best, now = Candidate(Decision("progress", i, t, option), total, score), t
    return best


def divided_gpus(master: Master, weights: Floats) -> tuple[Decision, bool] | None:
    """Return a decision on the GPUs that a job holds where a point only divides those.

    For points in which every job makes the same progress in every round for sure, but on different
    GPUs that are not interchangeable. None if there is no such job.
    """
    space = master.space
    places: dict[tuple[int, int], dict[tuple[tuple[int, int], ...], float]] = {}
    for place in np.flatnonzero(weights > FRACTIONAL).tolist():
        column = master.columns[place]
        for t, _, content, _ in column.rounds:
            shares = places.setdefault((t, column.job), {})
            shares[content] = shares.get(content, 0.0) + float(weights[place])
    for (t, i), shares in sorted(places.items()):
        if len(shares) < 2 or not space.single:
            continue
        gpus = [
            {c: units for kind, units in content for c in space.classes[kind].cells}
            for content in shares
        ]
        for c in sorted({c for cells in gpus for c in cells}):
            amounts = [cells.get(c, 0) for cells in gpus]
            if min(amounts) < max(amounts):
                yes = sum(
                    share
                    for share, n in zip(shares.values(), amounts, strict=True)
                    if n == max(amounts)
                )
                # A class of several cells says nothing on one of them: ask for one GPU first.
                alone = any(
                    units == max(amounts) and space.classes[kind].cells == (c,)
                    for content in shares
                    for kind, units in content
                )
                amount = max(amounts) if alone else 1
                return Decision("held", i, t, amount, c), yes >= 0.5
    return None


def undecided(
    master: Master, weights: Floats, limits: Limits, base: Sequence[int]
) -> tuple[Decision, bool] | None:
    """Return something that an integral-looking LP point says and the limits leave open.

    For points whose options are integral but whose GPUs are not, or whose bound is a rounding error
    above the incumbent. None if everything is decided.
    """
    space, used = master.space, set()
    for place in np.flatnonzero(weights > FRACTIONAL).tolist():
        column = master.columns[place]
        i, job = column.job, space.jobs[column.job]
        done = column.completion - job.release
        if column.completion >= 0 and not (limits.must[i] and limits.end[i] <= done):
            return Decision("completion", i, column.completion), True
        if column.completion >= 0 and limits.begin[i] < done:
            return Decision("completion", i, column.completion - 1), False
        for t, option, _, _ in column.rounds:
            k = base[i] + t - job.release
            if limits.low[k] < option:
                return Decision("progress", i, t, option), True
            if limits.high[k] > option:
                return Decision("progress", i, t, option + 1), False
        if column.completion >= 0:
            used.add(i)
    # Worths below the tolerance of the LP leave no trace in its point.
    for i, job in enumerate(space.jobs):
        if i not in used and not limits.must[i] and limits.begin[i] <= limits.end[i]:
            return Decision("completion", i, job.release + int(limits.end[i])), False
    return None
