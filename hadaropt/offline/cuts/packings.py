"""Cuts from the packings of one round: facets of who can run together, and at which levels.

A set of gangs with levels fits a round iff the sets of types have room (Hall's condition). The
inequality ``sum a_i(A) z_i(A) <= b`` over jobs i and levels A is valid iff no packing exceeds b,
which a dynamic program over the room left in the sets decides exactly. The most violated one with
b = 1 is found by cutting planes: maximise a . z over the a that no packing exceeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from hadaropt.mip.highs import HighsModel
from hadaropt.mip.model import Entries, Floats, Ints, LinearModel, linear_program
from hadaropt.modes.hall_sets import TypeSet, capacity_sets
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.cut_row import Cut, Terms
from hadaropt.offline.cuts.params import CutParams

Coefficients = Mapping[int, Mapping[TypeSet, int]]
"""By job and level, named by its admitted types."""
Point = Mapping[tuple[int, TypeSet], float]
"""(job, level) -> how much of the job runs at that level in the round, in 0 .. 1."""

MULTIPLES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 24, 30, 60)
"""Coefficients are sought as multiples of 1 / n for these n."""
ROUND_OPERATIONS, ITERATION_OPERATIONS = 2 * 10**6, 5000
"""What an LP over one round, and a simplex iteration in it, count for in a limit of work."""


class Room:
    """The GPUs that packings leave in some sets of types.

    Tables have one axis for each set, from 0 to the capacity of the set: an entry is the best
    value of what packs into so much room.

    Parameters
    ----------
    sets : sequence of set of types
    capacity : sequence of int
        GPUs of each type.
    """

    def __init__(self, sets: Sequence[TypeSet], capacity: Sequence[int]) -> None:
        self.sets = tuple(sets)
        self.limits = tuple(sum(capacity[r] for r in s) for s in self.sets)
        self.states = prod(limit + 1 for limit in self.limits)

    def add(
        self, table: Floats | Ints, levels: Mapping[TypeSet, float], gang: int
    ) -> Floats | Ints:
        """Return the best values once a job may run at one of its levels (level -> value)."""
        new = table.copy()
        for types, value in levels.items():
            if value <= 0:
                continue
            taken, left = [], []
            for s, limit in zip(self.sets, self.limits, strict=True):
                used = gang if types <= s else 0
                if used > limit:
                    break
                taken.append(slice(used, None))
                left.append(slice(0, limit + 1 - used))
            else:
                part = new[tuple(taken)]
                np.maximum(part, table[tuple(left)] + value, out=part)
        return new

    def empty(self, kind: type) -> Floats | Ints:
        """Return the table of no job."""
        return np.zeros(tuple(limit + 1 for limit in self.limits), kind)

    def best_with(self, table: Floats | Ints, types: TypeSet, gang: int) -> float | None:
        """Return the best value left when a gang runs at a level; None if it does not fit."""
        place = []
        for s, limit in zip(self.sets, self.limits, strict=True):
            left = limit - gang if types <= s else limit
            if left < 0:
                return None
            place.append(left)
        return float(table[tuple(place)])

    def best_packing(
        self, items: Sequence[tuple[int, Mapping[TypeSet, float]]], gang: Sequence[int] | Ints
    ) -> tuple[float, list[tuple[int, TypeSet]]]:
        """Return the packing of greatest value, as (job, level) pairs."""
        tables = [self.empty(np.float64)]
        for i, levels in items:
            tables.append(self.add(tables[-1], levels, int(gang[i])))
        place = [limit for limit in self.limits]
        chosen = []
        for k in range(len(items) - 1, -1, -1):
            i, levels = items[k]
            here = tables[k + 1][tuple(place)]
            if tables[k][tuple(place)] >= here - 1e-12:
                continue
            for types, value in levels.items():
                lower = [
                    x - (int(gang[i]) if types <= s else 0)
                    for x, s in zip(place, self.sets, strict=True)
                ]
                if min(lower) >= 0 and tables[k][tuple(lower)] + value >= here - 1e-12:
                    chosen.append((i, types))
                    place = lower
                    break
        return float(tables[-1][tuple(self.limits)]), chosen


def choose_sets(sets: Sequence[tuple[TypeSet, int]], most_states: int) -> list[TypeSet]:
    """Return sets with a table of so many states at most, large sets first; fewer only weaken."""
    chosen: list[TypeSet] = []
    size = 1
    for types, limit in sorted(sets, key=lambda s: (-len(s[0]), sorted(s[0]))):
        if size * (limit + 1) <= most_states:
            chosen.append(types)
            size *= limit + 1
    return chosen


class PackingSeparator:
    """Finds violated packing cuts.

    Parameters
    ----------
    sets : sequence of (types, capacity)
        Closed under the union of overlapping sets.
    capacity : sequence of int
        GPUs of each type.
    gang : sequence of int
    levels : sequence of sequences of set of types
        Levels of each job.
    params : CutParams, optional
    """

    def __init__(
        self,
        sets: Sequence[tuple[TypeSet, int]],
        capacity: Sequence[int],
        gang: Sequence[int] | Ints,
        levels: Sequence[Sequence[TypeSet]],
        params: CutParams | None = None,
    ) -> None:
        self._params = CutParams() if params is None else params
        self.capacity, self.gang, self.levels = capacity, gang, levels
        self.room = Room(choose_sets(sets, self._params.packing_states), capacity)
        self._rooms: dict[tuple[TypeSet, ...], Room] = {}
        self._packings: dict[int, dict[frozenset[tuple[int, TypeSet]], None]] = {}

    def separate(self, t: int, point: Point, may: Sequence[int], clock: Clock) -> Cut | None:
        """Return the most violated cut of round t, or None.

        Parameters
        ----------
        point : mapping
            How much of each job runs at each level.
        may : sequence of int
            Jobs that can run in the round at all: those outside the point are lifted in this order.
        clock : Clock
            Once it is over, the search is given up.
        """
        fractional = any(1e-6 < y < 1 - 1e-6 for y in point.values())
        if not fractional or not self.room.sets:
            return None
        found = self._facet(t, point, clock)
        if found is None:
            return None
        coefficients = self._monotone(found)
        terms = to_terms(coefficients)
        room = self._room(terms)
        if room is None:
            return None
        table = room.empty(np.int64)
        for i in sorted(coefficients):
            table = room.add(table, coefficients[i], int(self.gang[i]))
        rhs = int(table[tuple(room.limits)])
        violation = sum(
            coefficients[i].get(types, 0) * y
            for (i, types), y in point.items()
            if i in coefficients
        )
        if violation <= rhs + self._params.packing_violation * max(1, rhs):
            return None
        for i in may:
            if i in coefficients:
                continue
            # A job runs at one level at the most: all its levels are lifted from the same table.
            lifted = {
                types: rhs - int(others)
                for types in self.levels[i]
                if (others := room.best_with(table, types, int(self.gang[i]))) is not None
                and others < rhs
            }
            if lifted:
                coefficients[i] = lifted
                table = room.add(table, lifted, int(self.gang[i]))
        return Cut(t, to_terms(coefficients), rhs)

    def _room(self, terms: Terms) -> Room | None:
        sets = capacity_sets(types for types, _ in terms)
        if sets not in self._rooms:
            self._rooms[sets] = Room(sets, self.capacity)
        room = self._rooms[sets]
        return room if room.states <= self._params.packing_states else None

    def _facet(self, t: int, point: Point, clock: Clock) -> dict[int, dict[TypeSet, int]] | None:
        """Return integer coefficients of a violated inequality over the items of the point."""
        items = sorted(point, key=lambda item: (item[0], sorted(item[1])))
        y = np.array([point[item] for item in items])
        place = {item: k for k, item in enumerate(items)}
        known = self._packings.setdefault(t, {})
        rows = {
            tuple(sorted(place[item] for item in packing if item in place)) for packing in known
        }
        highs = HighsModel(_box(y, sorted(row for row in rows if len(row) > 1)), background=False)
        while True:
            outcome = highs.run()
            clock.spend(ROUND_OPERATIONS + outcome.iterations * ITERATION_OPERATIONS)
            assert outcome.x is not None
            a = outcome.x
            if float(a @ y) <= 1 + self._params.packing_violation or clock.over():
                return None
            by_job: dict[int, dict[TypeSet, float]] = {}
            for (i, types), value in zip(items, a.tolist(), strict=True):
                by_job.setdefault(i, {})[types] = value
            value, packing = self.room.best_packing(list(by_job.items()), self.gang)
            if value <= 1 + 1e-7:
                break
            self._complete(packing, sorted(items, key=lambda item: -point[item]))
            known[frozenset(packing)] = None
            columns = np.array(sorted(place[item] for item in packing), np.int32)
            highs.add_rows(
                np.array([-np.inf]),
                np.ones(1),
                np.zeros(1, np.int32),
                columns,
                np.ones(len(columns)),
            )
        for multiple in MULTIPLES:
            scaled = a * multiple
            if float(np.abs(scaled - np.rint(scaled)).max()) < 1e-5:
                break
        result: dict[int, dict[TypeSet, int]] = {}
        for (i, types), value in zip(items, np.rint(scaled).astype(int).tolist(), strict=True):
            if value > 0:
                result.setdefault(i, {})[types] = value
        return result

    def _complete(
        self, packing: list[tuple[int, TypeSet]], order: Sequence[tuple[int, TypeSet]]
    ) -> None:
        """Add what still fits: a larger packing excludes more coefficients at once."""
        room = self.room
        left = list(room.limits)
        for i, types in packing:
            left = [
                x - int(self.gang[i]) * (types <= s) for x, s in zip(left, room.sets, strict=True)
            ]
        there = {i for i, _ in packing}
        for i, types in order:
            if i in there:
                continue
            after = [
                x - int(self.gang[i]) * (types <= s) for x, s in zip(left, room.sets, strict=True)
            ]
            if min(after) >= 0:
                packing.append((i, types))
                there.add(i)
                left = after

    def _monotone(self, found: Coefficients) -> dict[int, dict[TypeSet, int]]:
        """Give faster levels at least the coefficient of slower ones: they need the same room."""
        return {
            i: {
                types: best
                for types in self.levels[i]
                if (best := max((a for s, a in mine.items() if types <= s), default=0)) > 0
            }
            for i, mine in found.items()
        }


def _box(y: Floats, rows: Sequence[tuple[int, ...]]) -> LinearModel:
    """Maximise a . y over 0 <= a <= 1 and sum of a over each row <= 1."""
    n = len(y)
    entries = Entries()
    for k, row in enumerate(rows):
        entries.add(np.full(len(row), k), np.array(row), 1)
    limits = np.full(len(rows), -np.inf), np.ones(len(rows))
    return linear_program(y, (np.zeros(n), np.ones(n)), limits, entries, maximise=True)


def to_terms(coefficients: Coefficients) -> Terms:
    """Return the coefficients as terms: what a level counts is the sum over the sets that hold it.

    A level's own term is its coefficient minus that of the next slower level.
    """
    terms: dict[TypeSet, dict[int, int]] = {}
    for i, mine in coefficients.items():
        for types, a in mine.items():
            slower = max((b for s, b in mine.items() if types < s), default=0)
            if a > slower:
                terms.setdefault(types, {})[i] = a - slower
    order = sorted(terms, key=lambda s: (len(s), sorted(s)))
    return tuple((types, tuple(sorted(terms[types].items()))) for types in order)
