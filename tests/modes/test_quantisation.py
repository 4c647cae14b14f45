"""Units of progress: exact where few suffice, else on the side that is asked for."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from hadaropt.modes.quantisation import choose_units, rounded


def test_rounding_to_the_nearest_unit() -> None:
    gains = [Fraction(1, 3), Fraction(1, 2), Fraction(7, 5), Fraction(8, 5), Fraction(3)]
    assert [rounded(gain, "nearest") for gain in gains] == [0, 1, 1, 2, 3]
    assert [rounded(gain, "up") for gain in gains] == [1, 1, 2, 2, 3]
    assert [rounded(gain, "down") for gain in gains] == [0, 0, 1, 1, 3]


@given(
    progress=st.lists(st.integers(1, 10**6), min_size=1, max_size=4, unique=True),
    rounds=st.integers(1, 60),
    rounding=st.sampled_from(("up", "down")),
    data=st.data(),
)
def test_rounded_units_are_necessary_or_sufficient(progress, rounds, rounding, data) -> None:
    progress = sorted(progress, reverse=True)
    longest = progress[0] * rounds
    quantum, exact = choose_units(progress, longest, rounding, 1)
    need = data.draw(st.integers(1, longest))
    held = data.draw(st.lists(st.sampled_from(progress), max_size=2 * rounds))
    units = -(-Fraction(need) // quantum)
    enough = sum(held) >= need
    if exact or rounding == "up":
        reached = sum(-(-Fraction(p) // quantum) for p in held) >= units
        assert not enough or reached
    if exact or rounding == "down":
        reached = sum(Fraction(p) // quantum for p in held) >= units
        assert not reached or enough
