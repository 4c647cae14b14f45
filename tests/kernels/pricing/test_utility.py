"""Utilities as the kernels evaluate them, against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.pricing.utility import (
    INVERSE,
    LINEAR,
    TABLE,
    best_completion,
    rounds_worth,
    worths,
)

TIE = 10


@st.composite
def codes(draw):
    """A kind, its parameters, the shared tables, and U(d) * scale exactly."""
    kind, last = draw(st.sampled_from([LINEAR, INVERSE, TABLE])), draw(st.integers(0, 6))
    floors, ranks = [7], [0]
    if kind == LINEAR:
        b, c = draw(st.integers(0, 9)), draw(st.integers(1, 5))
        a = b * last + draw(st.integers(1, 40))
        par, exact = (a, b, c), [Fraction(a - b * d, c) for d in range(last)]
    elif kind == INVERSE:
        a, b = draw(st.integers(1, 60)), draw(st.integers(1, 5))
        par, exact = (a, b, 0), [Fraction(a, b * d) for d in range(1, last + 1)]
    else:
        tenths = draw(st.lists(st.integers(1, 300), min_size=last, max_size=last))
        par, exact = (1, 0, 0), [Fraction(x, 10) for x in sorted(tenths, reverse=True)]
        floors += [int(x) for x in exact]
        ranks += [int(x * 10) % 10 for x in exact]
    tables = np.array(floors, np.int64), np.array(ranks, np.int64)
    return kind, np.array(par, np.int64), last, tables, exact


@given(codes(), st.data())
@settings(deadline=None, max_examples=200)
def test_floors_and_the_first_exact_maximum(code, data):
    kind, par, last, tables, exact = code
    found = worths(kind, par, last, *tables)
    assert [int(x) for x in found[0]] == [int(u) for u in exact]
    charge = data.draw(st.lists(st.integers(0, 40), min_size=last, max_size=last))
    payoffs = [u - c for u, c in zip(exact, charge, strict=True)]
    best = max(payoffs, default=Fraction(0))
    least = np.array(charge, np.int64) * TIE + 3
    wanted = payoffs.index(best) if best > 0 else -1
    assert best_completion(*found, least, TIE) == wanted
    assert best_completion.py_func(*found, least, TIE) == wanted
    impossible = np.full(last, 2**62, np.int64)
    assert best_completion(*found, impossible, TIE) == -1


@given(codes(), st.integers(0, 70), st.data())
@settings(deadline=None, max_examples=200)
def test_the_rounds_that_are_worth_so_much(code, least, data):
    kind, par, last, tables, exact = code
    first = data.draw(st.integers(0, last))
    enough = [d for d in range(first + 1, last + 1) if int(exact[d - 1]) >= least]
    for count in (rounds_worth, rounds_worth.py_func):
        assert count(least, kind, par, first, last, tables[0]) == max(enough, default=first)
