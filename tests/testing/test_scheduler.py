"""The assertion on schedulers accepts what is right, and names the rule that is broken."""

import sys
from itertools import count

import pytest
from hypothesis import given, settings

import hadaropt
from hadaropt import testing
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import BUILT_IN
from hadaropt.simulate.schedulers.gavel_reference.mechanism import Mechanism
from hadaropt.simulate.standstill import fastest_gang, without_standstill
from tests.simulate.small import job, workload


class InOrder:
    """One gang after the other, each where it does most; keeps every rule."""

    name = "in_order"

    def plan(self, view):
        problem = view.problem
        free = [list(row) for row in problem.cluster.capacity]
        plan = {}
        for q in self.order(view):
            place = fastest_gang(problem, q.index, free, mixing=problem.mixing)
            if place is not None:
                plan[q.index] = place
                for h, r, n in place:
                    free[h][r] -= n
        return without_standstill(view, plan)

    def order(self, view):
        return view.queue


def problem(**options):
    """Eight jobs that compete for three GPUs, the last of them arriving in round 4."""
    own = [job(f"job {i}", 0 if i < 6 else 350, 1 + i % 2, 150 + i) for i in range(8)]
    return RoundProblem.of_workload(workload("fast=1x2,slow=1", *own), round_seconds=100, **options)


def test_a_scheduler_that_keeps_every_rule_conforms():
    testing.assert_scheduler_conforms(InOrder, problem(restart_seconds=5))


@settings(deadline=None, max_examples=15)
@given(testing.round_problems())
def test_it_does_so_on_any_problem(odd):
    testing.assert_scheduler_conforms(InOrder, odd)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_scheduler_conforms(name):
    testing.assert_scheduler_conforms(name, problem(restart_seconds=5))


def test_workloads_and_instances_are_taken_as_well():
    own = workload("fast=1", job("a", 0, 1, 400), job("b", 100, 1, 400))
    testing.assert_scheduler_conforms("yarn", own)
    instance = own.to_instance(num_rounds=1)
    assert hadaropt.run_rounds(instance, "yarn").completion == (None, None)
    testing.assert_scheduler_conforms("yarn", instance)  # beyond the horizon both complete


class Twice(InOrder):
    def plan(self, view):
        return {q.index: ((0, 0, q.job.gang_size),) for q in view.queue}


class Half(InOrder):
    def plan(self, view):
        return {1: ((0, 0, 1),)}


class Stranger(InOrder):
    def plan(self, view):
        return {7: ((0, 0, 2),)}


class Backwards(InOrder):
    """Counts nodes from the end, so that the same GPUs seem to be others."""

    def plan(self, view):
        return {0: ((-1, 1, 1),)}


class Unsorted(InOrder):
    def plan(self, view):
        return {1: ((1, 1, 1), (0, 0, 1))}


class Nothing(InOrder):
    def plan(self, view):
        return None


class Counts(InOrder):
    def plan(self, view):
        return {0: [1, 0]}


class Raises(InOrder):
    def plan(self, view):
        return {0: self.absent}


class Gambles(InOrder):
    """Another order in every run."""

    runs = count()

    def __init__(self):
        self.run = next(self.runs)

    def order(self, view):
        return sorted(view.queue, key=lambda q: (q.index * (self.run + 3)) % 7)


class OrderOfASet(InOrder):
    """The order of a set of names, which is another in every process."""

    def order(self, view):
        by_name = {q.job.name: q for q in view.queue}
        return [by_name[name] for name in set(by_name)]


class PeeksAtTheFrame(InOrder):
    """Finds the whole problem in the frames of its callers, and waits for what comes."""

    def order(self, view):
        frame = sys._getframe()
        while "scheduler" not in frame.f_locals or "problem" not in frame.f_locals:
            frame = frame.f_back
        return view.queue if len(frame.f_locals["problem"].jobs) == len(view.problem.jobs) else ()


class Told(InOrder):
    """Was told the whole problem, behind the engine's back."""

    def __init__(self, whole):
        self.decide = lambda: len(whole.jobs)


class Leaves(InOrder):
    """Runs all but one job."""

    def order(self, view):
        return [q for q in view.queue if q.index != 2]

    def plan(self, view):
        plan = super().plan(view)
        plan.pop(2, None)
        return plan


class LeavesAndSaysSo(Leaves):
    may_starve = True


class Rewrites(InOrder):
    """Goes round what keeps a job as it is."""

    def plan(self, view):
        object.__setattr__(view.queue[0].job, "iterations", 1)
        return super().plan(view)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (
            Twice,
            r"round 0: uses 9 of 2 GPUs of type fast on node fast-0, by job 'job 0', job",
        ),
        (Half, r"round 0: gives job 'job 1' .*, must be one whole gang of 2 GPUs"),
        (Stranger, r"round 0: gives job 'job 7' .*, which is not in the queue"),
        (Backwards, r"round 0: gives job 'job 0' .*, must name nodes 0 \.\. 1 and types 0 \.\. 1"),
        (Unsorted, r"gives job 'job 1' .*, must be in ascending order of \(node, type\)"),
        (Nothing, r"round 0: plan returned None, must be a mapping of job index to placement"),
        (Counts, r"round 0: gives job 'job 0' \[1, 0\], must be a tuple"),
        (Raises, r"round 0: plan raises AttributeError: .* no attribute 'absent'"),
        (Gambles, r"is not deterministic: in round \d+ job '.*' holds .* in the other run"),
        (OrderOfASet, r"is not deterministic \(under another hash of names\): in round \d+ job"),
        (
            PeeksAtTheFrame,
            r"looks into the future \(without job 6, job 7, from round 4 on\): in round \d job",
        ),
        (
            lambda: Told(WHOLE),
            r"round 0: job 'job [67]', which arrives in round 4, can be reached from the scheduler",
        ),
        (Leaves, r"round \d+: job 'job 2' could run alone .* does not complete .*may_starve"),
        (Rewrites, "changes the jobs or the cluster that it is shown"),
    ],
)
def test_the_rule_that_is_broken_is_named(broken, message):
    with pytest.raises(AssertionError, match="scheduler in_order.*" + message):
        testing.assert_scheduler_conforms(broken, WHOLE if broken is not Rewrites else problem())


WHOLE = problem()


def test_a_scheduler_that_says_that_jobs_may_starve_need_not_complete_them():
    testing.assert_scheduler_conforms(LeavesAndSaysSo, WHOLE)
    assert Mechanism.may_starve


class Nameless:
    def plan(self, view):
        return {}


class Planless:
    name = "planless"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (InOrder(), r"give what makes a new scheduler, such as InOrder, not InOrder\(\)"),
        (None, r"make = None, must be a name of a scheduler, or make a new one"),
        (Nameless, r'Nameless.name must be a str, such as name = "mine"'),
        (Planless, r"Planless.plan\(view\) must be defined"),
        (lambda: InOrder, r"InOrder is a class: give InOrder\(\)"),
    ],
)
def test_what_is_no_scheduler_is_named(make, message):
    with pytest.raises(TypeError, match=message):
        testing.assert_scheduler_conforms(make, WHOLE)


def test_an_unknown_name_names_the_nearest():
    with pytest.raises(AssertionError, match='did you mean "tiresias"') as refused:
        testing.assert_scheduler_conforms("tiresia", WHOLE)
    assert isinstance(refused.value.__cause__, hadaropt.InstanceError)


def test_a_scheduler_that_cannot_be_made_does_not_conform():
    def without_rounds():
        return InOrder(1 // 0)

    with pytest.raises(AssertionError, match="scheduler without_rounds, making it raises ZeroDiv"):
        testing.assert_scheduler_conforms(without_rounds, WHOLE)


@pytest.mark.parametrize("problem", [None, "instance.json"])
def test_a_problem_that_is_none_is_told_what_is_expected(problem):
    with pytest.raises(TypeError, match=r"problem = .*must be a RoundProblem, a Workload or an"):
        testing.assert_scheduler_conforms("hadar", problem)
