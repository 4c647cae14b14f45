"""What a run with more or faster machines is worth against an optimum that has fewer (theorem R3).

The scheduler runs on an instance; its rival, the optimum, on the same jobs with fewer GPUs or lower
speeds. Let every job take p_j <= k rounds with the scheduler, wherever it runs. With S_t the score
that ran in round t and B_t a bound on the score of every set of jobs that did not run and fits the
rival's cluster, lambda = max_t B_t / S_t, c_k = k (k/(k-1))^(k-1):

    OPT of the rival <= (1 + lambda c_k) P.

With m clusters for one, each job on one of them, lambda is at most 1/m.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from hadaropt.errors import InstanceError, shown
from hadaropt.exact import to_text
from hadaropt.instance import Cluster, Instance
from hadaropt.simulate.levels import progress_levels
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.replay import PlayedRound, discounted
from hadaropt.simulate.schedulers.exact_round import bounded_round
from hadaropt.simulate.schedulers.worth import VALUE_BITS

SAME = ("name", "release", "gang_size", "iterations", "utility", "spread_factor", "max_copies")


def check_rival(instance: Instance, rival: Instance) -> None:
    """Check that a rival has the same jobs and rounds, and no more GPUs or speed anywhere.

    Raises
    ------
    InstanceError
        Naming the first place where it differs otherwise.
    """
    for name in ("num_rounds", "round_seconds", "parallelism"):
        _equal(f"rival.{name}", getattr(rival, name), getattr(instance, name))
    _equal("rival.accelerators", rival.cluster.accelerators, instance.cluster.accelerators)
    _equal("rival.jobs", len(rival.jobs), len(instance.jobs))
    for j, (own, other) in enumerate(zip(instance.jobs, rival.jobs, strict=True)):
        for name in SAME:
            _equal(f"rival.jobs[{j}].{name}", getattr(other, name), getattr(own, name))
        for r, speed in other.throughput.items():
            most = own.throughput.get(r, Fraction(0))
            if speed > most:
                place = f"rival.jobs[{j}].throughput.{r}"
                raise InstanceError(place, f"must be at most {to_text(most)}", to_text(speed))
    _check_part(instance.cluster, rival.cluster)


def _equal(place: str, value: object, own: object) -> None:
    if value != own:
        raise InstanceError(place, f"must be {shown(own)}, as in the instance", shown(value))


def _check_part(cluster: Cluster, part: Cluster) -> None:
    own = dict(zip(cluster.nodes, cluster.capacity, strict=True))
    for h, (node, row) in enumerate(zip(part.nodes, part.capacity, strict=True)):
        if node not in own:
            raise InstanceError(f"rival.nodes[{h}]", "must be a node of the instance", shown(node))
        for r, count in enumerate(row):
            if count > own[node][r]:
                place = f"rival.nodes[{h}].gpus.{part.accelerators[r]}"
                raise InstanceError(place, f"must be at most {own[node][r]}", str(count))


def outside_share(
    problem: RoundProblem, rival: Instance, played: Iterable[PlayedRound]
) -> tuple[Fraction, str]:
    """Return lambda = max_t B_t / S_t, and in which round there is none ("" if in none).

    Parameters
    ----------
    problem : RoundProblem
        Of the scheduler's instance, on which each job takes one number of rounds.
    rival : Instance
    played : iterable of PlayedRound
    """
    other = RoundProblem.of_instance(rival)
    best = {j: max(progress_levels(problem, j), default=0) for j in range(len(problem.jobs))}
    share = Fraction(0)
    for one in played:
        waiting = [
            j
            for j, job in enumerate(problem.jobs)
            if job.release <= one.round and one.left[j] > 0 and best[j] and j not in one.running
        ]
        scores = [
            discounted(problem, j, one.left[j], best[j], one.round, one.rounds) for j in waiting
        ]
        bound = _best_set(other, waiting, scores)
        if bound > 0 and one.score == 0:
            return share, f"round {one.round} scores nothing, and more may have been possible"
        if bound > 0:
            share = max(share, bound / one.score)
    return share, ""


def _best_set(problem: RoundProblem, jobs: Sequence[int], scores: Sequence[Fraction]) -> Fraction:
    """Return a bound on the total score of jobs that fit the pooled GPUs at once."""
    top = max(scores, default=Fraction(0))
    if top == 0:
        return Fraction(0)
    common = math.lcm(*(s.denominator for s in scores))
    unit = max(Fraction(1, common), top / (1 << VALUE_BITS))
    capacity = np.array(problem.cluster.pooled_capacity, np.int64)
    gang = np.array([problem.jobs[j].gang_size for j in jobs], np.int64)
    worth = np.zeros((len(jobs), len(capacity)), np.int64)
    for i, (j, s) in enumerate(zip(jobs, scores, strict=True)):
        for r, speed in enumerate(problem.jobs[j].speed):
            if speed:
                room = sum(capacity[q] for q in problem.admitted(j, r))
                worth[i, r] = math.ceil(s / unit) if room >= problem.jobs[j].gang_size else 0
    return bounded_round(capacity, gang, worth, problem.mixing)[1] * unit
