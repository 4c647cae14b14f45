"""Bounds when jobs may run on any type at relative speeds, against everything that can be done."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from hadaropt import audit
from hadaropt.errors import InstanceError
from hadaropt.traces import Trace, TraceJob
from tests.auditing.test_log import BOTH, NARROW, untyped

SPEEDS = {"K80": 1, "V100": 2}


def least(jobs: list[tuple[int, int]], there: dict[str, int]) -> int:
    """Return the least sum of completions of jobs (release, seconds on a K80) of one GPU each.

    Jobs may be paused and moved at whole seconds, in which a K80 does 1 and a V100 2.
    """

    @cache
    def rest(now: int, left: tuple[int, ...]) -> int:
        if not any(left):
            return 0
        best: int | None = None
        ready = [bool(own) and jobs[j][0] <= now for j, own in enumerate(left)]
        for speeds in product((0, 1, 2), repeat=len(left)):
            if any(s and not ok for s, ok in zip(speeds, ready, strict=True)):
                continue
            if speeds.count(1) > there["K80"] or speeds.count(2) > there["V100"]:
                continue
            if not any(speeds) and any(ready):
                continue
            after = tuple(max(0, x - s) for x, s in zip(left, speeds, strict=True))
            done = sum(bool(x) and not y for x, y in zip(left, after, strict=True))
            value = done * (now + 1) + rest(now + 1, after)
            best = value if best is None else min(best, value)
        assert best is not None
        return best

    return rest(0, tuple(size for _, size in jobs))


@pytest.mark.parametrize("seed", range(12))
def test_no_enumerated_schedule_is_below(seed: int) -> None:
    draw = random.Random(seed)
    there = {"K80": 1, "V100": 1}
    rows, now = [], {"K80": 0, "V100": 0}
    for i in range(3):
        kind, seconds = draw.choice(["K80", "V100"]), draw.randint(1, 3)
        start = max(now[kind], i)
        now[kind] = start + seconds
        rows.append((i, start, seconds, kind))
    traced = tuple(
        TraceJob(
            f"{i}", Fraction(i), 1, Fraction(p), kind, attempts=((Fraction(s), Fraction(s + p)),)
        )
        for i, s, p, kind in rows
    )
    found = audit(Trace("normalised", "ours", traced, {}, 3), "K80=1,V100=1",
                  relative_speeds=SPEEDS)  # fmt: skip
    assert found.any_type is not None
    optimum = least([(i, p * SPEEDS[kind]) for i, _, p, kind in rows], there)
    assert found.any_type.mean_jct * 3 <= optimum - sum(i for i, *_ in rows)
    alone = sum(Fraction(p * SPEEDS[kind], 2) for _, _, p, kind in rows)
    assert found.any_type.mean_jct * 3 >= alone - Fraction(1, 100)


def test_every_type_needs_a_speed() -> None:
    job = TraceJob("a", Fraction(0), 1, Fraction(5), "K80", attempts=((Fraction(0), Fraction(5)),))
    with pytest.raises(InstanceError, match=r"relative_speeds\.V100"):
        audit(Trace("normalised", "ours", (job,), {}, 1), "K80=1,V100=1",
              relative_speeds={"K80": 1})  # fmt: skip


def test_relative_speeds_need_the_types_of_the_jobs() -> None:
    with pytest.raises(InstanceError, match="one GPU type for every job"):
        audit(untyped(NARROW), BOTH, relative_speeds={"GPU": 1, "V100": 2})
