"""Branch-and-price against the brute-force oracle, every answer with its certificate."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from hadaropt.certificates import certify, verify
from hadaropt.instance import Instance
from hadaropt.offline.branch_and_price import branch_and_price
from hadaropt.schedule import check_schedule
from tests.instances_strategy import PARALLELISMS, contended_instances, tiny_instances
from tests.offline.support import instance_of
from tests.oracle import Json, optimum


def solved(document: Json) -> tuple[Instance, object]:
    instance = instance_of(document)
    result = branch_and_price(instance)
    assert result.schedule is not None
    assert check_schedule(instance, result.schedule).value == result.objective
    certificate = certify(instance, result)
    assert certificate.level == "L2"
    checked = verify(instance, certificate)
    assert checked.value == result.objective
    assert checked.bound == result.bound
    return instance, result


@pytest.mark.parametrize("parallelism", PARALLELISMS)
@settings(max_examples=60, deadline=None)
@given(data=tiny_instances(max_jobs=3, max_rounds=4))
def test_optimum_of_tiny_instances(parallelism: str, data: Json) -> None:
    data["parallelism"] = parallelism
    best, _ = optimum(data)
    _, result = solved(data)
    assert result.objective == best
    assert result.grade == "proved"


@pytest.mark.parametrize("parallelism", PARALLELISMS)
@settings(max_examples=40, deadline=None)
@given(data=contended_instances(max_rounds=3))
def test_optimum_of_contended_instances(parallelism: str, data: Json) -> None:
    data["parallelism"] = parallelism
    best, _ = optimum(data)
    _, result = solved(data)
    assert result.objective == best
    assert result.grade == "proved"
