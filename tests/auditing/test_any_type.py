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
from hadaropt.traces.throughputs import ThroughputTable
from tests.auditing.logs import Row, trace
from tests.auditing.test_log import BOTH, NARROW, untyped

SPEEDS = {"K80": 1, "V100": 2}


def least_of_gangs(jobs: list[tuple[int, int, int, dict[str, int]]], there: dict[str, int]) -> int:
    """Return the least sum of completions of jobs (release, iterations, GPUs, speeds by type).

    Jobs may be paused, moved and mixed over types at whole seconds; a mixed gang has the least
    speed of its types.
    """
    kinds = list(there)
    shapes = [
        [
            (0,) * len(kinds),
            *(s for s in product(*(range(gang + 1) for _ in kinds)) if sum(s) == gang),
        ]
        for _, _, gang, _ in jobs
    ]

    def speed(j: int, shape: tuple[int, ...]) -> int:
        return min((jobs[j][3][k] for k, n in zip(kinds, shape, strict=True) if n), default=0)

    @cache
    def rest(now: int, left: tuple[int, ...]) -> int:
        if not any(left):
            return 0
        ready = [bool(own) and jobs[j][0] <= now for j, own in enumerate(left)]
        options = [shapes[j] if ok else shapes[j][:1] for j, ok in enumerate(ready)]
        best: int | None = None
        for shape in product(*options):
            used = [sum(column) for column in zip(*shape, strict=True)]
            if any(n > there[k] for n, k in zip(used, kinds, strict=True)):
                continue
            speeds = [speed(j, own) for j, own in enumerate(shape)]
            if any(ready) and not any(speeds):
                continue
            after = tuple(max(0, x - s) for x, s in zip(left, speeds, strict=True))
            done = sum(bool(x) and not y for x, y in zip(left, after, strict=True))
            value = done * (now + 1) + rest(now + 1, after)
            best = value if best is None else min(best, value)
        assert best is not None
        return best

    return rest(0, tuple(size for _, size, _, _ in jobs))


def least(jobs: list[tuple[int, int]], there: dict[str, int]) -> int:
    """Return it of jobs (release, seconds on a K80) of one GPU each, at `SPEEDS`."""
    return least_of_gangs([(release, work, 1, SPEEDS) for release, work in jobs], there)


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


TABLE = {
    ("a", 1): {"K80": 1, "V100": 4},
    ("a", 2): {"K80": 2, "V100": 6},
    ("b", 1): {"K80": 3, "V100": 4},
    ("b", 2): {"K80": 4, "V100": 5},
}


@pytest.mark.parametrize("seed", range(9))
def test_no_enumerated_schedule_is_below_at_the_speeds_of_a_table(seed: int) -> None:
    draw = random.Random(seed)
    there = {"K80": draw.randint(1, 2), "V100": draw.randint(1, 2)}
    traced, jobs, now = [], [], {"K80": 0, "V100": 0}
    for i in range(3):
        kind, seconds, model = draw.choice(list(there)), draw.randint(1, 2), draw.choice("ab")
        gang = draw.randint(1, there[kind])
        start = max(now[kind], i)
        now[kind] = start + seconds
        traced.append(
            TraceJob(
                f"{i}", Fraction(i), gang, Fraction(seconds), kind, model=model,
                attempts=((Fraction(start), Fraction(start + seconds)),),
            )
        )  # fmt: skip
        speeds = TABLE[model, gang]
        jobs.append((i, seconds * speeds[kind], gang, speeds))
    table = ThroughputTable(
        (model, gang, kind, Fraction(speed))
        for (model, gang), row in TABLE.items()
        for kind, speed in row.items()
    )
    cluster = ",".join(f"{kind}={count}" for kind, count in there.items())
    found = audit(Trace("columns", "ours", tuple(traced), {}, 3), cluster, throughputs=table)
    assert found.any_type is not None
    optimum = least_of_gangs(jobs, there)
    assert found.any_type.mean_jct * 3 <= optimum - 3
    assert found.any_type.mean_jct > 0


def test_weights_by_the_program_prove_more_than_equal_ones() -> None:
    """8 jobs that one type suits, 8 that the other does: each type is worth what its jobs gain."""
    table = ThroughputTable(
        [("a", 1, "V100", Fraction(8)), ("a", 1, "K80", Fraction(1)),
         ("b", 1, "V100", Fraction(1)), ("b", 1, "K80", Fraction(1))]
    )  # fmt: skip
    jobs = tuple(
        TraceJob(
            f"{model}{i}", Fraction(0), 1, Fraction(100), kind, model=model,
            attempts=((Fraction(100 * i), Fraction(100 * i + 100)),),
        )
        for i in range(8)
        for model, kind in (("a", "V100"), ("b", "K80"))
    )  # fmt: skip
    found = audit(Trace("columns", "ours", jobs, {}, 16), "V100=1,K80=1", throughputs=table)
    assert found.any_type is not None
    assert found.recorded is not None
    recorded = found.log.seconds(Fraction(found.recorded.jct, 16))
    assert recorded == 450  # an optimum: each type has only the jobs that it suits
    # With equal weights two machines have 8 * 100 + 8 * 100 seconds of work of one kind each.
    assert 0.9 * recorded < found.any_type.mean_jct <= recorded


def test_jobs_in_rounds_run_at_the_speeds_that_are_assumed() -> None:
    rows: list[Row] = [(0, [(0, 400)], 1), (0, [(400, 800)], 1)]
    found = audit(trace(rows, gpu_type="K80"), "K80=1,V100=1", schedulers=["srtf"],
                  relative_speeds={"K80": 1, "V100": 4}, round_seconds=50)  # fmt: skip
    own = found.any_type
    assert own is not None
    mean, last = own.reached["srtf in rounds"]
    assert own.mean_jct <= mean < 300
    assert own.last <= last
    log = found.log
    assert log.seconds(Fraction(found.schedulers["srtf in rounds"].jct, 2)) >= 600


def test_every_type_needs_a_speed() -> None:
    job = TraceJob("a", Fraction(0), 1, Fraction(5), "K80", attempts=((Fraction(0), Fraction(5)),))
    with pytest.raises(InstanceError, match=r"relative_speeds\.V100"):
        audit(Trace("normalised", "ours", (job,), {}, 1), "K80=1,V100=1",
              relative_speeds={"K80": 1})  # fmt: skip


def test_relative_speeds_need_the_types_of_the_jobs() -> None:
    with pytest.raises(InstanceError, match="one GPU type for every job"):
        audit(untyped(NARROW), BOTH, relative_speeds={"GPU": 1, "V100": 2})
