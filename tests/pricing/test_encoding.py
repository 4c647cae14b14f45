"""Rows of many jobs as columns."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from hadaropt.kernels.pricing import batch
from hadaropt.pricing.encoding import Rows
from hadaropt.pricing.worth import encode, worth
from hadaropt.utility import Linear, Table


def code(utility, horizon=6):
    return encode(utility, 10, Fraction(1), Fraction(1), horizon)


def test_columns_are_those_of_the_rows_that_were_added():
    rows = Rows()
    line = code(Linear(10, 2))
    rows.add(4, 2, 7, line, 100, 101)
    rows.add(1, 3, 8, line, 200, 201)
    assert rows.jobs == [4, 1]
    assert rows.column("gang").tolist() == [2, 3] and rows.column("need").tolist() == [7, 8]
    assert rows.column("kind").tolist() == [batch.LINEAR] * 2
    assert rows.parameters().tolist() == [list(line.parameters)] * 2
    assert rows.column("last").tolist() == [line.last] * 2
    assert rows.further(0, 2).tolist() == [[100, 101], [200, 201]]
    assert rows.further(1, 1).ravel().tolist() == [101, 201]
    for found in (rows.column("a"), rows.parameters(), rows.further(0, 2)):
        assert found.dtype == np.int64 and found.flags["C_CONTIGUOUS"]


def test_equal_tables_are_stored_once_and_others_apart():
    one, other = code(Table((9, 5, Fraction(5, 2)))), code(Table((9, 5, 1)))
    rows = Rows()
    for j, own in enumerate((one, other, one)):
        rows.add(j, 1, 1, own)
    first, second, again = rows.column("a").tolist()
    assert first == again != second
    assert rows.entries == 1 + one.last + other.last
    floors, ranks = rows.tables()
    assert len(floors) == len(ranks) == rows.entries
    for place, own in ((first, one), (second, other)):
        found = worth(own)
        assert floors[place : place + own.last].tolist() == found.floors.tolist()
        assert ranks[place : place + own.last].tolist() == found.parts.tolist()
    assert rows.column("b").tolist() == rows.column("c").tolist() == [0, 0, 0]


def test_without_a_table_there_is_one_entry_that_nobody_reads():
    rows = Rows()
    rows.add(0, 1, 1, code(Linear(10, 2)))
    floors, ranks = rows.tables()
    assert rows.entries == 1 and floors.tolist() == ranks.tolist() == [0]
