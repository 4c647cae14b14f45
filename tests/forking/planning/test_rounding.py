"""Linear programs rounded to nodes."""

from dataclasses import replace
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.forking.planning.rounding import round_makespan
from tests.forking.small import machine_problems

few = settings(deadline=None, max_examples=30)


@few
@given(machine_problems(integer=True))
def test_h3_rounding_stays_within_its_error(problem):
    found = round_makespan(problem)
    assert found.allowed is not None
    assert found.error + Fraction(1, 10**6) >= 0
    assert found.error <= found.allowed + Fraction(1, 10**6)
    assert found.error == found.played.makespan * problem.round_seconds - found.fluid.bound


@few
@given(machine_problems(capped=True), st.integers(0, 1))
def test_rounding_ends_with_caps_and_consolidation(problem, lost):
    own = replace(problem, round_seconds=Fraction(4), consolidation_seconds=Fraction(lost))
    found = round_makespan(own)
    assert found.played.makespan == max(found.played.completion)
    assert found.played.makespan * own.round_seconds >= found.fluid.bound
