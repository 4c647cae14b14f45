"""The pass over many jobs against a plain one that prices each job by enumeration."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.pricing.arrivals import Jobs, Market, price_jobs
from hadaropt.kernels.pricing.utility import INVERSE, LINEAR, TABLE
from tests.kernels import plain

BUDGET = 10**6


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
        masks = [mask if gain else 0 for mask, gain in zip(masks, gains, strict=True)]
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
    release, gang, need, progress, masks, kind, par, last = columns
    admitted = masks[..., None] >> np.arange(len(capacity)) & 1 > 0
    tables = np.array(floors, np.int64), np.array(ranks, np.int64)
    levels = np.arange(len(jobs))
    steps, rows = np.array(steps, np.int64), np.array(row_of, np.int64)
    price = np.ascontiguousarray(steps[rows, :, 0])
    free = np.repeat(np.array([capacity], np.int64), len(rows), axis=0)
    packed = Jobs(release, gang, need, levels, progress, admitted, kind, last, par, *tables)
    return packed, Market(price, free, steps, rows, np.array(capacity, np.int64))


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


@given(cases(), st.booleans())
@settings(deadline=None, max_examples=200)
def test_every_decision_equals_the_plain_one(case, book):
    packed, market = arrays(case)
    stopped, completion, charge, start, plan_round, plan_use = price_jobs(
        0, packed, market, book, BUDGET
    )
    jobs, _, _, steps, row_of, capacity = case
    assert stopped == len(jobs)
    rounds = len(row_of)
    state = np.zeros((rounds, len(capacity)), np.int64)
    for j, (release, gang, need, gains, masks, *_) in enumerate(jobs):
        expected = decide(case, j, state)
        entries = range(start[j], start[j + 1])
        plan = []
        done = 0
        for e in entries:
            t, use = plan_round[e], plan_use[e]
            unit = [steps[row_of[t]][r][state[t, r]] for r in range(len(capacity))]
            plan.append((t, int((use * unit).sum())))
            assert use.sum() == gang and (state[t] + use <= capacity).all()
            used_mask = sum(1 << r for r in np.flatnonzero(use))
            done += max(g for g, mask in zip(gains, masks, strict=True) if used_mask & ~mask == 0)
        assert (completion[j], charge[j], plan) == expected
        assert completion[j] < 0 or (done >= need and release <= completion[j] < rounds)
        for e in entries if book else ():
            state[plan_round[e]] += plan_use[e]
    assert np.array_equal(np.array(capacity) - market.free, state)
    for t in range(rounds):
        wanted = [steps[row_of[t]][r][state[t, r]] for r in range(len(capacity))]
        assert list(market.price[t]) == wanted


@given(cases())
@settings(deadline=None, max_examples=40)
def test_python_and_compiled_agree(case):
    (jobs, one), (_, two) = arrays(case), arrays(case)
    fast = price_jobs(0, jobs, one, True, BUDGET)
    slow = price_jobs.py_func(0, jobs, two, True, BUDGET)
    for left, right in zip((*fast, one.free, one.price), (*slow, two.free, two.price), strict=True):
        assert np.array_equal(left, right)


@given(cases())
@settings(deadline=None, max_examples=60)
def test_a_job_with_too_many_labels_stops_the_pass_and_it_goes_on_behind(case):
    (jobs, whole), (_, parts) = arrays(case), arrays(case)
    total = len(jobs.need)
    wanted = price_jobs(0, jobs, whole, True, BUDGET)[1]
    stopped, completion, *_, rounds, _ = price_jobs(0, jobs, parts, True, 0)
    assert np.array_equal(completion[:stopped], wanted[:stopped])
    assert (completion == -1).all() and len(rounds) == 0
    if stopped < total:
        assert price_jobs(stopped, jobs, parts, True, BUDGET)[0] == total
        assert np.array_equal(parts.free, whole.free)
