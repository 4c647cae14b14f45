"""What all figures share."""

import pytest

from hadaropt.plot.style import new_figure, tidy

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


@pytest.mark.parametrize("values", [(1_000_000, 1_000_001), (20_000_000, 30_000_000)])
def test_marks_are_whole_numbers_without_offset_or_power(values):
    axes = new_figure(4, 3).subplots()
    axes.plot([0, 1], values)
    tidy(axes)
    axes.figure.draw_without_rendering()
    assert axes.yaxis.get_offset_text().get_text() == ""
    marks = [text.get_text() for text in axes.get_yticklabels()]
    assert any(float(mark) >= values[0] for mark in marks)
