"""The optima of the nested models of parallelism, side by side."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import given, settings

from hadaropt import check_schedule
from hadaropt.generate import generate
from hadaropt.offline.nested import gains, solve_nested
from tests.instances_strategy import tiny_instances
from tests.offline.support import instance_of
from tests.oracle import Json, optimum


@settings(max_examples=15, deadline=None)
@given(tiny_instances(max_jobs=3, max_rounds=3))
def test_optima_are_the_oracles_and_never_fall(document: Json) -> None:
    found = solve_nested(instance_of(document))
    values = []
    for model, result in found.items():
        best, _ = optimum({**document, "parallelism": model})
        assert (result.value, result.status) == (best, "proved")
        values.append(best)
    assert list(found) == ["single_type", "mixed", "forked"]
    assert values == sorted(values)
    for gain in gains(found):
        before, after = found[gain.before].value, found[gain.after].value
        if before > 0:
            assert gain.least == gain.most == after / before
        else:
            assert (gain.least, gain.most) == (1, 1 if after == 0 else None)


def test_open_optima_give_intervals() -> None:
    instance = generate("small_uniform", seed=3)
    found = solve_nested(instance)
    for model, result in found.items():
        problem = instance.with_parallelism(model)
        assert result.schedule is not None
        assert check_schedule(problem, result.schedule).value == result.value
    exact = gains(found)[0]
    for model in found:
        opened = replace(found[model], bound=found[model].bound + 5, status="feasible")
        around = gains({**found, model: opened})[0]
        assert exact.most is not None and around.most is not None
        assert 1 <= around.least <= exact.least == exact.most <= around.most
    # A bound of a richer model holds for the poorer ones.
    loose = {**found, "single_type": replace(found["single_type"], bound=Fraction(10**9))}
    assert gains(loose)[0].least == max(1, found["mixed"].value / found["mixed"].bound)
