"""The fused online pass against a plain one that prices each job by enumeration."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.pricing import batch
from tests.kernels import plain

INVERSE, LINEAR, TABLE = batch.INVERSE, batch.LINEAR, batch.TABLE


@st.composite
def cases(draw):
    """Jobs with every kind of utility, capacity, and non-decreasing price steps."""
    rounds, types = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    capacity = draw(st.lists(st.integers(0, 3), min_size=types, max_size=types))
    rows = draw(st.integers(1, 2))
    step = st.integers(0, 6)
    steps = [
        [np.cumsum(draw(st.lists(step, min_size=4, max_size=4))) for _ in range(types)]
        for _ in range(rows)
    ]
    row_of = draw(st.lists(st.integers(0, rows - 1), min_size=rounds, max_size=rounds))
    jobs, floors, ranks = [], [0], [0]
    for _ in range(draw(st.integers(1, 6))):
        gains = sorted(draw(st.lists(st.integers(0, 4), min_size=types, max_size=types)))
        masks = draw(st.lists(st.integers(0, 2**types - 1), min_size=types, max_size=types))
        kind = draw(st.sampled_from([LINEAR, INVERSE, TABLE]))
        last = draw(st.integers(0, rounds + 1))
        if kind == LINEAR:
            c, b = draw(st.integers(1, 5)), draw(st.integers(0, 9))
            par = (b * max(last - 1, 0) + draw(st.integers(1, 40)), b, c)
            worth = [Fraction(par[0] - b * (d - 1), c) for d in range(1, last + 1)]
        elif kind == INVERSE:
            par = (draw(st.integers(1, 60)), draw(st.integers(1, 5)), 0)
            worth = [Fraction(par[0], par[1] * d) for d in range(1, last + 1)]
        else:
            tenths = st.integers(1, 300)
            drawn = draw(st.lists(tenths, min_size=last, max_size=last))
            worth = [Fraction(x, 10) for x in sorted(drawn, reverse=True)]
            par = (len(floors), 0, 0)
            floors += [int(x) for x in worth]
            ranks += [int(x * 10) % 10 for x in worth]
        release = draw(st.integers(0, rounds + 1))
        job = (release, draw(st.integers(1, 3)), draw(st.integers(1, 8)), gains, masks)
        jobs.append((*job, kind, par, last, worth))
    return jobs, floors, ranks, steps, row_of, capacity


def arrays(case):
    jobs, floors, ranks, steps, row_of, capacity = case
    columns = [np.array(column, np.int64) for column in list(zip(*jobs, strict=True))[:8]]
    columns[4] = columns[4][..., None] >> np.arange(len(capacity)) & 1 > 0
    tables = np.array(floors, np.int64), np.array(ranks, np.int64)
    table = np.array(steps, np.int64)
    rows = np.array(row_of, np.int64)
    price = np.ascontiguousarray(table[rows, :, 0])
    used = np.zeros_like(price)
    return (*columns, *tables, table, rows, np.array(capacity, np.int64), used, price)


def decide(case, j, used):
    """Completion, charge and plan (round, charge) of job j when `used` is booked."""
    jobs, _, _, steps, row_of, capacity = case
    release, gang, need, gains, masks, _, _, last, worth = jobs[j]
    rounds, types = len(row_of), len(capacity)
    tie = rounds + 1
    window = range(release, min(rounds, release + last))
    levels = [i for i in range(types) if gains[i] > 0]
    admitted = [[bool(masks[i] >> r & 1) for r in range(types)] for i in levels]
    offers = []
    for t in window:
        price = [int(steps[row_of[t]][r][used[t][r]]) for r in range(types)]
        free = [capacity[r] - used[t][r] for r in range(types)]
        offers.append(
            plain.pooled_options(
                lambda r, w, price=price: w * price[r],
                free,
                gang,
                [gains[i] for i in levels],
                admitted,
                tie,
                int(worth[0]),
            )
        )
    least = plain.least_costs(offers, need)
    payoffs = [
        u - key // tie if key < plain.INF else Fraction(-1)
        for u, key in zip(worth, least, strict=False)
    ]
    best = max(payoffs, default=Fraction(0))
    if best <= 0:
        return -1, 0, []
    at = payoffs.index(best)
    picks = plain.first_schedule(offers, need, at)
    plan = [(window[n], offers[n][i][1] // tie) for n, i in enumerate(picks) if i >= 0]
    return window[at], least[at] // tie, plan


@given(cases())
@settings(deadline=None, max_examples=200)
def test_every_decision_equals_the_plain_one(case):
    args = arrays(case)
    completion, charge, start, plan_round, plan_use = batch.arrivals(*args)
    used, price = args[-2:]
    jobs, *_, capacity = case
    rounds = used.shape[0]
    state = np.zeros_like(used)
    for j, (release, gang, need, gains, masks, *_) in enumerate(jobs):
        expected = decide(case, j, state)
        entries = range(start[j], start[j + 1])
        plan = []
        done = 0
        for e in entries:
            t, use = plan_round[e], plan_use[e]
            unit = args[10][args[11][t], np.arange(len(capacity)), state[t]]
            plan.append((t, int((use * unit).sum())))
            assert use.sum() == gang and (state[t] + use <= capacity).all()
            used_mask = sum(1 << r for r in np.flatnonzero(use))
            done += max(g for g, mask in zip(gains, masks, strict=True) if used_mask & ~mask == 0)
        assert (completion[j], charge[j], plan) == expected
        assert completion[j] < 0 or (done >= need and release <= completion[j] < rounds)
        for e in entries:
            state[plan_round[e]] += plan_use[e]
    assert np.array_equal(state, used)
    rows = args[11]
    for t in range(rounds):
        assert list(price[t]) == [args[10][rows[t], r, used[t, r]] for r in range(len(capacity))]


@given(cases())
@settings(deadline=None, max_examples=60)
def test_python_and_compiled_agree(case):
    one, two = arrays(case), arrays(case)
    for fast, slow in zip(batch.arrivals(*one), batch.arrivals.py_func(*two), strict=True):
        assert np.array_equal(fast, slow)
    assert np.array_equal(one[-2], two[-2]) and np.array_equal(one[-1], two[-1])
