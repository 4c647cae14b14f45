"""Random changes of a play, and plays to start from."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from hadaropt.bench.adversary.space import UNIT, Limits, Offer, Play

Rng = np.random.Generator


def start(rng: Rng, limits: Limits) -> Play:
    """Return a ladder of rising value per GPU and round, or jobs at random."""
    rounds = int(rng.integers(1, limits.rounds + 1))
    shape = (int(rng.integers(1, limits.nodes + 1)), int(rng.integers(1, limits.types + 1)))
    count = int(rng.integers(2, limits.jobs + 1))
    ladder = rng.random() < 0.6
    largest = min(limits.gang, limits.gpus * shape[0])
    offers = []
    for i in range(count):
        gang = int(rng.integers(1, largest + 1))
        work = int(rng.integers(1, rounds + 1)) if rng.random() < 0.3 else 1
        share = i / (count - 1) if ladder else rng.random()
        value = max(1, round(UNIT * gang * work * limits.spread**share))
        release = 0 if ladder else int(rng.integers(0, rounds - work + 1))
        offers.append(Offer(release, gang, work, (1,) * shape[1], value, work))
    return Play(((limits.gpus,) * shape[1],) * shape[0], rounds, tuple(offers))


def mutate(rng: Rng, play: Play, mate: Play, limits: Limits) -> Play:
    """Return a changed play: one to three moves, or a part of the offers of another."""
    if rng.random() < 0.1:
        return _cross(rng, play, mate, limits)
    for _ in range(1 + int(rng.geometric(0.6))):
        play = _move(rng, play, limits)
    return play


def _cross(rng: Rng, play: Play, mate: Play, limits: Limits) -> Play:
    cut, other = (int(rng.integers(0, len(p.offers) + 1)) for p in (play, mate))
    width = len(play.gpus[0])
    tail = (_resized(offer, width) for offer in mate.offers[other:])
    return replace(play, offers=(*play.offers[:cut], *tail)[: limits.jobs])


def _move(rng: Rng, play: Play, limits: Limits) -> Play:
    draw = rng.random()
    if draw < 0.08 or not play.offers:
        return _reshape(rng, play, limits)
    i = int(rng.integers(len(play.offers)))
    offer, others = play.offers[i], list(play.offers)
    if draw < 0.2:
        if len(others) < limits.jobs:
            others.insert(int(rng.integers(len(others) + 1)) if rng.random() < 0.3 else i, offer)
    elif draw < 0.28:
        del others[i]
    elif draw < 0.36:
        others.insert(int(rng.integers(len(others))), others.pop(i))
    else:
        others[i] = _retune(rng, offer, play, limits)
    return replace(play, offers=tuple(others))


def _retune(rng: Rng, offer: Offer, play: Play, limits: Limits) -> Offer:
    draw = rng.random()
    if draw < 0.6:
        return replace(offer, value=_value(rng, offer, play, limits))
    if draw < 0.75:  # at the same density
        gang = int(rng.integers(1, limits.gang + 1))
        return replace(offer, gang=gang, value=max(1, round(offer.value * gang / offer.gang)))
    if draw < 0.83:
        work = int(rng.integers(1, 2 * play.rounds + 1))
        return replace(offer, work=work, value=max(1, round(offer.value * work / offer.work)))
    if draw < 0.9:
        return replace(offer, release=int(rng.integers(0, play.rounds)))
    if draw < 0.95:
        return replace(offer, deadline=int(rng.integers(1, play.rounds + 1)))
    speeds = list(offer.speeds)
    speeds[int(rng.integers(len(speeds)))] = int(rng.integers(0, 3))
    return replace(offer, speeds=tuple(speeds)) if any(speeds) else offer


def _value(rng: Rng, offer: Offer, play: Play, limits: Limits) -> int:
    draw = rng.random()
    units = offer.gang * offer.work
    if draw < 0.15:
        return offer.value + (1 if rng.random() < 0.5 else -1) or 1
    if draw < 0.3:  # the density of another offer
        other = play.offers[int(rng.integers(len(play.offers)))]
        return max(1, round(other.value * units / (other.gang * other.work)))
    if draw < 0.4:
        return UNIT * units * (limits.spread if rng.random() < 0.6 else 1)
    return max(1, round(offer.value * math.exp(rng.normal(0, 0.1 if draw < 0.7 else 1.0))))


def _reshape(rng: Rng, play: Play, limits: Limits) -> Play:
    """Change the number of rounds, nodes or types."""
    draw, nodes, types = rng.random(), len(play.gpus), len(play.gpus[0])
    if draw < 0.4:
        return replace(play, rounds=int(rng.integers(1, limits.rounds + 1)))
    if draw < 0.7:
        nodes = int(rng.integers(1, limits.nodes + 1))
    else:
        types = int(rng.integers(1, limits.types + 1))
    offers = tuple(_resized(offer, types) for offer in play.offers)
    return replace(play, gpus=((limits.gpus,) * types,) * nodes, offers=offers)


def _resized(offer: Offer, types: int) -> Offer:
    speeds = (offer.speeds + (1,) * types)[:types]
    return replace(offer, speeds=speeds if any(speeds) else (1,) * types)
