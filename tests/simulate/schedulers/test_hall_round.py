"""A round as an integer program in Hall form."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.simulate.schedulers.hall_round import solve_hall_round
from tests.simulate.schedulers.drawn_rounds import by_dynamic_program, rounds, value_of


@settings(deadline=None, max_examples=30)
@given(rounds(), st.booleans())
def test_the_program_in_hall_form_holds_an_optimum(problem, mixing):
    taken = np.zeros_like(problem[2])
    for j, counts in solve_hall_round(*problem, mixing, np.ones(taken.shape, np.bool_)):
        taken[j] = counts
    assert value_of(*problem, mixing, taken) == by_dynamic_program(*problem, mixing)
