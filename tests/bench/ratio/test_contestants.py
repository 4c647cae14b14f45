"""Policies and round schedulers as contestants."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import check_schedule
from hadaropt.bench.ratio.cells import run_cell
from hadaropt.bench.ratio.contestants import contestant_names, make_contestant
from hadaropt.bench.ratio.reference import prove_optimum
from hadaropt.errors import InstanceError
from hadaropt.simulate.registry import scheduler_names
from hadaropt.testing import instances


@settings(deadline=None, max_examples=15)
@given(instances(), st.sampled_from(scheduler_names()))
def test_a_round_scheduler_is_worth_what_the_checker_says_and_never_more_than_the_optimum(
    instance, scheduler
):
    known = prove_optimum(instance, 20)
    cell, run = run_cell(instance, "", "", 0, make_contestant(f"round:{scheduler}"), known)
    assert cell.primal == check_schedule(instance, run.schedule).value == run.value
    assert cell.primal <= cell.best <= cell.dual <= run.bound
    assert (cell.policy, cell.theorem) == (f"round:{scheduler}", "")


def test_names_of_contestants_make_them():
    assert [make_contestant(name).name for name in contestant_names()] == list(contestant_names())
    with pytest.raises(InstanceError, match=r'did you mean "round:hadar"\?'):
        make_contestant("round:hadr")
