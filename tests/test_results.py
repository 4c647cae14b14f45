"""One set of words in all results; an old word is answered with the new one."""

import pytest

import hadaropt
from hadaropt.results import Result, RoundRun, Status, Termination
from tests.cli.conftest import make_instance


def test_an_unknown_status_or_termination_names_the_nearest():
    with pytest.raises(ValueError, match=r'status = "prooved", must be one of .*"proved"'):
        Status("prooved")
    with pytest.raises(ValueError, match=r'termination = "timelimit", .*"time_limit"'):
        Result(method="ilp", termination="timelimit")


def test_what_does_not_exist_is_none():
    empty = Result(method="ilp", termination="time_limit")
    missing = (empty.status, empty.value, empty.bound, empty.gap, empty.schedule, empty.proof)
    assert missing == (None,) * 6
    assert empty.termination is Termination.TIME_LIMIT


def test_the_proof_is_the_tree_or_the_prices_and_none_for_a_solvers_word():
    instance = make_instance()
    found = hadaropt.solve(instance)
    assert found.status is Status.PROVED and found.proof is not None
    assert found.proof in (found.branching_tree, found.prices)
    relaxed = hadaropt.solve_lp(instance)
    assert relaxed.value is None and relaxed.gap is None
    assert relaxed.proof == relaxed.prices and relaxed.relaxation_value is not None
    assert Result(method="ilp", termination="optimal", bound=1.5).proof is None


def test_a_run_in_rounds_has_the_words_of_all_results():
    instance = make_instance()
    run = hadaropt.run_rounds(instance, "yarn")
    assert isinstance(run, RoundRun) and run.scheduler == "yarn"
    checked = hadaropt.check_schedule(instance, run.schedule)
    assert (checked.value, checked.completion) == (run.value, run.completion)
    optimum = hadaropt.solve_ilp(instance).value
    assert run.value <= optimum <= run.bound
    assert run.gap >= 0 and run.certified_ratio >= 1
