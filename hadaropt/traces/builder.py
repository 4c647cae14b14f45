"""Collects the jobs of a trace and counts every row that is left out, by reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from hadaropt.traces.trace import Trace, TraceJob

NO_SUBMIT = "submit time missing or NaN"
NO_GPUS = "number of GPUs missing or NaN"
ZERO_GPUS = "zero GPUs"
NEGATIVE_GPUS = "negative number of GPUs"
FRACTIONAL_GPUS = "fractional number of GPUs"
NO_DURATION = "duration missing or NaN"
ZERO_DURATION = "zero duration"
NEGATIVE_DURATION = "negative duration"
NO_ITERATIONS = "iterations missing or below 1"
BAD_WEIGHT = "priority weight not positive"
NO_NAME = "job id missing"
NEVER_STARTED = "never started"
STILL_RUNNING = "still running at the end of the trace"
REPEATED_ROW = "repeated row"
REPEATED_NAME = "repeated job id in a different row"


class TraceBuilder:
    """Gathers rows in file order; :meth:`finish` sorts them and shifts time to the first submit.

    Reasons are tried in the order submit, GPUs, start and end, size, weight, id, repetition; the
    first one counts.
    """

    def __init__(self) -> None:
        self._jobs: list[TraceJob] = []
        self._dropped: Counter[str] = Counter()
        self._rows = 0
        self._seen: dict[str, TraceJob] = {}
        self._parts: dict[str, list[str]] = {}

    def drop(self, reason: str, count: int = 1) -> None:
        """Count `count` rows as left out for `reason`."""
        self._rows += count
        self._dropped[reason] += count

    def merge(self, reason: str, name: str) -> None:
        """Count a row for `reason` as part of the job `name`, whether that is kept or not."""
        self.drop(reason)
        self._parts.setdefault(reason, []).append(name)

    def add(
        self,
        *,
        name: str | None,
        submit: Fraction | None,
        gpus: Fraction | None,
        duration: Fraction | None,
        gpus_each: Fraction | None = Fraction(1),
        not_run: str | None = None,
        gpu_type: str | None = None,
        status: str | None = None,
        model: str | None = None,
        iterations: int | None = None,
        weight: Fraction = Fraction(1),
        sized_by: Literal["duration", "iterations"] = "duration",
        attempts: tuple[tuple[Fraction, Fraction], ...] = (),
        nodes: tuple[tuple[str, int], ...] = (),
        queue: str | None = None,
        user: str | None = None,
    ) -> None:
        """Keep one row as a job, or drop it under the first reason that applies.

        `name` None means that rows of the format carry no id: equal rows are then different
        jobs, all kept. A name seen before drops the row, and so does an empty name. The job holds
        `gpus * gpus_each` GPUs, each of which must be whole: four quarters are not one GPU.
        `not_run` is the reason why there is no running time, where the format knows one.
        `sized_by` says which of duration and iterations the format must give.
        """
        reason = (
            (NO_SUBMIT if submit is None else None)
            or gpu_fault(gpus, gpus_each)
            or not_run
            or (duration_fault(duration) if sized_by == "duration" else None)
            or (NO_ITERATIONS if sized_by == "iterations" and not iterations else None)
            or (NO_ITERATIONS if iterations is not None and iterations < 1 else None)
            or (BAD_WEIGHT if weight <= 0 else None)
            or (NO_NAME if name == "" else None)
        )
        if reason is not None:
            self.drop(reason)
            return
        assert submit is not None and gpus is not None and gpus_each is not None
        job = TraceJob(
            name=f"job-{self._rows:06d}" if name is None else name,
            submit_seconds=submit,
            num_gpus=gpus.numerator * gpus_each.numerator,
            duration_seconds=duration,
            gpu_type=gpu_type,
            status="UNKNOWN" if status is None else status,
            model=model,
            iterations=iterations,
            weight=weight,
            attempts=attempts,
            nodes=nodes,
            queue=queue,
            user=user,
        )
        if name is not None and name in self._seen:
            if self._seen[name] == job:
                self.merge(REPEATED_ROW, name)
            else:
                self.drop(REPEATED_NAME)
            return
        if name is not None:
            self._seen[name] = job
        self._rows += 1
        self._jobs.append(job)

    def finish(
        self, *, format: str, source: str, conventions: tuple[str, ...], calendar: str | None
    ) -> Trace:
        """Return the trace: jobs by (submit, file order), time relative to the first submit."""
        ordered = sorted(self._jobs, key=lambda job: job.submit_seconds)
        origin = ordered[0].submit_seconds if ordered else Fraction(0)
        return Trace(
            format=format,
            source=source,
            jobs=tuple(_shifted(job, origin) for job in ordered),
            dropped=dict(sorted(self._dropped.items())),
            rows=self._rows,
            conventions=conventions,
            origin_seconds=origin,
            calendar=calendar,
            parts={reason: tuple(names) for reason, names in sorted(self._parts.items())},
        )


def _shifted(job: TraceJob, origin: Fraction) -> TraceJob:
    """Return the job on the clock that starts at `origin`."""
    return replace(
        job,
        submit_seconds=job.submit_seconds - origin,
        attempts=tuple((start - origin, end - origin) for start, end in job.attempts),
    )


def gpu_fault(gpus: Fraction | None, each: Fraction | None) -> str | None:
    """Return why `gpus` requests of `each` GPUs are no gang, None where they are one.

    Each factor is judged by itself: neither shares that happen to add up to a whole number nor two
    negative numbers make a gang.
    """
    factors = gpus, each
    if 0 in factors:
        return ZERO_GPUS
    if gpus is None or each is None:
        return NO_GPUS
    if gpus < 0 or each < 0:
        return NEGATIVE_GPUS
    return None if gpus.denominator == each.denominator == 1 else FRACTIONAL_GPUS


def duration_fault(duration: Fraction | None) -> str | None:
    """Return why a job cannot have run for `duration`, None where it can."""
    if duration is None:
        return NO_DURATION
    if duration <= 0:
        return NEGATIVE_DURATION if duration < 0 else ZERO_DURATION
    return None
