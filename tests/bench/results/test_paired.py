"""Paired comparisons: differences on shared instances, intervals over whole seeds."""

import math

from hadaropt.bench.results.paired import ITSELF, compare


def places(values):
    return {((k, seed), seed): value for (k, seed), value in values.items()}


def test_only_shared_instances_count():
    base = places({("a", 0): 1.0, ("a", 1): 2.0, ("b", 1): 0.0})
    other = places({("a", 0): 1.5, ("a", 1): 1.0, ("c", 2): 9.0})
    (row,) = compare({"base": base, "other": other, "none": {}}, "base")
    assert (row.name, row.pairs, row.seeds, row.better, row.worse) == ("other", 2, 2, 1, 1)
    assert row.mean == -0.25
    assert (row.low, row.high) == (-1.0, 0.5)


def test_the_interval_is_over_seeds_not_over_instances():
    """Ten equal instances per seed are no more evidence than one."""
    base = {((k, seed), seed): 0.0 for seed in range(8) for k in range(10)}
    other = {place: float(place[1]) for place in base}
    one = {((0, seed), seed): float(seed) for seed in range(8)}
    many = compare({"base": base, "x": other}, "base")[0]
    few = compare({"base": base, "x": one}, "base")[0]
    assert (many.mean, many.low, many.high) == (few.mean, few.low, few.high)
    assert many.low < many.mean == 3.5 < many.high


def test_one_seed_has_no_interval():
    (row,) = compare({"base": {("a", 0): 1.0}, "x": {("a", 0): 2.0}}, "base")
    assert row.mean == 1.0
    assert math.isnan(row.low) and math.isnan(row.high)


def test_the_order_of_the_places_does_not_matter():
    base = {((k, seed), seed): k * 0.1 for seed in range(5) for k in range(3)}
    other = {place: value * (1 + place[1]) for place, value in base.items()}
    backwards = dict(reversed(other.items()))
    first, second = (compare({"b": base, "x": x}, "b")[0] for x in (other, backwards))
    assert (first.low, first.high) == (second.low, second.high)


def test_each_may_be_compared_with_itself_without_parameters():
    values = {
        "fifo": {("a", 0): 1.0},
        "fifo[iterations*2]": {("a", 0): 0.5},
        "random": {("a", 0): 9.0},
        "random[seed=3]": {("a", 0): 10.0},
        "step[U*2]": {("a", 0): 7.0},
    }
    rows = compare(values, ITSELF)
    assert [(row.name, row.mean) for row in rows] == [
        ("fifo[iterations*2]", -0.5),
        ("random[seed=3]", 1),
    ]
