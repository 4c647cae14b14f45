"""What a job counts in a cut."""

from __future__ import annotations

from hadaropt.offline.colgen.cut_row import Cut, Gangs, Inside

FAST, BOTH = frozenset((0,)), frozenset((0, 1))
COPIES = Gangs(copies=(3, 5))


def test_the_weight_of_a_level_counts_the_terms_that_hold_it():
    cut = Cut(0, ((FAST, ((0, 2),)), (BOTH, ((0, 1), (1, 1)))), 3)
    fast, both = Gangs(FAST), Gangs(BOTH)
    assert [cut.weight(0, fast), cut.weight(0, both), cut.weight(1, fast)] == [3, 1, 1]
    assert cut.weight(2, fast) == 0
    assert cut.weight(0, COPIES) == 0


def test_a_cut_on_a_node_counts_the_copy_inside_and_the_gang_that_fits_nowhere_else():
    cut = Cut(0, ((BOTH, ((0, 2),)),), 3, node=Inside(1, frozenset((5, 6)), FAST))
    assert cut.weight(0, COPIES) == 2
    assert cut.weight(0, Gangs(copies=(3, 4))) == 0
    assert cut.weight(0, Gangs(FAST)) == 2
    assert cut.weight(0, Gangs(BOTH)) == 0
    assert cut.weight(1, COPIES) == 0
    assert cut.key != Cut(0, cut.terms, 3).key
