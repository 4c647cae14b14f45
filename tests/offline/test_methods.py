"""One door to all methods: their names, their options, their answers."""

from __future__ import annotations

import inspect

import pytest

import hadaropt
from hadaropt.offline.heuristics.params import DivingParams
from hadaropt.offline.lagrangian.params import LagrangianParams
from hadaropt.offline.methods import METHODS
from hadaropt.offline.monitor import Progress
from hadaropt.offline.params import SolveParams
from hadaropt.offline.tree.params import TreeParams
from tests.cli.conftest import SMALL_OPTIMUM, make_instance, optimal_schedule


@pytest.mark.parametrize("method", METHODS)
def test_every_method_answers_through_the_one_door(method: str) -> None:
    found = hadaropt.solve(make_instance(), method)
    assert found.method == method
    assert (found.schedule is not None) == METHODS[method].schedules
    assert found.value in (None, SMALL_OPTIMUM)
    assert found.bound >= SMALL_OPTIMUM
    assert found.timings.compile is not None and found.timings.compile >= 0
    assert hadaropt.solve(make_instance(), method.replace("_", "-")).method == method


@pytest.mark.parametrize("method", METHODS)
def test_the_options_of_a_method_are_parameters_of_its_function(method: str) -> None:
    taken = inspect.signature(METHODS[method].load()).parameters
    known = inspect.signature(hadaropt.solve).parameters
    assert set(METHODS[method].options) <= set(taken) & set(known)


def test_every_option_of_the_door_is_taken_by_a_method() -> None:
    options = set(inspect.signature(hadaropt.solve).parameters) - {"instance", "method"}
    assert options == {option for method in METHODS.values() for option in method.options}


def test_an_unknown_method_names_the_nearest() -> None:
    with pytest.raises(ValueError, match=r'method = "branch-and-prize", .*"branch_and_price"\?'):
        hadaropt.solve(make_instance(), "branch-and-prize")
    with pytest.raises(TypeError, match="method = 3, must be of type str"):
        hadaropt.solve(make_instance(), 3)


@pytest.mark.parametrize(
    ("method", "option", "value"),
    [
        ("lp", "target_gap", 0.1),
        ("dual", "work_limit", 5),
        ("lagrangian", "start", optimal_schedule()),
        ("branch_and_price", "seed", 0),
        ("ilp", "display", True),
        ("configuration_lp", "threads", 2),
    ],
)
def test_an_option_that_a_method_does_not_take_is_refused(
    method: str, option: str, value: object
) -> None:
    with pytest.raises(ValueError, match=f"method {method} takes no option {option}"):
        hadaropt.solve(make_instance(), method, **{option: value})


@pytest.mark.parametrize("old", ["branch_and_price", "lagrangian_bound", "solve_configuration_lp"])
def test_a_function_that_left_the_top_level_says_where_it_is(old: str) -> None:
    with pytest.raises(AttributeError, match=f"'{old}': it is now solve\\(instance, method="):
        getattr(hadaropt, old)
    with pytest.raises(ImportError, match="it is now solve"):
        exec(f"from hadaropt import {old}")


def test_parameters_belong_to_their_method() -> None:
    instance = make_instance()
    best = hadaropt.solve(instance).value
    own = (
        ("auto", SolveParams(tiny_jobs=0, chains_per_job=1)),
        ("branch_and_price", TreeParams(root_cut_rounds=0)),
        ("lagrangian", LagrangianParams(finest=())),
    )
    for method, params in own:
        found = hadaropt.solve(instance, method, params=params)
        assert found.bound >= best and found.value in (best, None)
        with pytest.raises(TypeError, match=f"must be of type {type(params).__name__}"):
            hadaropt.solve(instance, method, params=DivingParams())
    with pytest.raises(ValueError, match="method ilp takes no option params"):
        hadaropt.solve(instance, "ilp", params=SolveParams())


def test_every_method_with_a_callback_calls_it_with_a_progress() -> None:
    for method in ("auto", "branch_and_price"):
        seen: list[object] = []
        hadaropt.solve(make_instance(), method, callback=seen.append)
        assert seen and all(isinstance(progress, Progress) for progress in seen)
