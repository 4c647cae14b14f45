"""From fluid time to whole rounds: a schedule is played out and its distance to the bound told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from hadaropt.errors import InstanceError, InvariantError
from hadaropt.forking.planning.fill import Placement, Request, RoundFill
from hadaropt.forking.planning.makespan import FluidMakespan, fluid_makespan
from hadaropt.forking.planning.planner import RoundPlan, density_requests
from hadaropt.forking.planning.problem import ForkProblem, check_node_machine

Planner = Callable[[ForkProblem, Mapping[int, Placement]], RoundPlan]
"""Plans one round of the unfinished jobs, given what they held in the round before."""


@dataclass(frozen=True)
class PlayedRounds:
    """A schedule in whole rounds.

    Attributes
    ----------
    rounds : tuple of dict of int to Placement
        What each job holds, by round and index in the problem that was played.
    completion : tuple of int, shape (J,)
        Rounds until each job is complete: C_j = completion_j tau.
    """

    rounds: tuple[dict[int, Placement], ...]
    completion: tuple[int, ...]

    @property
    def makespan(self) -> int:
        """Rounds until all are complete."""
        return len(self.rounds)


def play_rounds(problem: ForkProblem, planner: Planner) -> PlayedRounds:
    """Plan and carry out rounds, in exact integers, until every job is complete.

    Raises
    ------
    InvariantError
        If a round makes no progress.
    """
    left = {j: job.remaining for j, job in enumerate(problem.jobs)}
    completion = [0] * len(problem.jobs)
    rounds: list[dict[int, Placement]] = []
    held: dict[int, Placement] = {}
    while left:
        index = list(left)
        jobs = tuple(replace(problem.jobs[j], remaining=left[j]) for j in index)
        mine = {i: held[j] for i, j in enumerate(index) if j in held}
        plan = planner(replace(problem, jobs=jobs), mine)
        if not any(plan.progress.values()):
            raise InvariantError(f"round {len(rounds)} of the played schedule makes no progress")
        held = {index[i]: place for i, place in plan.placements.items()}
        rounds.append(held)
        for i, done in plan.progress.items():
            j = index[i]
            left[j] -= done
            if left[j] <= 0:
                completion[j] = len(rounds)
                del left[j]
    return PlayedRounds(tuple(rounds), tuple(completion))


@dataclass(frozen=True)
class RoundedMakespan:
    """Whole rounds that follow one fluid optimum.

    Attributes
    ----------
    fluid : FluidMakespan
    played : PlayedRounds
    error : Fraction
        Makespan of the rounds - exact lower bound, in seconds: at most so far from any optimum.
    allowed : Fraction or None
        tau max_h #{j : y_jh > 0}: what theorem H3 allows when rounds lose nothing to consolidation
        or to fractions of an iteration and copies are not limited; None where it says nothing.
    """

    fluid: FluidMakespan
    played: PlayedRounds
    error: Fraction
    allowed: Fraction | None


def round_makespan(problem: ForkProblem) -> RoundedMakespan:
    """Round the optimum of `fluid_makespan` up to whole rounds and play them.

    Each node runs its jobs one after the other, each for its time there rounded up. What whole
    iterations, consolidation and limits on copies leave undone is then given to idle nodes.

    Raises
    ------
    InstanceError
        If a node is not one machine; `play_rounds` plays any planner on any cluster.
    """
    reason = check_node_machine(problem)
    if reason is not None:
        raise InstanceError("cluster", f"must have nodes that are one machine each: {reason}")
    fluid = fluid_makespan(problem)
    tau = problem.round_seconds
    owed = _per_node(problem, fluid)

    def follow(now: ForkProblem, held: Mapping[int, Placement]) -> RoundPlan:
        names = {job.name: j for j, job in enumerate(problem.jobs)}
        filled = RoundFill(now, held)
        index = {names[job.name]: i for i, job in enumerate(now.jobs)}
        due = sorted(
            ((-rounds, h, j, level) for (j, h, level), rounds in owed.items() if j in index),
        )
        for _, h, j, level in due:
            if filled.add(Request(index[j], level, (h,), 1)):
                owed[j, h, level] -= 1
                if not owed[j, h, level]:
                    del owed[j, h, level]
        for request in density_requests(now):
            filled.add(request)
        places = filled.placements
        return RoundPlan(places, {i: filled.progress(i) for i in places})

    nodes = range(len(problem.cluster.nodes))
    jobs_of = [len({j for j, h, _ in owed if h == node}) for node in nodes]
    plain = not problem.consolidation_seconds and all(
        (x * tau).denominator == 1 for row in problem.group_speeds for x in row
    )
    free = all(problem.copies(j) == len(nodes) for j in range(len(problem.jobs)))
    allowed = tau * max(jobs_of, default=0) if plain and free else None
    played = play_rounds(problem, follow)
    return RoundedMakespan(fluid, played, played.makespan * tau - fluid.bound, allowed)


def _per_node(problem: ForkProblem, fluid: FluidMakespan) -> dict[tuple[int, int, int], int]:
    """Return whole rounds by job, node and level: the time of a group laid along its nodes."""
    tau, least = float(problem.round_seconds), 1e-9 * max(1.0, fluid.value)
    owed: dict[tuple[int, int, int], int] = {}
    clock = [0.0] * len(problem.groups)
    for option, seconds in zip(fluid.options, fluid.seconds, strict=True):
        if option.group is None:
            continue
        nodes = problem.groups[option.group][1]
        while seconds > least:
            k = min(len(nodes) - 1, int((clock[option.group] + least) / max(fluid.value, least)))
            part = min(seconds, (k + 1) * fluid.value - clock[option.group])
            if k == len(nodes) - 1:
                part = seconds
            key = option.job, nodes[k], option.level
            # A hair above a whole number of rounds is the solver's tolerance.
            rounds = max(1, int(-(-(part / tau - 1e-6) // 1)))
            owed[key] = owed.get(key, 0) + rounds
            clock[option.group] += part
            seconds -= part
    return owed
