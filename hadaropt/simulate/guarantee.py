"""Which theorem on re-planning holds of a run on an instance: its hypotheses, checked exactly.

The run is replayed in Fractions. With k_t the rounds that the scheduler counted with in round t,
S_t the total score that it ran and B_t a proven bound on the score of every feasible set, every
round is within rho = max_t B_t / S_t of the best, and no worse than going on with what ran before.
Then, with c_k = k (k/(k-1))^(k-1), c_1 = 1:

- each job takes p_j <= k rounds on every level: OPT <= (1 + rho c_k) P (R1 for k = 1, R2);
- every level needs at most k rounds: OPT <= (1 + rho k c_k) P (R2l);
- the same two where k was learnt, and rose during the run (R2k);
- against an optimum with fewer or slower GPUs: see `hadaropt.simulate.room` (R3).

Levels on which a job would only be complete when it is worth nothing do not count: no schedule
gains anything by completing a job so late, and one that completes it sooner has a faster round, of
a level that counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hadaropt.instance import Instance
from hadaropt.modes import is_pooled
from hadaropt.results import Theorem
from hadaropt.simulate.levels import progress_levels, rounds_needed
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.replay import PlayedRound, play
from hadaropt.simulate.result import SimulatedRun
from hadaropt.simulate.room import outside_share
from hadaropt.simulate.schedulers.guaranteed import Guaranteed, PlannedRound
from hadaropt.simulate.view import Scheduler

REVISES = "the scheduler revises its plans"


def replanning_constant(rounds: int) -> Fraction:
    """Return c_k = k (k/(k-1))^(k-1), c_1 = 1; at most e k.

    Examples
    --------
    >>> replanning_constant(1), replanning_constant(2)
    (Fraction(1, 1), Fraction(4, 1))
    """
    return Fraction(rounds**rounds, (rounds - 1) ** (rounds - 1))


def replanning_theorem(
    instance: Instance, scheduler: Scheduler, run: SimulatedRun, rival: Instance | None = None
) -> tuple[Theorem | None, str]:
    """Return the theorem whose hypotheses hold of a run, or None and why there is none.

    Parameters
    ----------
    instance : Instance
    scheduler : Scheduler
        The one that made the run.
    run : SimulatedRun
        On `RoundProblem.of_instance` of the instance, as the engine returned it.
    rival : Instance, optional
        What the optimum runs on, as `check_rival` accepts it: then the theorem is R3.
    """
    if not isinstance(scheduler, Guaranteed):
        return None, REVISES
    if instance.parallelism == "forked":
        return None, "jobs may run as copies, which the scheduler does not make"
    problem = RoundProblem.of_instance(instance)
    needed = [
        rounds_needed(problem, j) if problem.unschedulable(j) is None else ()
        for j in range(len(instance.jobs))
    ]
    pooled = is_pooled(instance)
    steady = all(_steady(problem, j, pooled) for j, rounds in enumerate(needed) if rounds)
    if not steady and not pooled:
        return None, "a gang is slower over nodes: the best set of a round is not known exactly"
    planned = {one.round: one for one in scheduler.planned}
    failure = _counts(instance, needed, planned)
    if failure:
        return None, failure
    played = tuple(play(problem, planned, run.uses))
    failure = _goes_on(played)
    if failure:
        return None, failure
    steps = {one.rounds for one in planned.values()}
    k = max(steps, default=1)
    foretold = ("k",) if scheduler.declared else ()
    if rival is not None:
        if not steady:
            return None, "a job takes more rounds on one level than on another"
        share, failure = outside_share(problem, rival, played)
        constant = 1 + share * replanning_constant(k)
        theorem = Theorem("R3", constant, Fraction(0), foretold, None)
        return (None, failure) if failure else (theorem, "")
    rho, failure = _nearness(played)
    if failure:
        return None, failure
    factor = replanning_constant(k) * (1 if steady else k)
    learnt = not scheduler.declared and len(steps) > 1
    constant = 1 + rho * factor
    id = _id(k, steady, learnt)
    return Theorem(id, constant, Fraction(0), foretold, float(1 + factor)), ""


def _id(rounds: int, steady: bool, learnt: bool) -> str:
    if learnt:
        return "R2k"
    if rounds == 1:
        return "R1"
    return "R2" if steady else "R2l"


def _steady(problem: RoundProblem, j: int, pooled: bool) -> bool:
    """Whether job j takes the same number of rounds wherever it makes progress.

    Where nodes matter, it must make progress wherever it may run, so that every set of gangs that
    fits the pooled capacity can be placed with its score.
    """
    levels = progress_levels(problem, j)
    rounds = {-(-problem.jobs[j].iterations // p) for p in levels if p}
    return len(rounds) == 1 and (pooled or 0 not in levels)


def _counts(
    instance: Instance, needed: Sequence[tuple[int, ...]], planned: dict[int, PlannedRound]
) -> str:
    """Return why k_t falls, or is less than the rounds of a job released by t; "" if neither."""
    before = 1
    for t, one in sorted(planned.items()):
        if one.rounds < before:
            return f"k falls from {before} to {one.rounds} in round {t}"
        before = one.rounds
    for t, one in planned.items():
        for j, rounds in enumerate(needed):
            if rounds and instance.jobs[j].release <= t and rounds[-1] > one.rounds:
                return f"k = {one.rounds} in round {t}, but jobs[{j}] may take {rounds[-1]} rounds"
    return ""


def _nearness(played: Sequence[PlayedRound]) -> tuple[Fraction, str]:
    """Return rho >= 1, and which round has none ("" if none is without)."""
    rho = Fraction(1)
    for one in played:
        if one.bound > 0:
            if one.score == 0:
                why = f"round {one.round} scores nothing, and more may have been possible"
                return rho, why
            rho = max(rho, one.bound / one.score)
    return rho, ""


def _goes_on(played: Sequence[PlayedRound]) -> str:
    """Return which round is worse than going on with what ran before; "" if none is."""
    for one in played:
        if one.score < one.going_on:
            return f"round {one.round} is worse than going on with what ran before"
    return ""
