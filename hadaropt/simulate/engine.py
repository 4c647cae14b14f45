"""The round engine: exact, deterministic, the same for every scheduler."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from hadaropt.errors import limited
from hadaropt.exact import nearest_float
from hadaropt.simulate.copies import copies_of, steps_to_the_end, steps_within
from hadaropt.simulate.plan_rules import check_plan, check_scheduler
from hadaropt.simulate.problem import Placement, RoundJob, RoundProblem
from hadaropt.simulate.result import Event, RoundUse, SimulatedRun
from hadaropt.simulate.view import QueuedJob, RoundView, Scheduler

STALLED_ROUNDS = 1000
"""Rounds in a row without one iteration after which waiting any longer is given up."""


def simulate_rounds(
    problem: RoundProblem,
    scheduler: Scheduler,
    on_round: Callable[[int], None] | None = None,
) -> SimulatedRun:
    """Run a scheduler until every job is complete, can never run, or the horizon is reached.

    The clock counts rounds, so it is an integer; progress is an integer number of iterations per
    round, floor(speed * (tau - restart)); a job completes at the exact instant inside its last
    round and holds its GPUs no longer. The copies of a forked job each train for the consolidation
    time less, also in the completing round, and stop when their steps together are enough. A job
    that arrives inside a round is seen at the start of the next one. When no job is there the clock
    goes on at the next arrival. After `STALLED_ROUNDS` without an iteration it does so too, and
    after the last arrival the run ends.

    Parameters
    ----------
    problem : RoundProblem
    scheduler : Scheduler
        A new one.
    on_round : callable, optional
        Told after each round how many jobs are complete or can never run.

    Raises
    ------
    InvariantError
        If the scheduler breaks a rule: capacity, whole gangs, types that can run the job.
    TypeError
        If it is no scheduler, or what it plans is no plan.
    """
    return _Run(problem, scheduler).run(on_round)


@dataclass(frozen=True, slots=True)
class _Pace:
    """What a job does in a whole round on one placement.

    Attributes
    ----------
    speeds, steps : tuple
        Of each copy: iterations per second, and in a round without restart.
    lost : Fraction
        Seconds of consolidation, 0 for one gang.
    gpus : int
    """

    speeds: tuple[Fraction, ...]
    lost: Fraction
    steps: tuple[int, ...]
    gpus: int


class _Run:
    def __init__(self, problem: RoundProblem, scheduler: Scheduler) -> None:
        check_scheduler(scheduler)
        self.problem, self.scheduler = problem, scheduler
        self.queue: list[QueuedJob] = []
        self.arrived: dict[int, RoundJob] = {}
        self.seen = problem.seen(self.arrived)
        order = sorted(range(len(problem.jobs)), key=lambda j: (problem.jobs[j].arrival, j))
        self.coming = order[::-1]
        self.finish: dict[int, Fraction] = {}
        self.start: dict[int, Fraction] = {}
        self.unschedulable: dict[int, str] = {}
        self.uses: list[RoundUse] = []
        self.events: list[Event] = []
        self.paces: dict[int, dict[Placement, _Pace]] = defaultdict(dict)
        self.last: list[RoundUse] = []
        self.t = 0

    def run(self, on_round: Callable[[int], None] | None) -> SimulatedRun:
        problem, stalled = self.problem, 0
        while self.queue or self.coming:
            self._admit()
            if not self.queue:
                if not self.coming:
                    break
                self.t = problem.jobs[self.coming[-1]].release
                continue
            if problem.horizon is not None and self.t >= problem.horizon:
                break
            view = RoundView(self.t, self.seen, tuple(self.queue), tuple(self.last))
            with limited(f"the scheduler {self.scheduler.name}"):
                plan = self._checked(self.scheduler.plan(view))
            gained = self._execute(plan)
            stalled = 0 if gained else stalled + 1
            self.t += 1
            if on_round is not None:
                on_round(len(self.finish) + len(self.unschedulable))
            if stalled > STALLED_ROUNDS and not (plan and self.coming):
                if not self.coming:
                    self._give_up("made no progress under" if plan else "was never placed by")
                    break
                self.t = max(self.t, problem.jobs[self.coming[-1]].release)
        return SimulatedRun(
            self.scheduler.name,
            problem,
            dict(sorted(self.finish.items())),
            dict(sorted(self.start.items())),
            dict(sorted(self.unschedulable.items())),
            tuple(self.uses),
            # The nearest floats are in order too, and compare faster.
            tuple(sorted(self.events, key=lambda e: (nearest_float(e.instant), e.instant))),
        )

    def _checked(self, plan: object) -> dict[int, Placement]:
        who = f"scheduler {self.scheduler.name}, round {self.t}"
        return check_plan(who, self.problem, plan, {q.index for q in self.queue}, self.paces)

    def _admit(self) -> None:
        while self.coming and self.problem.jobs[self.coming[-1]].release <= self.t:
            j = self.coming.pop()
            job = self.problem.jobs[j]
            self.arrived[j] = job
            self._log(job.arrival, "arrive", j)
            reason = self.problem.unschedulable(j)
            if reason is not None:
                self._refuse(j, reason)
            else:
                self.queue.append(QueuedJob(j, job, job.iterations, job.arrival))

    def _refuse(self, j: int, reason: str) -> None:
        self.unschedulable[j] = reason
        instant = max(self.problem.jobs[j].arrival, self.t * self.problem.round_seconds)
        self._log(instant, "unschedulable", j)

    def _give_up(self, why: str) -> None:
        for q in self.queue:
            self._refuse(q.index, f"it {why} {self.scheduler.name}")

    def _log(self, instant: Fraction, kind: str, j: int, placement: Placement = ()) -> None:
        self.events.append(Event(instant, kind, j, placement))

    def _execute(self, plan: Mapping[int, Placement]) -> int:
        """Carry out one round; return the iterations done by all jobs together."""
        tau, zero = self.problem.round_seconds, Fraction(0)
        begin, end = self.t * tau, (self.t + 1) * tau
        gained, left = 0, []
        self.last = []
        for q in self.queue:
            placement = plan.get(q.index)
            if placement is None:
                if q.held is not None:
                    self._log(begin, "pause", q.index)
                left.append(q if q.held is None else replace(q, held=None))
                continue
            changed = placement != q.held
            lost = self.problem.restart_seconds if changed else zero
            if changed:
                kind = "start" if q.index not in self.start else "resume"
                self._log(begin, kind if q.held is None else "move", q.index, placement)
                self.start.setdefault(q.index, begin)
            pace = self._pace(q, placement)
            done, seconds = self._work(q, pace, lost)
            steps = sum(done)
            gained += steps
            self.last.append(RoundUse(self.t, q.index, placement, steps, seconds, changed, done))
            if steps < q.remaining:
                left.append(
                    QueuedJob(
                        q.index,
                        q.job,
                        q.remaining - steps,
                        end,
                        placement,
                        q.rounds + 1,
                        q.gpu_rounds + pace.gpus,
                    )
                )
                continue
            self.finish[q.index] = begin + seconds
            del self.paces[q.index]
            self._log(begin + seconds, "finish", q.index)
        self.queue = left
        self.uses += self.last
        return gained

    def _pace(self, q: QueuedJob, placement: Placement) -> _Pace:
        own = self.paces[q.index]
        if placement not in own:
            problem = self.problem
            gangs = copies_of(placement, q.job.gang_size)
            speeds = tuple(problem.speed(q.index, gang) for gang in gangs)
            lost = problem.consolidation_seconds if len(gangs) > 1 else Fraction(0)
            gpus = sum(count for _, _, count in placement)
            own[placement] = _Pace(
                speeds,
                lost,
                steps_within(speeds, max(Fraction(0), problem.round_seconds - lost)),
                gpus,
            )
        return own[placement]

    def _work(self, q: QueuedJob, pace: _Pace, lost: Fraction) -> tuple[tuple[int, ...], Fraction]:
        """Return the steps of each copy in one round, and for how long the job holds its GPUs."""
        tau, done = self.problem.round_seconds, pace.steps
        if lost:
            done = steps_within(pace.speeds, max(Fraction(0), tau - lost - pace.lost))
        if sum(done) < q.remaining:
            return done, tau
        done, needed = steps_to_the_end(pace.speeds, q.remaining)
        return done, lost + pace.lost + needed
