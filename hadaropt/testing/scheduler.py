"""What every round scheduler owes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from hadaropt.errors import HadaroptError, shown
from hadaropt.instance import Instance
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.plan_rules import check_scheduler
from hadaropt.simulate.problem import Placement, RoundProblem
from hadaropt.simulate.registry import make_scheduler
from hadaropt.simulate.result import SimulatedRun
from hadaropt.simulate.view import RoundView, Scheduler
from hadaropt.testing.conforming import conforming
from hadaropt.testing.reach import reachable
from hadaropt.workload import Workload

Plans = list[tuple[int, dict[str, Placement]]]
"""What was planned: (round, placement by name of the job), in order of rounds."""

HASH_SALTS = ("other hash", "yet another hash")
"""Each makes the names of jobs hash differently, so that sets of them come in another order."""


def assert_scheduler_conforms(
    make: Callable[[], Scheduler] | str, problem: RoundProblem | Workload | Instance
) -> None:
    """Assert what every round scheduler owes, on one problem.

    Each error names the scheduler, the round, the job where there is one, and the rule:

    - capacity, whole gangs, types that can run the job, no job but those of the queue;
    - what is shown stays as it is: the scheduler changes no job and no cluster;
    - determinism: a second run plans the same, and so do runs in which the names of the jobs hash
      differently, as they do in another process;
    - no future: no job that arrives later can be reached from the view or from the scheduler, and
      the plans of the rounds before it arrives are the same without it;
    - every job that could run alone on the cluster completes, or ``may_starve`` is true.

    Parameters
    ----------
    make : callable or str
        Makes a new scheduler, such as its class; or the name of one (see `make_scheduler`).
    problem : RoundProblem, Workload or Instance
        A workload is run in rounds of 360 seconds without restart cost
        (`RoundProblem.of_workload` has options), an instance beyond its horizon.

    Raises
    ------
    AssertionError
        If a rule is broken, making the scheduler raises, or there is none of that name.
    TypeError
        If ``make`` makes no scheduler, or ``problem`` is none.
    """
    whole = _as_problem(problem)
    before = hash((whole.cluster, tuple(whole.jobs)))
    scheduler = _new(make)
    run, plans = _run(scheduler, whole, later=_later(whole, problem))
    who = f"scheduler {scheduler.name}"
    if hash((whole.cluster, tuple(whole.jobs))) != before:
        raise AssertionError(f"{who} changes the jobs or the cluster that it is shown")
    _assert_same(f"{who} is not deterministic", plans, _run(_new(make), whole)[1])
    for salt in HASH_SALTS:
        named = (replace(job, name=_Name(job.name, salt)) for job in whole.jobs)
        again = _run(_new(make), replace(whole, jobs=tuple(named)))[1]
        _assert_same(f"{who} is not deterministic (under another hash of names)", plans, again)
    for t in sorted({job.release for job in whole.jobs})[1:]:
        past = replace(whole, jobs=tuple(job for job in whole.jobs if job.release < t))
        part = [(s, plan) for s, plan in _run(_new(make), past)[1] if s < t]
        hidden = ", ".join(job.name for job in whole.jobs if job.release >= t)
        rule = f"{who} looks into the future (without {hidden}, from round {t} on)"
        _assert_same(rule, [(s, plan) for s, plan in plans if s < t], part)
    if not getattr(scheduler, "may_starve", False):
        _assert_all_complete(who, run, plans)


def _as_problem(problem: RoundProblem | Workload | Instance) -> RoundProblem:
    if isinstance(problem, Instance):
        problem = RoundProblem.of_instance(problem)
    elif isinstance(problem, Workload):
        problem = RoundProblem.of_workload(problem)
    elif not isinstance(problem, RoundProblem):
        rule = "must be a RoundProblem, a Workload or an Instance"
        raise TypeError(f"problem = {shown(problem)}, {rule}")
    return replace(problem, horizon=None)


def _new(make: Callable[[], Scheduler] | str) -> Scheduler:
    if isinstance(make, str):
        with conforming("scheduler"):
            return make_scheduler(make)
    if not callable(make):
        kind = type(make).__name__
        if not hasattr(make, "plan"):
            rule = "must be a name of a scheduler, or make a new one, such as its class"
            raise TypeError(f"make = {shown(make)}, {rule}")
        raise TypeError(
            f"give what makes a new scheduler, such as {kind}, not {kind}(): it may remember "
            "rounds, and several are run"
        )
    with conforming(f"scheduler {getattr(make, '__name__', 'of your own')}", "making it"):
        return make()


class _Name(str):
    """A name, equal to the same text, that hashes differently."""

    __slots__ = ("_salt",)
    _salt: str

    def __new__(cls, text: str, salt: str) -> _Name:
        made = super().__new__(cls, text)
        made._salt = salt
        return made

    def __hash__(self) -> int:
        return hash((self._salt, str.__hash__(self)))

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) is True


Later = dict[int, tuple[int, str]]
"""The round in which a job arrives and its name, by the identity of the object that holds it."""


def _later(whole: RoundProblem, given: RoundProblem | Workload | Instance) -> Later:
    own: Later = {id(job): (job.release, job.name) for job in whole.jobs}
    release = {job.name: job.release for job in whole.jobs}
    return own | {id(job): (release[job.name], job.name) for job in given.jobs}


class _Recorder:
    """Runs a scheduler, keeps its plans, and looks at what it can reach."""

    def __init__(self, inner: Scheduler, later: Later) -> None:
        self._inner, self._later, self.name = inner, later, inner.name
        self._last = max((t for t, _ in later.values()), default=0)
        self.plans: Plans = []

    def plan(self, view: RoundView) -> Mapping[int, Placement]:
        if view.round < self._last:
            self._assert_nothing_later(view)
        try:
            plan = self._inner.plan(view)
        except Exception as bad:
            raise AssertionError(
                f"scheduler {self.name}, round {view.round}: plan raises "
                f"{type(bad).__name__}: {bad}"
            ) from bad
        if isinstance(plan, Mapping):
            names = {q.index: str(q.job.name) for q in view.queue}
            self.plans.append((view.round, {names[j]: p for j, p in plan.items() if j in names}))
        return plan

    def _assert_nothing_later(self, view: RoundView) -> None:
        for name, roots in (("view", view), ("scheduler", self._inner)):
            for found in reachable([roots]):
                release, job = self._later.get(id(found), (0, ""))
                if release > view.round:
                    raise AssertionError(
                        f"scheduler {self.name}, round {view.round}: job {job!r}, which arrives "
                        f"in round {release}, can be reached from the {name}; must not be"
                    )


def _run(
    scheduler: Scheduler, problem: RoundProblem, later: Later | None = None
) -> tuple[SimulatedRun, Plans]:
    check_scheduler(scheduler)
    recorder = _Recorder(scheduler, later or {})
    try:
        return simulate_rounds(problem, recorder), recorder.plans
    except (HadaroptError, TypeError) as bad:
        raise AssertionError(str(bad)) from bad


def _assert_same(rule: str, plans: Plans, others: Plans) -> None:
    """Assert that two runs planned the same; the first round and job that differ are named."""
    mine, yours = dict(plans), dict(others)
    for t in sorted(mine.keys() | yours.keys()):
        one, other = mine.get(t, {}), yours.get(t, {})
        for name in sorted(one.keys() | other.keys()):
            if one.get(name) != other.get(name):
                raise AssertionError(
                    f"{rule}: in round {t} job {name!r} holds {one.get(name, ())}, "
                    f"and {other.get(name, ())} in the other run"
                )


def _assert_all_complete(who: str, run: SimulatedRun, plans: Plans) -> None:
    for j, job in enumerate(run.problem.jobs):
        if j not in run.finish and run.problem.unschedulable(j) is None:
            raise AssertionError(
                f"{who}, round {plans[-1][0]}: job {job.name!r} could run alone on the cluster and "
                f"does not complete ({run.unschedulable[j]}); declare may_starve = True, or see "
                "hadaropt.simulate.standstill.without_standstill"
            )
