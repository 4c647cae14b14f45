"""Options of a job in a round in which a branch limits the GPUs that it holds of single cells.

Only needed where equal progress can be had on different GPUs that are not interchangeable: on
several nodes, or on several types under ``single_type``. In integers of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hadaropt.offline.colgen.cut_row import Cut, Gangs
from hadaropt.offline.colgen.pricing_data import JobOptions, Space

Offer = Callable[[int, int, Mapping[int, int], Gangs], None]
"""Takes an option, what it costs, the GPUs of each cell, and what cuts count."""

Bounds = Mapping[int, tuple[int, int]]
"""Cell -> least and most GPUs that the job may hold of it."""


@dataclass(frozen=True)
class BoundedOption:
    """How an option costs least within the bounds.

    Attributes
    ----------
    cost : int
        In units of 1 / scale of the prices; the least one.
    cells : tuple of (cell, GPUs)
        What the job holds for it, ascending.
    gangs : Gangs
        What cuts count.
    """

    cost: int
    cells: tuple[tuple[int, int], ...]
    gangs: Gangs


def bounded_options(
    space: Space,
    job: JobOptions,
    prices: Sequence[int],
    bounds: Bounds,
    tolls: Sequence[tuple[Cut, int]],
    index: int,
) -> dict[int, BoundedOption]:
    """Return the options that obey the bounds.

    Parameters
    ----------
    prices : sequence of int
        Price of every cell in the round.
    tolls : sequence of (cut, price)
        Cuts of the round.
    index : int
        Of the job in the space.
    """
    best: dict[int, BoundedOption] = {}
    wanted = {c for c, (least, _) in bounds.items() if least > 0}

    def offer(option: int, cost: int, cells: Mapping[int, int], gangs: Gangs) -> None:
        if option not in best or cost < best[option].cost:
            best[option] = BoundedOption(cost, tuple(sorted(cells.items())), gangs)

    for option, kind, types in job.ways:
        cells = space.classes[kind].cells
        if wanted <= set(cells):
            found = fill(space, cells, job.gang_size, prices, bounds)
            if found is not None:
                gangs = Gangs(types)
                toll = sum(cut.weight(index, gangs) * price for cut, price in tolls)
                offer(option, found[0] + toll, found[1], gangs)
    if job.copies is not None:
        _offer_copies(space, job, prices, bounds, tolls, index, offer)
    return best


def fill(
    space: Space, cells: Sequence[int], gang: int, prices: Sequence[int], bounds: Bounds
) -> tuple[int, dict[int, int]] | None:
    """Return cost and GPUs of a gang: what the bounds demand, then cheapest first; or None."""
    taken = {c: bounds[c][0] for c in cells if c in bounds and bounds[c][0] > 0}
    need = gang - sum(taken.values())
    if need < 0 or any(n > space.capacity[c] for c, n in taken.items()):
        return None
    for c in sorted(cells, key=lambda c: (prices[c], c)):
        room = min(space.capacity[c], bounds[c][1] if c in bounds else gang) - taken.get(c, 0)
        part = min(need, room)
        if part > 0:
            taken[c] = taken.get(c, 0) + part
            need -= part
    if need > 0:
        return None
    return sum(n * prices[c] for c, n in taken.items()), taken


def _offer_copies(
    space: Space,
    job: JobOptions,
    prices: Sequence[int],
    bounds: Bounds,
    tolls: Sequence[tuple[Cut, int]],
    index: int,
    offer: Offer,
) -> None:
    copies = job.copies
    assert copies is not None
    width = len(space.instance.cluster.accelerators)
    states: dict[int, tuple[int, dict[int, int], tuple[int, ...]]] = {0: (0, {}, ())}
    for h, row in enumerate(copies.classes.tolist()):
        must = any(c // width == h and least > 0 for c, (least, _) in bounds.items())
        grown = {} if must else dict(states)
        for state, (cost, gpus, kinds) in states.items():
            for kind, to in zip(row, copies.step[state].tolist(), strict=True):
                if kind < 0 or to < 0:
                    continue
                cells = space.classes[kind].cells
                if must and not all(
                    c in cells for c, (n, _) in bounds.items() if n > 0 and c // width == h
                ):
                    continue
                found = fill(space, cells, job.gang_size, prices, bounds)
                if found is None:
                    continue
                alone = Gangs(copies=(kind,))
                toll = sum(cut.weight(index, alone) * price for cut, price in tolls)
                total = cost + found[0] + toll
                if to not in grown or total < grown[to][0]:
                    grown[to] = (total, {**gpus, **found[1]}, (*kinds, kind))
        states = grown
    for state, (cost, gpus, kinds) in states.items():
        option = int(copies.option[state])
        if option:
            offer(option, cost, gpus, Gangs(copies=tuple(sorted(kinds))))
