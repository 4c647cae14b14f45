"""Local search on what was found: sharpen its values, then leave out what it does not need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

from hadaropt.bench.adversary.judge import Judge, Judged
from hadaropt.bench.adversary.space import UNIT, Offer, Play

STEPS = (0.5, 0.8, 0.95, -1, 1, 1.05, 1.25, 2.0)
"""Changes of a value: factors, and steps of one unit."""


def shrink(found: Judged, judge: Judge, spent: Callable[[], bool]) -> Judged:
    """Return a play with fewer or plainer parts and a score at least as high.

    Tried one by one until none helps: leaving out a job, a node, a type or a round; earlier
    releases, smaller gangs, less work, later deadlines; values without decimals.
    """
    while not spent():
        for smaller in _smaller(found.play):
            if spent():
                return found
            judged = judge(smaller, Fraction(0))
            if judged is not None and judged.score and judged.score >= (found.score or 0):
                found = judged
                break
        else:
            return found
    return found


def sharpen(found: Judged, judge: Judge, spent: Callable[[], bool]) -> Judged:
    """Return a play whose values no small step of one job improves."""
    better = True
    while better:
        better = False
        for i, step in product(range(len(found.play.offers)), STEPS):
            if spent():
                return found
            offer = found.play.offers[i]
            moved = round(offer.value * step) if isinstance(step, float) else offer.value + step
            offers = list(found.play.offers)
            offers[i] = replace(offer, value=max(1, moved))
            judged = judge(replace(found.play, offers=tuple(offers)), found.score or Fraction(0))
            if judged is not None and judged.score is not None:
                found, better = judged, True
    return found


def _smaller(play: Play) -> Iterator[Play]:
    for i in range(len(play.offers)):
        yield replace(play, offers=play.offers[:i] + play.offers[i + 1 :])
    for h in range(len(play.gpus)):
        if len(play.gpus) > 1:
            yield replace(play, gpus=play.gpus[:h] + play.gpus[h + 1 :])
    for r in range(len(play.gpus[0])):
        if len(play.gpus[0]) > 1:
            yield _without_type(play, r)
    if play.rounds > 1:
        yield replace(play, rounds=play.rounds - 1)
    for i, offer in enumerate(play.offers):
        for plainer in _plainer(offer, play.rounds):
            yield replace(play, offers=(*play.offers[:i], plainer, *play.offers[i + 1 :]))


def _without_type(play: Play, r: int) -> Play:
    rows = tuple((*row[:r], *row[r + 1 :]) for row in play.gpus)
    offers = tuple(
        replace(offer, speeds=(*offer.speeds[:r], *offer.speeds[r + 1 :])) for offer in play.offers
    )
    return replace(play, gpus=rows, offers=offers)


def _plainer(offer: Offer, rounds: int) -> Iterator[Offer]:
    if offer.release > 0:
        yield replace(offer, release=offer.release - 1)
    if offer.work > 1:
        yield replace(offer, work=offer.work - 1)
    if offer.gang > 1:
        yield replace(offer, gang=offer.gang - 1)
    if offer.deadline > rounds:
        yield replace(offer, deadline=rounds)
    for r, speed in enumerate(offer.speeds):
        if speed > 1:
            yield replace(offer, speeds=(*offer.speeds[:r], speed - 1, *offer.speeds[r + 1 :]))
    if offer.value % UNIT:
        for value in (offer.value // UNIT * UNIT, -(-offer.value // UNIT) * UNIT):
            if value:
                yield replace(offer, value=value)
