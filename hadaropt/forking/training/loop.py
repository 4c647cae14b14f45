"""The round loop: plan, fork, gather what the copies report, consolidate, checkpoint."""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hadaropt.errors import TrackerError, TrainingStoppedError, shown
from hadaropt.forking.tracking.averaging import consolidate, step_average
from hadaropt.forking.tracking.tickets import Ticket, Verdict
from hadaropt.forking.tracking.tracker import Tracker
from hadaropt.forking.training.checkpoint import FILE, Checkpoint, save_checkpoint
from hadaropt.forking.training.copies import Order, Report
from hadaropt.forking.training.engines.engine import Engine, Lost, Outcome
from hadaropt.forking.training.events import CopyRecord, CurvePoint, Event, Observer
from hadaropt.forking.training.options import Options, TrainingJob
from hadaropt.forking.training.proportional import JobView, Plan, proportional
from hadaropt.forking.training.views import Resources, check_jobs, check_plan, view

FRUITLESS_ROUNDS = 3
"""A job all of whose copies fail by themselves in so many rounds running stops the training."""


class Training:
    """Trains jobs on an engine's nodes until each has made exactly its steps.

    Parameters
    ----------
    jobs : sequence of TrainingJob
    engine : Engine
    options : Options
    plan : Plan
        From what is unfinished to the copies of a round; by default `proportional`.
    folder : Path or None
        Where a checkpoint is written after each round.
    checkpoint : Checkpoint or None
        Where to go on from; its jobs must be these.
    settings : mapping
        Kept in the checkpoint for the caller.
    observe : callable
        Told of every `Event`.

    Raises
    ------
    TrackerError
        For jobs of one name, or a checkpoint of other jobs.

    Attributes
    ----------
    tracker : Tracker
    states : dict of str to State
        Consolidated state by job.
    curve : list of CurvePoint
    copies : list of CopyRecord
    seconds : float
        Seconds of training, of earlier sessions too.
    """

    def __init__(
        self,
        jobs: Sequence[TrainingJob],
        engine: Engine,
        *,
        options: Options | None = None,
        plan: Plan = proportional,
        folder: Path | None = None,
        checkpoint: Checkpoint | None = None,
        settings: Mapping[str, Any] | None = None,
        observe: Observer = lambda _: None,
    ) -> None:
        self._jobs = {job.task.name: job for job in jobs}
        if len(self._jobs) != len(jobs):
            raise TrackerError("jobs", "must have different names")
        self._engine, self._plan, self._folder, self._observe = engine, plan, folder, observe
        self.options = options or Options()
        self._offers: Resources = {}
        self._last_failure: dict[str, str] = {}
        self._fruitless = dict.fromkeys(self._jobs, 0)
        if checkpoint is None:
            self.tracker = Tracker({name: job.steps for name, job in self._jobs.items()})
            self.states = {n: j.task.initial(self.options.seed) for n, j in self._jobs.items()}
            self.curve: list[CurvePoint] = []
            self.copies: list[CopyRecord] = []
            self.seconds, self.settings = 0.0, dict(settings or {})
            for name in self._jobs:
                observe(self._measure(name, 0, 0))
        else:
            if set(self._jobs) != set(checkpoint.tracker.jobs):
                raise TrackerError(
                    "jobs", "must be those of the checkpoint", shown(list(self._jobs))
                )
            for name, job in self._jobs.items():
                if checkpoint.tracker.total(name) != job.steps:
                    rule = f"must be {checkpoint.tracker.total(name)} as in the checkpoint"
                    raise TrackerError(f"jobs[{shown(name)}].steps", rule, shown(job.steps))
            self.tracker, self.states = checkpoint.tracker, dict(checkpoint.states)
            self.curve, self.copies = list(checkpoint.curve), list(checkpoint.copies)
            self.seconds, self.settings = checkpoint.seconds, dict(checkpoint.settings)
            done = sum(self.tracker.done(name) for name in self._jobs)
            self._observe(Event("resumed", round=self.tracker.session, steps=done))

    def run(self) -> None:
        """Train to the end.

        Raises
        ------
        TrackerError
            For a job that no node can run, more copies than nodes, or a plan that breaks a rule.
        TrainingStoppedError
            If no node that can run anything is left, or a job's copies all fail, round after round.
            The checkpoint of the last closed round stays.
        """
        self._save()  # before any copy: no two sessions have one number
        self._look_at_nodes()
        if not self.tracker.nodes:
            self._wait()
        check_jobs(list(self._jobs.values()), self._offers)
        while not self.tracker.finished():
            began = time.monotonic()
            forked = self._fork()
            if not forked:
                self._wait()
                continue
            reports = self._gather(forked)
            self.seconds += time.monotonic() - began
            closed = [self._close(name, reports) for name in forked]
            self._save()
            for event in closed:
                self._observe(event)
            self._stop_if_fruitless()

    def checkpoint(self) -> Checkpoint:
        """Return all that is settled."""
        where = (self.tracker, self.states, self.settings, self.curve, self.copies)
        return Checkpoint(*where, self.seconds)

    # A round

    def _fork(self) -> list[str]:
        """Plan and start a round; return the jobs that have one."""
        self._look_at_nodes()
        self._last_failure = {}
        views = self._views()
        plan = self._plan(views)
        check_plan(views, plan)
        for name, steps in plan.items():
            job, session = self._jobs[name], self.tracker.session
            for ticket, count in self.tracker.fork(name, steps):
                entropy = (
                    self.options.seed,
                    *map(_number, (name, ticket.node)),
                    session,
                    ticket.round,
                )
                order = Order(
                    job.task, self.states[name], count, entropy, self.options.round_seconds
                )
                self._engine.start(ticket, order)
                self._observe(Event("started", name, ticket.node, ticket.round, count))
        return list(plan)

    def _gather(self, forked: Sequence[str]) -> dict[Ticket, Report]:
        """Wait until no copy runs; return the reports that count."""
        accepted: dict[Ticket, Report] = {}
        lease = self.options.lease_seconds
        ends = None if lease is None else time.monotonic() + lease
        while any(self.tracker.running(name) for name in forked):
            for ticket, outcome in self._engine.finished(0.2):
                self._take(ticket, outcome, accepted)
            self._look_at_nodes()
            if ends is not None and time.monotonic() > ends:
                for name in forked:
                    for ticket in self.tracker.running(name):
                        self._give_up(ticket, "lost", f"said nothing for {lease:g} s")
        return accepted

    def _take(self, ticket: Ticket, outcome: Outcome, accepted: dict[Ticket, Report]) -> None:
        if isinstance(outcome, Lost):
            if not outcome.by_node:
                self._last_failure[ticket.job] = f"{ticket.place}: {outcome.reason}"
            if ticket in self.tracker.running(ticket.job):
                self._give_up(ticket, "lost", outcome.reason)
            return
        verdict = self.tracker.report(ticket, outcome.steps, outcome.nanoseconds)
        if verdict is not Verdict.ACCEPTED:
            self._observe(
                Event("late", ticket.job, ticket.node, ticket.round, outcome.steps, verdict.value)
            )
            return
        try:
            # The state that it started from says what it must look like.
            both = {"the consolidated state": self.states[ticket.job], ticket.node: outcome.state}
            step_average(both, dict.fromkeys(both, 1))
        except TrackerError as bad:
            self._last_failure[ticket.job] = f"{ticket.place}: {bad}"
            self._give_up(ticket, "refused", str(bad))
            return
        accepted[ticket] = outcome
        self._observe(Event("ended", ticket.job, ticket.node, ticket.round, outcome.steps))

    def _close(self, name: str, reports: Mapping[Ticket, Report]) -> Event:
        closed = self.tracker.close(name)
        counted = {
            t.node: r for t, r in reports.items() if t.job == name and t.node in closed.steps
        }
        if closed.steps:
            self.states[name] = consolidate(
                {node: counted[node].state for node in closed.steps},
                closed.steps,
                optimiser=self.options.optimiser,
            )
            self._fruitless[name] = 0
            self._last_failure.pop(name, None)
        elif name in self._last_failure:
            self._fruitless[name] += 1
        for node, steps in closed.steps.items():
            own = counted[node]
            self.copies.append(
                CopyRecord(name, closed.round, node, steps, own.nanoseconds / 1e9, own.loss)
            )
        return self._measure(name, closed.round + 1, len(closed.steps))

    def _measure(self, name: str, round: int, copies: int) -> Event:
        score = self._jobs[name].task.score(self.states[name])
        if not math.isfinite(score):
            raise TrackerError(f"jobs[{shown(name)}].score", "must be finite", shown(score))
        done = self.tracker.done(name)
        self.curve.append(CurvePoint(name, round, done, self.seconds, score, copies))
        text = f"{self._jobs[name].task.metric} {score:.4f}"
        return Event("closed", name, round=round, steps=done, text=text)

    # Nodes

    def _look_at_nodes(self) -> None:
        """Take note of nodes that came or went; copies on those that went are lost."""
        now = self._engine.nodes()
        for node in self.tracker.nodes:
            if node not in now:
                for ticket in self.tracker.leave(node):
                    self._engine.forget(ticket)
                    self._lost(ticket, "lost", "its node left")
                self._observe(Event("left", node=node))
        for node in sorted(now):
            if node not in self.tracker.nodes:
                self.tracker.join(node)
                self._observe(Event("joined", node=node))
        self._offers = now

    def _wait(self) -> None:
        """Wait for a node that can run something.

        Raises
        ------
        TrainingStoppedError
            If patience runs out.
        """
        until = time.monotonic() + self.options.patience
        while time.monotonic() < until:
            self._look_at_nodes()
            if self._views():
                return
            time.sleep(0.1)
        left = "no worker is left" if not self.tracker.nodes else "no worker can run what is left"
        raise TrainingStoppedError(f"{left} (waited {self.options.patience:g} s); {self._kept()}")

    def _kept(self) -> str:
        if self._folder is None:
            return "no checkpoint was asked for"
        own = self.tracker
        done = ", ".join(f"{name} {own.done(name)} of {own.total(name)}" for name in own.jobs)
        return f"{self._folder / FILE} keeps the steps done ({done}): go on with --resume"

    def _views(self) -> list[JobView]:
        views = (view(job, self.tracker, self._offers) for job in self._jobs.values())
        return [own for own in views if own is not None]

    # The rest

    def _stop_if_fruitless(self) -> None:
        for name, rounds in self._fruitless.items():
            if rounds >= FRUITLESS_ROUNDS:
                raise TrainingStoppedError(
                    f"every copy of {name} failed in {rounds} rounds, at last "
                    f"{self._last_failure[name]}; {self._kept()}"
                )

    def _give_up(self, ticket: Ticket, kind: Any, reason: str) -> None:
        self.tracker.give_up(ticket)
        self._engine.forget(ticket)
        self._lost(ticket, kind, reason)

    def _lost(self, ticket: Ticket, kind: Any, reason: str) -> None:
        self._observe(Event(kind, ticket.job, ticket.node, ticket.round, text=reason))

    def _save(self) -> None:
        if self._folder is not None:
            save_checkpoint(self.checkpoint(), self._folder)


def _number(name: str) -> int:
    """Return a number for a name, the same in every process."""
    return zlib.crc32(name.encode())
