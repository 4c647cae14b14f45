"""What all figures share."""

import pytest

from hadaropt.plot.style import LOOKS, looks, new_figure, tidy
from hadaropt.policies import POLICY_NAMES

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


def test_every_contestant_without_a_theorem_in_common_has_a_colour_of_its_own():
    """Prices of one theorem may share one; all others differ from each other and from those."""
    prices = {name: look.colour for name, look in LOOKS.items() if name.startswith("primal_dual:")}
    others = [look.colour for name, look in LOOKS.items() if name not in prices]
    assert len(set(others)) == len(others)
    assert not set(others) & set(prices.values())


def test_policies_look_the_same_in_every_figure_and_different_from_each_other() -> None:
    known = looks(POLICY_NAMES)
    assert len({(look.colour, look.dashes) for look in known.values()}) == len(POLICY_NAMES)
    assert looks(["fifo"])["fifo"] == known["fifo"]
    many = looks(f"mine {i}" for i in range(20))
    assert len({(look.colour, look.dashes) for look in many.values()}) == 20
