"""Running times."""

from __future__ import annotations

import pytest

from hadaropt.plot.runtime import growth, plot_runtime

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


def test_growth_is_the_exponent() -> None:
    points = [(size, 3 * size**1.5) for size in (10, 20, 40)]
    assert growth(points) == pytest.approx(1.5)
    assert growth(points[:1]) != growth(points[:1])  # nan: one size only
    axes = plot_runtime({"fifo": points, "one": [(10, 1.0), (10, 0.0)]})
    labels = [text.get_text() for text in axes.figure.legends[0].get_texts()]
    assert labels == ["fifo: growth 1.50", "one"]
