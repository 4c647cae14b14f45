"""Boxes show the quantiles of the tables."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.plot.boxes import draw_box, quantile
from hadaropt.plot.style import new_figure

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")

numbers = st.lists(st.floats(1, 100), min_size=1, max_size=30)


@settings(max_examples=60, deadline=None)
@given(numbers, st.sampled_from([0.0, 0.05, 0.5, 0.95, 1.0]))
def test_a_quantile_is_a_value_with_that_share_at_or_below_it(values, share):
    found = quantile(values, share)
    assert found in values
    below = sum(x <= found for x in values)
    assert below >= share * len(values)
    assert all(sum(x <= y for x in values) < share * len(values) for y in values if y < found)


def drawn(values, **options):
    axes = new_figure(4, 3).subplots()
    draw_box(axes, values, 2.0, 0.5, "#0000ff", **options)
    lines = [line.get_xdata().tolist() for line in axes.lines]
    return axes, axes.patches[0].get_path().get_extents(), lines


def test_the_box_spans_the_quartiles_at_its_place():
    axes, box, lines = drawn([float(x) for x in range(1, 101)])
    assert (box.x0, box.x1) == (25, 75) and (box.y0, box.y1) == (1.75, 2.25)
    assert [50, 50] in lines  # the median
    assert [25, 5] in lines and [75, 95] in lines  # the whiskers
    points = [x for line in lines for x in line if x in (1.0, 100.0)]
    assert set(points) == {1.0, 100.0}
    assert axes.get_yticks().size  # ticks are left alone


def test_interpolated_quantiles_are_those_of_the_metrics():
    _, box, _ = drawn([0.0, 10.0], linear=True)
    assert (box.x0, box.x1) == (2.5, 7.5)


def test_what_is_infinite_is_drawn_at_the_end_and_is_no_point():
    _, box, lines = drawn([1.0, math.inf, math.inf, math.inf], most=9.0)
    assert (box.x0, box.x1) == (1, 9)
    assert all(math.isfinite(x) for line in lines for x in line)


def test_open_boxes_are_hollow_and_a_mean_has_a_mark():
    axes, _, plain = drawn([1.0, 2.0, 6.0], filled=False)
    assert axes.patches[0].get_facecolor()[:3] == (1, 1, 1)
    _, _, marked = drawn([1.0, 2.0, 6.0], mean=True)
    assert [3.0] in marked and [3.0] not in plain
