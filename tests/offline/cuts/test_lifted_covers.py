"""Lifted covers and packing cuts hold for every packing, and cut off what they should."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.certificates.tree import _check_cut
from hadaropt.errors import CertificateError
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.modes.hall_sets import capacity_sets
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.cut_row import Cut
from hadaropt.offline.cuts.lifted_covers import lift, minimum_cover
from hadaropt.offline.cuts.packings import PackingSeparator
from hadaropt.utility import Step

SETTINGS = settings(deadline=None, max_examples=150)
GANGS = st.lists(st.sampled_from((1, 2, 3, 4)), min_size=2, max_size=6)


@given(GANGS, st.integers(1, 9), st.data())
@SETTINGS
def test_covers_are_cheapest_minimal_and_their_lifting_is_valid(
    gangs: list[int], capacity: int, data: st.DataObject
) -> None:
    share = st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0))
    y = np.array(data.draw(st.lists(share, min_size=len(gangs), max_size=len(gangs))))
    sets = [
        chosen
        for n in range(len(gangs) + 1)
        for chosen in itertools.combinations(range(len(gangs)), n)
    ]
    covers = [
        sum(1 - y[i] for i in chosen)
        for chosen in sets
        if sum(gangs[i] for i in chosen) > capacity and all(y[i] > 0 for i in chosen)
    ]
    cover = minimum_cover(y, gangs, capacity)
    assert (cover is not None) == (min(covers, default=1.0) < 1)
    if cover is None:
        return
    assert sum(1 - y[i] for i in cover) <= min(covers) + 1e-9
    size = sum(gangs[i] for i in cover)
    assert size > capacity
    assert all(size - gangs[i] <= capacity for i in cover)
    order = list(range(len(gangs)))
    coefficients, lifted = lift(cover, gangs, capacity, order)
    assert all(coefficients[i] == 1 for i in cover)
    assert lifted == [i for i in order if i in coefficients and i not in cover]
    fitting = [chosen for chosen in sets if sum(gangs[i] for i in chosen) <= capacity]
    assert max(sum(coefficients.get(i, 0) for i in chosen) for chosen in fitting) <= len(cover) - 1


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
    left = sum(cut.weight(i, types) * y for (i, types), y in point.items())
    assert left > cut.rhs
    for choice in packings(gangs, levels, capacity):
        assert sum(cut.weight(i, a) for i, a in enumerate(choice) if a is not None) <= cut.rhs


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


def two_types() -> Instance:
    """Jobs a, b, c of gangs 3, 2, 2 that run fast on V100 and slowly on P100."""
    speeds = {"V100": 2, "P100": 1}
    jobs = [Job(n, 0, w, 2, speeds, Step(1, 1)) for n, w in zip("abc", (3, 2, 2), strict=True)]
    return Instance(Cluster.of({"n0": {"V100": 3}, "n1": {"P100": 1}}), jobs, 1, Fraction(1))


FAST, BOTH = frozenset((0,)), frozenset((0, 1))


def test_the_verifier_proves_cuts_of_several_terms():
    instance = two_types()
    # One gang at the fast level, or two of two GPUs if one of them mixes.
    true = (((FAST, (1, 1, 1)), (BOTH, (1, 1, 1))), 3)
    _check_cut(instance, true, 0)
    with pytest.raises(CertificateError, match="some reach 3 > 2"):
        _check_cut(instance, (true[0], 2), 0)
    with pytest.raises(CertificateError, match="coefficients <="):
        _check_cut(instance, (((FAST, (10**7, 0, 0)),), 10**7), 0)


def test_the_weight_of_a_level_counts_the_terms_that_hold_it():
    cut = Cut(0, ((FAST, ((0, 2),)), (BOTH, ((0, 1), (1, 1)))), 3)
    assert [cut.weight(0, FAST), cut.weight(0, BOTH), cut.weight(1, FAST)] == [3, 1, 1]
    assert cut.weight(2, FAST) == 0
