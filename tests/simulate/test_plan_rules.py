"""A plan that breaks a rule is stopped, and the round, the job and the rule are named."""

import re

import pytest

from hadaropt.errors import InvariantError
from hadaropt.simulate.plan_rules import check_plan, check_scheduler
from hadaropt.simulate.problem import RoundProblem
from tests.simulate.small import job, workload

JOBS = (
    job("a", 0, 1, 10),
    job("late", 500, 1, 10),
    job("gang", 0, 2, 10),
    job("fast only", 0, 1, 10, throughput={"fast": 1}),
    job("copies", 0, 1, 10, max_copies=2),
    job("single", 0, 2, 10, max_copies=1),
)
FAST, SLOW, OTHER_FAST = (0, 0, 1), (2, 1, 1), (1, 0, 1)


def check(plan, **options):
    problem = RoundProblem.of_workload(workload("fast=2x1,slow=1", *JOBS), **options)
    return check_plan("round 3", problem, plan, {0, 2, 3, 4, 5}, {})


@pytest.mark.parametrize(
    "plan",
    [
        {},
        {0: (FAST,)},
        {0: (FAST,), 3: (OTHER_FAST,), 4: (SLOW,)},
        {2: (FAST, SLOW)},
        {4: (FAST, OTHER_FAST)},
    ],
)
def test_a_plan_that_keeps_the_rules_is_returned(plan):
    assert check(plan) == plan


@pytest.mark.parametrize(
    ("plan", "rule"),
    [
        ({0: ()}, "gives job 'a' (), must be one whole gang of 1 GPUs"),
        ({0: ((0, 0, 2),)}, "gives job 'a' ((0, 0, 2),), must be one whole gang of 1 GPUs"),
        ({0: ((0, 0, 0), SLOW)}, "must have counts >= 1"),
        ({0: ((0, 0, -1), (1, 0, 1), SLOW)}, "must have counts >= 1"),
        ({0: ((3, 0, 1),)}, "must name nodes 0 .. 2 and types 0 .. 1"),
        ({0: ((0, 2, 1),)}, "must name nodes 0 .. 2 and types 0 .. 1"),
        ({0: ((-1, 0, 1),)}, "must name nodes 0 .. 2 and types 0 .. 1"),
        ({2: (OTHER_FAST, FAST)}, "must be in ascending order of (node, type), each once"),
        ({2: (FAST, FAST)}, "must be in ascending order of (node, type), each once"),
        ({1: (FAST,)}, "gives job 'late' ((0, 0, 1),), which is not in the queue"),
        ({9: (FAST,)}, "gives job 9 ((0, 0, 1),), which is not in the queue"),
        ({"a": (FAST,)}, 'gives job "a" ((0, 0, 1),), which is not in the queue'),
        ({3: (SLOW,)}, "gives job 'fast only' ((2, 1, 1),), must not hold type slow"),
        ({5: (FAST, OTHER_FAST, SLOW)}, "must be one whole gang of 2 GPUs"),
        (
            {4: (FAST, OTHER_FAST, SLOW)},
            "must be one whole gang of 1 GPUs, or one on each of up to 2 nodes",
        ),
        (
            {0: (FAST,), 4: (FAST, OTHER_FAST)},
            "uses 2 of 1 GPUs of type fast on node fast-0, by job 'a', job 'copies'",
        ),
    ],
)
def test_the_rule_that_is_broken_is_named(plan, rule):
    with pytest.raises(InvariantError, match=f"round 3: .*{re.escape(rule)}"):
        check(plan)


def test_types_mix_only_where_that_is_allowed():
    with pytest.raises(InvariantError, match="must not mix types"):
        check({2: (FAST, SLOW)}, mixing=False)
    assert check({2: (FAST, OTHER_FAST)}, mixing=False)
    assert check({4: (FAST, SLOW)}, mixing=False)  # each copy is of one type


@pytest.mark.parametrize("plan", [None, 3, [FAST], "plan"])
def test_what_is_no_plan_is_named(plan):
    with pytest.raises(TypeError, match=r"round 3: plan returned .*must be a mapping of job index"):
        check(plan)


@pytest.mark.parametrize("placement", [None, 1, [FAST], (0, 0, 1), ((0, 1),), ((0, 0, 1.0),)])
def test_what_is_no_placement_is_named(placement):
    with pytest.raises(TypeError, match=r"gives job 'a' .*, must be a tuple \(\(node, type, count"):
        check({0: placement})


def test_what_was_found_right_before_is_not_looked_at_again_but_counted():
    problem = RoundProblem.of_workload(workload("fast=1", *JOBS))
    odd = ((0, 0, 2),)
    with pytest.raises(InvariantError, match="uses 2 of 1 GPUs"):
        check_plan("", problem, {0: odd}, {0}, {0: {odd}})


def test_a_scheduler_has_a_name_and_a_plan():
    class Own:
        name = "own"

        def plan(self, view):
            return {}

    check_scheduler(Own())
    with pytest.raises(TypeError, match=r"Own is a class: give Own\(\)"):
        check_scheduler(Own)
    with pytest.raises(TypeError, match=r"scheduler = None, must be a name, or an object with"):
        check_scheduler(None)
