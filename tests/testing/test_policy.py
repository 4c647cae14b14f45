"""The assertion on policies accepts what is right and rejects what is wrong."""

import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

import hadaropt
from hadaropt import testing
from hadaropt.errors import ScheduleError
from hadaropt.policies import (
    POLICY_NAMES,
    ArrivalPolicy,
    make_policy,
)
from hadaropt.schedule import Allocation
from hadaropt.utility import Step
from tests.testing.small import one_job


@pytest.mark.parametrize("name", POLICY_NAMES)
def test_every_policy_conforms(name):
    @given(testing.instances(max_jobs=3, max_rounds=4))
    @settings(deadline=None, max_examples=5 if name == "rolling_horizon" else 12)
    def conforms(instance):
        policy = make_policy(name)
        if name == "rolling_horizon":  # reproducible only where no limit of time is reached
            policy = replace(policy, time_limit=None)
        testing.assert_policy_conforms(policy, instance)

    conforms()


class Base(ArrivalPolicy):
    @property
    def name(self):
        return "mine"


class FirstFit(Base):
    def arrive(self, past, j, free):
        for t in range(past.jobs[j].release, past.num_rounds):
            if free[t, 0, 0] > 0:
                return [Allocation(t, ((0, 0, 1),))]
        return None


class Oversell(Base):
    def arrive(self, past, j, free):
        return [Allocation(1, ((0, 0, 1),))]


class Gamble(Base):
    draws = np.random.default_rng(1)

    def arrive(self, past, j, free):
        return FirstFit.arrive(self, past, j, free) if self.draws.random() < 0.5 else None


def test_a_policy_of_your_own_conforms():
    testing.assert_policy_conforms(FirstFit(), one_job())
    assert hadaropt.run_online(one_job(), FirstFit()).value == 10


def test_a_policy_that_oversells_is_refused():
    with pytest.raises(AssertionError, match="must not take GPUs that are not free"):
        testing.assert_policy_conforms(Oversell(), one_job())


def test_a_policy_that_gambles_is_refused():
    with pytest.raises(AssertionError, match=r"not deterministic|looks into the future"):
        for _ in range(20):
            testing.assert_policy_conforms(Gamble(), one_job())


class Peek(Base):
    """Knows the whole instance, which it must not."""

    def __init__(self, whole):
        object.__setattr__(self, "whole", whole)
        object.__setattr__(self, "seen", [])

    def arrive(self, past, j, free):
        self.seen.append(len(past.jobs))
        return FirstFit.arrive(self, past, j, free)


def test_a_policy_never_sees_later_jobs():
    policy = Peek(None)
    hadaropt.run_online(one_job(), policy)
    assert policy.seen == [1, 2]


class PeekAtTies(Base):
    """Looks up, in the frame of its caller, how many jobs the whole instance has."""

    def arrive(self, past, j, free):
        whole = sys._getframe(1).f_locals["instance"]
        return FirstFit.arrive(self, past, j, free) if len(whole.jobs) == len(past.jobs) else None


def test_a_policy_that_peeks_at_later_jobs_of_the_same_round_is_refused():
    ties = one_job()
    ties = replace(ties, jobs=[replace(job, release=0) for job in ties.jobs])
    with pytest.raises(AssertionError, match=r"looks into the future: job .* arrive after it"):
        testing.assert_policy_conforms(PeekAtTies(), ties)


class Rewrite(Base):
    def arrive(self, past, j, free):
        past.jobs[j].throughput["V100"] = 1000
        return None


def test_a_policy_cannot_write_into_the_instance():
    with pytest.raises(TypeError, match="cannot be changed"):
        hadaropt.run_online(one_job(), Rewrite())


class Corrupt(Base):
    """Goes round everything that keeps an instance as it is."""

    def arrive(self, past, j, free):
        dict.__setitem__(past.jobs[j].throughput, "V100", Fraction(1000))
        return None


def test_a_policy_that_changes_the_instance_all_the_same_is_refused():
    with pytest.raises(AssertionError, match="changes the instance"):
        testing.assert_policy_conforms(Corrupt(), one_job(), optimum=Fraction(10))


class GoesOn(Base):
    def arrive(self, past, j, free):
        return [Allocation(t, ((0, 0, 1),)) for t in range(past.num_rounds)]


def test_rounds_after_completion_are_refused():
    with pytest.raises(ScheduleError, match="must not run after its completion"):
        hadaropt.run_online(one_job(), GoesOn())


def test_a_policy_that_admits_jobs_in_vain_is_refused_and_its_run_says_so():
    cluster = hadaropt.Cluster.of({"n": {"V100": 1}})
    jobs = [hadaropt.Job(f"{need}", 0, 1, need, {"V100": 1}, Step(1, 4)) for need in (1, 2)]
    instance = hadaropt.Instance(cluster, jobs, 4, 1)
    run = hadaropt.run_online(instance, FirstFit())
    assert run.completion == (0, None)
    assert ("jobs", "1 of 2 complete; 1 holds GPUs in vain") in run.lines()
    with pytest.raises(AssertionError, match="admits job 2 with too little progress to complete"):
        testing.assert_policy_conforms(FirstFit(), instance)


def test_foreknowledge_that_changes_decisions_is_the_future():
    """Without the later, more valuable job the prices would be others; fixed, they are not."""
    cluster = hadaropt.Cluster.of({"n": {"V100": 1}})
    jobs = [
        hadaropt.Job("small", 0, 1, 1, {"V100": 1}, Step(1, 3)),
        hadaropt.Job("large", 1, 1, 1, {"V100": 1}, Step(100, 3)),
    ]
    instance = hadaropt.Instance(cluster, jobs, 3, 1)
    testing.assert_policy_conforms(hadaropt.policies.PrimalDual(), instance)


class Hundred(Base):
    def arrive(self, past, j, free):
        return [Allocation(past.jobs[j].release, ((0, 0, 100),))]


def test_a_decision_against_the_rules_is_that_of_the_policy():
    with pytest.raises(ScheduleError, match=r"^policy [^:]+: job .*must hold .*not 100$") as bad:
        hadaropt.run_online(one_job(), Hundred())
    assert bad.value.path.startswith(f"policy {Hundred().name}: job")
    assert bad.value.job == one_job().jobs[0].name


class Nameless(ArrivalPolicy):
    def arrive(self, past, j, free):
        return None


class Tuples(Base):
    def arrive(self, past, j, free):
        return [(1, ((0, 0, 1),))]


class Bare(Base):
    def arrive(self, past, j, free):
        return Allocation(1, ((0, 0, 1),))


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Nameless(), r'Nameless.name must be a str, such as name = "mine"'),
        (Base(), r"Base.arrive\(past, j, free\) must be defined"),
        (Tuples(), r"arrive returned \[\(1, .* sequence of hadaropt.Allocation"),
        (Bare(), r"arrive returned Allocation.* sequence of hadaropt.Allocation"),
    ],
)
def test_a_policy_that_is_none_is_told_what_is_expected(policy, message):
    with pytest.raises(TypeError, match=message):
        hadaropt.run_online(one_job(), policy)


def test_a_policy_may_be_given_by_name_with_parameters():
    testing.assert_policy_conforms("fifo", one_job())
    testing.assert_policy_conforms("random[seed=3]", one_job(), optimum=Fraction(10))


@pytest.mark.parametrize("name", ["fif", "fifo[sed=1]"])
def test_a_name_of_no_policy_is_said(name):
    with pytest.raises(AssertionError, match=r"policy .*must be .*") as refused:
        testing.assert_policy_conforms(name, one_job())
    assert isinstance(refused.value.__cause__, hadaropt.InstanceError)


@pytest.mark.parametrize("policy", [None, 3])
def test_what_is_no_policy_is_told_what_is(policy):
    with pytest.raises(TypeError, match=r"policy = .*must be a name of a policy, or an object"):
        testing.assert_policy_conforms(policy, one_job())


@pytest.mark.parametrize(
    "run", [testing.assert_policy_conforms, lambda own, given: hadaropt.run_online(given, own)]
)
def test_a_class_in_place_of_a_policy_is_said(run):
    with pytest.raises(TypeError, match=r"^FirstFit is a class: give FirstFit\(\)$"):
        run(FirstFit, one_job())


def test_what_is_no_instance_is_said():
    with pytest.raises(TypeError, match="instance = None, must be of type Instance"):
        testing.assert_policy_conforms("fifo", None)


class Divides(Base):
    def arrive(self, past, j, free):
        return past.jobs[j].release // 0


class DividesLater(Base):
    """Goes wrong only where no job comes after the first one: it has seen the future before."""

    def arrive(self, past, j, free):
        whole = sys._getframe(1).f_locals["instance"]
        return None if len(whole.jobs) > 1 else 1 // 0


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Divides(), "policy mine raises ZeroDivisionError"),
        (DividesLater(), "policy mine, with 1 of 2 jobs raises ZeroDivisionError"),
        (Nameless(), "policy Nameless raises TypeError: Nameless.name must be a str"),
        (Tuples(), "policy mine: arrive returned"),
    ],
)
def test_a_policy_that_raises_does_not_conform(policy, message):
    with pytest.raises(AssertionError, match=message) as refused:
        testing.assert_policy_conforms(policy, one_job())
    assert refused.value.__cause__ is not None
