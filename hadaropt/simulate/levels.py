"""How many rounds a job takes: the levels of progress that one gang of it can make in a round."""

from __future__ import annotations

from hadaropt.simulate.problem import RoundProblem


def progress_levels(problem: RoundProblem, j: int) -> tuple[int, ...]:
    """Return the iterations of a round, descending and distinct, over all placements of one gang.

    A gang whose slowest type is r makes floor(X_jr tau) inside a node and floor(X_jr rho_j tau)
    over nodes; 0 is among them if some placement on types that can run the job makes nothing. No
    placement is left out; a level may be here that no placement has.

    Parameters
    ----------
    problem : RoundProblem
    j : int
        Index of a job that has arrived.
    """
    job, cluster = problem.jobs[j], problem.cluster
    found: set[int] = set()
    for r, speed in enumerate(job.speed):
        if speed == 0 or cluster.pooled_capacity[r] == 0:
            continue
        room = [sum(row[q] for q in problem.admitted(j, r)) for row in cluster.capacity]
        if sum(room) < job.gang_size:
            continue
        if max(room) >= job.gang_size:
            found.add(problem.per_round(j)[r])
        if job.gang_size > 1 and sum(count > 0 for count in room) > 1:
            found.add(problem.per_round(j, spread=True)[r])
    return tuple(sorted(found, reverse=True))


def rounds_needed(problem: RoundProblem, j: int) -> tuple[int, ...]:
    """Return the rounds ceil(Q_j / progress) that job j takes on each level, ascending, distinct.

    Levels without progress, and those on which it would only be complete when it is worth nothing,
    are left out.
    """
    job = problem.jobs[j]
    rounds = {-(-job.iterations // level) for level in progress_levels(problem, j) if level}
    return tuple(n for n in sorted(rounds) if job.value(job.release + n - 1) > 0)
