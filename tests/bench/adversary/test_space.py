"""Plays as instances, and the class that policies are told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hadaropt.bench.adversary.bounds import lower_bound
from hadaropt.bench.adversary.judge import Judge
from hadaropt.bench.adversary.space import belongs, told, truth
from hadaropt.policies import make_policy
from tests.bench.adversary.plays import FIFO, LIMITS, TRAP


def test_prices_are_told_the_class_and_the_theorem_holds():
    instance = TRAP.instance("mixed")
    policy = told(instance, make_policy("primal_dual:zero_start"), gang=2, spread=20)
    known = policy.foreknowledge
    assert known.least_density == 1
    assert set(known.value_per_unit.values()) == {20}
    assert set(known.bundle.values()) == {2}
    assert Judge(policy, LIMITS).run(instance).theorem.id == "T7"
    assert told(instance, FIFO, gang=2, spread=20) is FIFO
    assert belongs(instance, LIMITS) and truth(instance).spread == 20


def test_limits_are_checked():
    for wrong in ({"spread": 1}, {"jobs": 0}, {"types": 3}, {"gang": 0}):
        with pytest.raises(ValueError, match="must be"):
            replace(LIMITS, **wrong)
    with pytest.raises(ValueError, match="gang = 3"):
        lower_bound(2, 3, 10)
