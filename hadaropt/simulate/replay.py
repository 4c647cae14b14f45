"""A run of `Guaranteed` played again in exact arithmetic: what each round scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.result import RoundUse
from hadaropt.simulate.schedulers.guaranteed import PlannedRound


@dataclass(frozen=True)
class PlayedRound(PlannedRound):
    """A planned round, played.

    Attributes
    ----------
    round, rounds, bound
        As of `PlannedRound`.
    left : tuple of int, shape (J,)
        Iterations that each job still needs at its start.
    running : frozenset of int
        The jobs that make progress in it.
    score, going_on : Fraction
        Of what ran, and of what ran in the round before.
    """

    left: tuple[int, ...]
    running: frozenset[int]
    score: Fraction
    going_on: Fraction


def discounted(problem: RoundProblem, j: int, left: int, progress: int, t: int, k: int) -> Fraction:
    """Return U_j beta^(q-1) for the q rounds that are left; 0 where q > k or without progress."""
    if not progress:
        return Fraction(0)
    q = -(-left // progress)
    if q > k:
        return Fraction(0)
    return problem.jobs[j].value(t + q - 1) * Fraction((k - 1) ** (q - 1), k ** (q - 1))


def play(
    problem: RoundProblem, planned: dict[int, PlannedRound], uses: Sequence[RoundUse]
) -> Iterator[PlayedRound]:
    """Yield the planned rounds in their order, with what ran in them."""
    left = [job.iterations for job in problem.jobs]
    progress = {(use.round, use.job): _whole_round(problem, use) for use in uses}
    by_round: dict[int, list[RoundUse]] = {}
    for use in uses:
        by_round.setdefault(use.round, []).append(use)
    nothing = Fraction(0)
    for t, one in sorted(planned.items()):
        running, before = by_round.get(t, []), by_round.get(t - 1, [])

        def total(held: Sequence[RoundUse], t: int, k: int) -> Fraction:
            terms = (
                discounted(problem, use.job, left[use.job], progress[use.round, use.job], t, k)
                for use in held
                if left[use.job] > 0
            )
            return sum(terms, nothing)

        yield PlayedRound(
            t,
            one.rounds,
            one.bound,
            tuple(left),
            frozenset(use.job for use in running if progress[t, use.job]),
            total(running, t, one.rounds),
            total(before, t, one.rounds),
        )
        for use in running:
            left[use.job] -= use.steps


def _whole_round(problem: RoundProblem, use: RoundUse) -> int:
    """Return the iterations of a whole round on what a job held."""
    speed = problem.speed(use.job, use.placement)
    return int(speed * problem.round_seconds)
