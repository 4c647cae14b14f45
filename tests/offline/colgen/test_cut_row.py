"""What a job counts in a cut."""

from __future__ import annotations

from hadaropt.offline.colgen.cut_row import Cut

FAST, BOTH = frozenset((0,)), frozenset((0, 1))


def test_the_weight_of_a_level_counts_the_terms_that_hold_it():
    cut = Cut(0, ((FAST, ((0, 2),)), (BOTH, ((0, 1), (1, 1)))), 3)
    assert [cut.weight(0, FAST), cut.weight(0, BOTH), cut.weight(1, FAST)] == [3, 1, 1]
    assert cut.weight(2, FAST) == 0
