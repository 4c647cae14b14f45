"""The library's optimum is the oracle's, in all three parallelism models."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings

from hadaropt import check_schedule, solve_dual, solve_ilp, solve_lp
from tests.instances_strategy import contended_instances, tiny_instances
from tests.offline.support import instance_of
from tests.oracle import Json, optimum

many = settings(deadline=None, max_examples=60)


def check(document: Json, form: str) -> None:
    instance = instance_of(document)
    expected, _ = optimum(document)
    result = solve_ilp(instance, form=form)
    assert result.schedule is not None
    assert result.value == expected
    assert isinstance(result.value, Fraction)
    assert check_schedule(instance, result.schedule).value == expected
    assert result.status in ("proved", "solver_optimal")
    assert result.termination == "optimal"
    assert result.bound >= expected
    if result.status == "proved":
        assert result.bound == expected
    for bound in (solve_lp(instance, form=form), solve_dual(instance, form=form)):
        assert bound.bound >= expected
        assert bound.relaxation_value >= float(expected) - 1e-6 * (1 + float(expected))


@many
@given(tiny_instances("single_type"))
def test_single_type(document: Json) -> None:
    check(document, "auto")


@many
@given(tiny_instances("mixed"))
def test_mixed(document: Json) -> None:
    check(document, "auto")


@many
@given(tiny_instances("forked"))
def test_forked(document: Json) -> None:
    check(document, "auto")


@many
@given(contended_instances())
def test_contended(document: Json) -> None:
    check(document, "auto")
