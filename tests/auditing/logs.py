"""Logs of a few jobs."""

from __future__ import annotations

import random
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


def fitting_rows(seed: int, *, most: int) -> tuple[list[Row], int]:
    """Return rows, and GPUs of one pool, where each starts at the first second at which it fits."""
    draw = random.Random(seed)
    gpus = draw.randint(1, 3)
    rows: list[Row] = []
    busy: list[tuple[int, int, int]] = []
    for _ in range(draw.randint(2, most)):
        submit, service, gang = draw.randint(0, 6), draw.randint(1, 5), draw.randint(1, gpus)
        start = submit + draw.randint(0, 2)
        while any(
            sum(w for s, e, w in busy if s <= t < e) + gang > gpus
            for t in range(start, start + service)
        ):
            start += 1
        busy.append((start, start + service, gang))
        rows.append((submit, [(start, start + service)], gang))
    first = min(submit for submit, *_ in rows)
    moved = [(s - first, [(a - first, b - first) for a, b in runs], w) for s, runs, w in rows]
    return moved, gpus
