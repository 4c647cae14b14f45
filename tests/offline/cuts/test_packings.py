"""Packing cuts hold for every packing, and cut off what they should."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.modes.hall_sets import capacity_sets
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.cut_row import Cut, Gangs
from hadaropt.offline.cuts.packings import PackingSeparator, Room, choose_sets, to_terms

SETTINGS = settings(deadline=None, max_examples=150)


def packings(gangs, levels, capacity):
    """All sets of (job, level) that fit, by Hall's condition over all sets of types."""
    types = range(len(capacity))
    subsets = [frozenset(c) for n in types for c in itertools.combinations(types, n + 1)]
    for choice in itertools.product(*[[None, *mine] for mine in levels]):
        if all(
            sum(g for g, a in zip(gangs, choice, strict=True) if a is not None and a <= s)
            <= sum(capacity[r] for r in s)
            for s in subsets
        ):
            yield choice


@st.composite
def rounds_of_gangs(draw):
    """Gangs with a chain of levels (mixed) or single types, and a fractional point."""
    capacity = draw(st.lists(st.integers(1, 5), min_size=2, max_size=3))
    gangs = draw(st.lists(st.sampled_from((1, 2, 3, 4)), min_size=2, max_size=5))
    levels = []
    for _ in gangs:
        order = draw(st.permutations(range(len(capacity))))
        if draw(st.booleans()):
            levels.append([frozenset(order[: n + 1]) for n in range(len(order))])
        else:
            levels.append([frozenset((r,)) for r in sorted(order)])
    point = {}
    for i, mine in enumerate(levels):
        left = 8
        for types in mine:
            fits = gangs[i] <= sum(capacity[r] for r in types)
            part = draw(st.integers(0, left)) if fits else 0
            left -= part
            if part:
                point[i, types] = part / 8
    return capacity, gangs, levels, point


@given(rounds_of_gangs())
@SETTINGS
def test_packing_cuts_hold_for_every_packing(case):
    capacity, gangs, levels, point = case
    sets = capacity_sets(sorted({s for mine in levels for s in mine}, key=sorted))
    limits = [(s, sum(capacity[r] for r in s)) for s in sets]
    separator = PackingSeparator(limits, capacity, gangs, levels)
    cut = separator.separate(0, point, list(range(len(gangs))), Clock())
    if cut is None:
        return
    left = sum(cut.weight(i, Gangs(types)) * y for (i, types), y in point.items())
    assert left > cut.rhs
    for choice in packings(gangs, levels, capacity):
        assert (
            sum(cut.weight(i, Gangs(a)) for i, a in enumerate(choice) if a is not None) <= cut.rhs
        )


@given(rounds_of_gangs())
@SETTINGS
def test_points_outside_all_packings_are_cut_off(case):
    """A point that no convex combination of packings reaches by a clear margin has a cut."""
    from scipy.optimize import linprog

    capacity, gangs, levels, point = case
    items = list(point)
    if not any(1e-6 < y < 1 - 1e-6 for y in point.values()):
        return
    columns = [
        [float(choice[i] == types) for i, types in items]
        for choice in packings(gangs, levels, capacity)
    ]
    # Largest multiple of the point that packings reach.
    matrix = np.c_[-np.array(columns).T, [point[item] for item in items]]
    cost = np.r_[np.zeros(len(columns)), -1.0]
    once = [np.r_[np.ones(len(columns)), 0.0]]
    reached = -linprog(cost, matrix, np.zeros(len(items)), once, [1.0]).fun
    sets = capacity_sets(sorted({s for mine in levels for s in mine}, key=sorted))
    limits = [(s, sum(capacity[r] for r in s)) for s in sets]
    separator = PackingSeparator(limits, capacity, gangs, levels)
    cut = separator.separate(0, point, list(range(len(gangs))), Clock())
    if reached < 0.97:
        assert cut is not None
        late = PackingSeparator(limits, capacity, gangs, levels)
        assert late.separate(0, point, list(range(len(gangs))), Clock(0)) is None
    if reached > 1 - 1e-9:
        assert cut is None


@given(rounds_of_gangs(), st.data())
@SETTINGS
def test_the_best_packing_is_the_best_of_all(case, data):
    capacity, gangs, levels, _ = case
    values = [
        {types: data.draw(st.sampled_from((0.0, 0.25, 1.0, 2.0))) for types in mine}
        for mine in levels
    ]
    room = Room(capacity_sets(sorted({s for mine in levels for s in mine}, key=sorted)), capacity)
    found, packing = room.best_packing(list(enumerate(values)), gangs)
    every = [
        sum(values[i][types] for i, types in enumerate(choice) if types is not None)
        for choice in packings(gangs, levels, capacity)
    ]
    assert found == max(every)
    chosen = dict(packing)
    assert sum(values[i][types] for i, types in packing) == found
    assert tuple(chosen.get(i) for i in range(len(gangs))) in set(packings(gangs, levels, capacity))


@given(rounds_of_gangs(), st.data())
@SETTINGS
def test_terms_count_what_the_coefficients_say(case, data):
    levels = case[2]
    coefficients = {}
    for i, mine in enumerate(levels):
        amounts = data.draw(st.lists(st.integers(1, 4), min_size=len(mine), max_size=len(mine)))
        chain = all(a <= b for a, b in itertools.pairwise(mine))
        # Faster levels, which admit fewer types, count at least as much as slower ones.
        coefficients[i] = dict(zip(mine, sorted(amounts)[::-1] if chain else amounts, strict=True))
    cut = Cut(0, to_terms(coefficients), 1)
    for i, mine in enumerate(levels):
        assert {types: cut.weight(i, Gangs(types)) for types in mine} == coefficients[i]


def test_large_sets_are_chosen_first_as_far_as_their_table_is_small():
    one, other, both = frozenset((0,)), frozenset((1,)), frozenset((0, 1))
    sets = [(one, 4), (other, 5), (both, 9)]
    assert choose_sets(sets, 300) == [both, one, other]
    assert choose_sets(sets, 50) == [both, one]
    assert choose_sets(sets, 49) == [both]
    assert choose_sets(sets, 6) == [one]
    assert choose_sets(sets, 4) == []


def test_an_integral_point_has_no_cut():
    sets = [(frozenset((0,)), 2)]
    separator = PackingSeparator(sets, [2], [2, 2], [[frozenset((0,))]] * 2)
    assert separator.separate(0, {(0, frozenset((0,))): 1.0}, [0, 1], Clock()) is None
