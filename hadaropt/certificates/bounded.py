"""What a job can do in one round when the GPUs that it holds of single places are bounded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hadaropt.certificates.options import Charge, OptionTable, gang_progress, levels_of, slows

Place = tuple[int, ...]
"""(type,) where prices are on types, (node, type) where they are on nodes."""
Bounds = Mapping[Place, tuple[int, int]]
"""Place -> least and most GPUs."""


def bounded_allocations(
    table: OptionTable, j: int, t: int, bounds: Bounds, charge: Charge | None = None
) -> Iterator[tuple[int, int, tuple[int, ...] | None]]:
    """Yield (progress, least cost, admitted types) of the ways to run in round t that obey bounds.

    As `OptionTable.allocations` in one round. Copies under prices on types are not bounded: their
    costs are then never too high. ``charge``: see `OptionTable.copies`; one gang is charged by the
    caller.
    """
    instance, by_node = table.instance, table.prices.by_node
    cluster, gang = instance.cluster, instance.jobs[j].gang_size
    units = table.prices.units[t].tolist()
    whole, apart = gang_progress(instance, j)
    nodes = range(len(cluster.nodes))
    price: dict[Place, int] = {}
    everywhere: dict[Place, int] = {}
    for h, counts in enumerate(cluster.capacity if by_node else [cluster.pooled_capacity]):
        for r, n in enumerate(counts):
            place = (h, r) if by_node else (r,)
            price[place] = units[h][r] if by_node else units[r]
            everywhere[place] = n

    def inside(h: int) -> dict[Place, int]:
        return {((h, r) if by_node else (r,)): n for r, n in enumerate(cluster.capacity[h])}

    for types, r in levels_of(instance, j).items():
        anywhere = _fill(price, _of(everywhere, types), gang, bounds)
        if anywhere is not None:
            yield apart[r], anywhere, types
        if whole[r] > apart[r]:
            for h in nodes:
                cost = _fill(price, _of(inside(h), types), gang, bounds)
                if cost is not None:
                    yield whole[r], cost, types
    most = instance.max_copies(j)
    if most < 2:
        return
    reduced = instance.progress(j, copies=True)
    levels = [(reduced[r], types) for types, r in levels_of(instance, j).items() if reduced[r] > 0]
    states: dict[tuple[int, int], int] = {(0, 0): 0}
    for h in nodes:
        mine = {p: b for p, b in bounds.items() if by_node and p[0] == h}
        choices = [
            (gain, cost if charge is None else cost + charge(h, types).get(t, 0))
            for gain, types in levels
            if slows(instance, j, types, h)
            and (cost := _fill(price, _of(inside(h), types), gang, mine)) is not None
        ]
        grown = {} if any(least > 0 for least, _ in mine.values()) else dict(states)
        for (copies, progress), paid in states.items():
            if copies == most:
                continue
            for gain, cost in choices:
                to = (copies + 1, progress + gain)
                grown[to] = min(grown.get(to, paid + cost), paid + cost)
        states = grown
    for (copies, progress), paid in states.items():
        if copies >= 2:
            yield progress, paid, None


def _of(places: Mapping[Place, int], types: tuple[int, ...]) -> dict[Place, int]:
    return {place: n for place, n in places.items() if place[-1] in types}


def _fill(
    price: Mapping[Place, int], capacity: Mapping[Place, int], gang: int, bounds: Bounds
) -> int | None:
    """Least cost of a gang within places: what the bounds demand, then cheapest first; or None."""
    if any(least > capacity.get(place, 0) for place, (least, _) in bounds.items()):
        return None
    need, cost = gang, 0
    room: dict[Place, int] = {}
    for place, count in capacity.items():
        least, most = bounds.get(place, (0, gang))
        need -= least
        cost += least * price[place]
        room[place] = min(count, most) - least
    if need < 0:
        return None
    for place in sorted(room, key=lambda p: price[p]):
        part = min(need, max(0, room[place]))
        cost += part * price[place]
        need -= part
    return None if need else cost
