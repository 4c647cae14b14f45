"""Which sets of types need a capacity row."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings

from hadaropt.modes.hall_sets import TypeSet, capacity_sets, distinct_sets, set_name
from tests.offline.compact.test_max_flow import cases, every_set, excess


@settings(deadline=None, max_examples=200)
@given(cases())
def test_rows_written_imply_all(case: tuple[list[tuple[int, TypeSet]], list[int]]) -> None:
    """The sets of `capacity_sets` are enough, and each has its own gangs."""
    demands, capacity = case
    written = capacity_sets(admitted for _, admitted in demands)
    fits = all(excess(demands, capacity, s) <= 0 for s in written)
    assert fits == all(excess(demands, capacity, s) <= 0 for s in every_set(len(capacity)))


@given(cases())
def test_they_are_the_unions_of_sets_that_hang_together(
    case: tuple[list[tuple[int, TypeSet]], list[int]],
) -> None:
    """Counted out: a union is needed iff its parts cannot be split without sharing a type."""
    admitted = {s for _, s in case[0]}
    needed = set()
    for n in range(1, len(admitted) + 1):
        for parts in combinations(admitted, n):
            reached, left = set(parts[0]), list(parts[1:])
            while any(reached & s for s in left):
                reached |= next(s for s in left if reached & s)
                left = [s for s in left if not s <= reached]
            if not left:
                needed.add(frozenset(reached))
    found = capacity_sets(admitted)
    assert set(found) == needed and len(found) == len(needed)
    assert list(found) == sorted(found, key=lambda s: (len(s), sorted(s)))


def test_too_many_sets_are_none() -> None:
    chain = [frozenset({r, r + 1}) for r in range(6)]
    every = capacity_sets(chain)
    assert len(every) == 21  # the intervals of 7 types with two or more
    assert capacity_sets(chain, 21) == every and capacity_sets(chain, 6) == ()
    assert capacity_sets([]) == ()


def test_sets_are_distinct_sorted_and_named() -> None:
    assert distinct_sets([[2], [0, 1], [1, 0], [0]]) == (
        frozenset({0}),
        frozenset({2}),
        frozenset({0, 1}),
    )
    assert set_name(frozenset({10, 2})) == "2_10"
