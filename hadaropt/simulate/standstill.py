"""What keeps a round scheduler from standing still, so that every job that can run completes.

If in any two rounds in a row with a queue at least one iteration is done, the work of a finite
workload is done at some time, whatever the order. `without_standstill` sees to that. It changes
plans that do no iteration at all, and no others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from hadaropt.simulate.copies import copies_of, steps_within
from hadaropt.simulate.problem import Placement, RoundProblem
from hadaropt.simulate.view import RoundView


def steps_of_round(
    problem: RoundProblem, j: int, placement: Placement, lost: Fraction = Fraction(0)
) -> int:
    """Return the iterations that job j does in a round of which ``lost`` seconds go to restart."""
    gangs = copies_of(placement, problem.jobs[j].gang_size)
    speeds = tuple(problem.speed(j, gang) for gang in gangs)
    if len(gangs) > 1:
        lost = lost + problem.consolidation_seconds
    return sum(steps_within(speeds, max(Fraction(0), problem.round_seconds - lost)))


def fastest_gang(
    problem: RoundProblem, j: int, free: Sequence[Sequence[int]], *, mixing: bool
) -> Placement | None:
    """Return the gang of job j on free GPUs (H, R) that does most iterations in a round.

    None if it could do none.
    """
    gang, best, most = problem.jobs[j].gang_size, None, 0
    speed = problem.jobs[j].speed
    for r in range(len(speed)):
        types = sorted(problem.admitted(j, r), key=lambda q: (-speed[q], q)) if mixing else [r]
        inside, across = (problem.per_round(j, spread=spread)[r] for spread in (False, True))
        room = [sum(row[q] for q in types) for row in free]
        hosts = [h for h, count in enumerate(room) if count >= gang]
        if hosts and inside > most:
            best, most = _filled(free, [min(hosts, key=lambda h: room[h])], types, gang), inside
        elif not hosts and across > most and sum(room) >= gang:
            nodes = sorted(range(len(free)), key=lambda h: (-room[h], h))
            best, most = _filled(free, nodes, types, gang), across
    return best


def _filled(
    free: Sequence[Sequence[int]], nodes: Sequence[int], types: Sequence[int], gang: int
) -> Placement:
    found, need = [], gang
    for h in nodes:
        for q in types:
            part = min(need, free[h][q])
            if part:
                found.append((h, q, part))
                need -= part
    return tuple(sorted(found))


def without_standstill(view: RoundView, plan: Mapping[int, Placement]) -> dict[int, Placement]:
    """Return the plan, or another one where it does no iteration in this round.

    Then the gangs stay that could do some where they are: by moving on in every round jobs would
    lose all their time to restarts. If there are none, and nothing that is planned could do an
    iteration in a later round either, the first job of the queue runs alone.
    """
    problem, held = view.problem, view.held
    restart = problem.restart_seconds
    for j, placement in plan.items():
        lost = Fraction(0) if held.get(j) == placement else restart
        if steps_of_round(problem, j, placement, lost):
            return dict(plan)
    kept = {j: own for j, own in held.items() if steps_of_round(problem, j, own)}
    if kept:
        return kept
    if any(steps_of_round(problem, j, placement) for j, placement in plan.items()):
        return dict(plan)
    for q in view.queue:
        alone = fastest_gang(problem, q.index, problem.cluster.capacity, mixing=problem.mixing)
        if alone is not None:
            return {q.index: alone}
    return dict(plan)
