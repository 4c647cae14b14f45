"""Rows of many jobs as columns."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from hadaropt.instance import Cluster, Instance, Job
from hadaropt.kernels.pricing.utility import LINEAR
from hadaropt.pricing.encoding import PooledRows, PooledSpeeds, Rows
from hadaropt.pricing.worth import encode, encode_jobs, worth
from hadaropt.utility import Linear, Sigmoid, Table


def code(utility, horizon=6):
    return encode(utility, 10, Fraction(1), Fraction(1), horizon)


def test_columns_are_those_of_the_rows_that_were_added():
    rows = Rows()
    line = code(Linear(10, 2))
    rows.add(4, 2, 7, line, 100, 101)
    rows.add(1, 3, 8, line, 200, 201)
    assert rows.jobs == [4, 1]
    assert rows.column("gang").tolist() == [2, 3] and rows.column("need").tolist() == [7, 8]
    assert rows.column("kind").tolist() == [LINEAR] * 2
    assert rows.parameters().tolist() == [list(line.parameters)] * 2
    assert rows.column("last").tolist() == [line.last] * 2
    assert rows.further(0).tolist() == [100, 200] and rows.further(1).tolist() == [101, 201]
    for found in (rows.column("a"), rows.parameters(), rows.further(0)):
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


def test_sigmoids_share_one_evaluation_and_keep_their_places():
    curves = [Sigmoid(peak=9, steepness="0.5", deadline=k) for k in (3, 1, 3, 0)]
    codes = [code(curves[0]), code(curves[1]), code(Table((9, 5))), code(curves[2])]
    codes += [encode(curves[3], 10, Fraction(1), Fraction(3, 7), 6)]  # another denominator
    rows = Rows()
    for j, own in enumerate(codes):
        rows.add(j, 1, 1, own)
    places, (floors, ranks) = rows.column("a").tolist(), rows.tables()
    assert places[0] == places[3] and len(set(places)) == 4 and len(floors) == rows.entries
    for place, own in zip(places, codes, strict=True):
        found = worth(own)
        assert floors[place : place + own.last].tolist() == found.floors.tolist()
        assert ranks[place : place + own.last].tolist() == found.parts.tolist()


def test_without_a_table_there_is_one_entry_that_nobody_reads():
    rows = Rows()
    rows.add(0, 1, 1, code(Linear(10, 2)))
    floors, ranks = rows.tables()
    assert rows.entries == 1 and floors.tolist() == ranks.tolist() == [0]


def test_jobs_of_equal_speeds_share_their_levels():
    speeds, line = {"A": 6, "B": 2}, Linear(10, 2)
    jobs = [
        Job("a", 0, 1, 40, speeds, line),
        Job("b", 1, 3, 30, speeds, line),
        Job("c", 2, 1, 5, speeds, line),  # type A completes it in one round
        Job("d", 0, 1, 40, {"A": 4}, line),
        Job("e", 0, 1, 40, {}, line),
    ]
    cluster = Cluster.of({"n": {"A": 3, "B": 3}})
    instance = Instance(cluster, jobs, 6, Fraction(1))
    rows = PooledRows(PooledSpeeds(instance))
    codes = encode_jobs(instance, range(5), Fraction(8))
    assert all(rows.append(j, own, 10) for j, own in codes)
    assert rows.jobs == [0, 1, 2, 3]
    found = rows.arrays()
    assert found.levels.tolist() == [0, 0, 1, 2]
    assert found.need.tolist() == [20, 15, 3, 10]
    assert found.progress.tolist() == [[1, 3], [1, 3], [0, 1]]
    assert found.admitted[0].tolist() == [[True, True], [True, False]]
    assert found.admitted[2].tolist() == [[False, False], [True, False]]
    assert found.release.tolist() == [0, 1, 2, 0] and found.gang.tolist() == [1, 3, 1, 1]


def test_rows_refuse_numbers_whose_sums_may_not_fit():
    cluster = Cluster.of({"n": {"A": 3}})
    jobs = [Job(str(peak), 0, 2, 4, {"A": 1}, Linear(peak, 0)) for peak in (7, 2**50)]
    instance = Instance(cluster, jobs, 6, Fraction(1))
    rows = PooledRows(PooledSpeeds(instance))
    (_, small), (_, large) = encode_jobs(instance, [0, 1], Fraction(2**20))
    assert rows.append(0, small, 2**60) and not rows.append(0, small, 2**61)
    assert not rows.append(1, large, 1)
    assert rows.append(0, small, 2**40, cut=True)
    assert not rows.append(0, small, 7 * 2**20, cut=True)
