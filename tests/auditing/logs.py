"""Logs of a few jobs."""

from __future__ import annotations

from fractions import Fraction

from hadaropt.traces import Trace, TraceJob

Row = tuple[int, list[tuple[int, int]], int]
"""Submit, attempts and GPUs."""


def trace(rows: list[Row], **own: object) -> Trace:
    jobs = sorted(
        (
            TraceJob(
                f"j{i}",
                Fraction(submit),
                gpus,
                Fraction(sum(end - start for start, end in runs)),
                attempts=tuple((Fraction(start), Fraction(end)) for start, end in runs),
                **own,  # type: ignore[arg-type]
            )
            for i, (submit, runs, gpus) in enumerate(rows)
        ),
        key=lambda job: job.submit_seconds,
    )
    return Trace("normalised", "ours.csv", tuple(jobs), {}, len(jobs))
