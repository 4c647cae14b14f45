"""Insertion and ejection chains: exact plans in free capacity, and books that always balance."""

import itertools

import numpy as np
import pytest

from hadaropt.kernels.pricing.lagrangian import LINEAR
from hadaropt.kernels.search import insertion as kernel


def random_case(rng, nodes=1, jobs=4):
    rounds, types = int(rng.integers(2, 5)), 2
    full = np.repeat(rng.integers(0, 3, (1, nodes, types)), rounds, axis=0)
    full[:, 0, 0] += 1
    gang = rng.integers(1, 3, jobs)
    picks, inside = np.array([1, 1, 2]), np.array([0, 1, 1])
    count = 3 if nodes > 1 else 1
    gain = np.sort(rng.integers(1, 4, count))[::-1].copy()
    release = rng.integers(0, rounds, jobs)
    peak, fall = rng.integers(5, 40, jobs), rng.integers(0, 3, jobs)
    table = kernel.Jobs(
        release, gang, rng.integers(1, 6, jobs), np.full(jobs, LINEAR), peak, fall,
        rounds - release, np.zeros(jobs, np.int64), np.full(jobs, count), gain,
        rng.integers(1, 4, count)[:, None] >> np.arange(types) & 1 > 0, inside[:count],
        picks[:count], np.zeros(1, np.int64), peak.astype(float), peak,
    )  # fmt: skip
    pooled = full.sum(axis=1)
    zeros = [np.zeros(jobs, np.int64) for _ in range(5)]
    held = kernel.Held(
        full.copy(), full, pooled.copy(), pooled, rng.integers(0, 4, (rounds, types)),
        np.zeros((4000, 5), np.int32), np.zeros((rounds, nodes * types, 8), np.int32),
        np.zeros((rounds, nodes * types), np.int64), *zeros, np.zeros(1, np.int64),
    )  # fmt: skip
    pad = int(gain.max())
    space = kernel.Space(
        np.empty((rounds + 1, pad + 7), np.int64), np.empty(rounds + 1, np.int64),
        np.empty((rounds, count), np.int64), np.full(rounds, -1), np.empty(types, np.int64),
        np.empty(nodes, np.int64), held.base.copy(), pad,
    )  # fmt: skip
    return table, held, space


def balance(jobs, held):
    """Assert that the books agree with each other and with the capacity."""
    rounds, _, types = held.full.shape
    used = np.zeros_like(held.full)
    charge = np.zeros_like(held.charge)
    crowd = np.zeros_like(held.crowd)
    for j in range(len(jobs.need)):
        if held.finish[j] == 0:
            assert held.value[j] == 0
            continue
        units = np.zeros(rounds, np.int64)
        for e in range(held.start[j], held.start[j] + held.size[j]):
            t, cell, count, owner, place = held.store[e].tolist()
            assert owner == j and count > 0
            assert held.occupants[t, cell, place] == e
            assert jobs.release[j] <= t < jobs.release[j] + held.finish[j]
            used[t, cell // types, cell % types] += count
            charge[j] += count * held.base[t, cell % types]
            crowd[t, cell] += 1
            units[t] += count
        assert set(units.tolist()) <= {0, jobs.gang[j], 2 * jobs.gang[j]}
        assert held.value[j] == jobs.a[j] - jobs.b[j] * (held.finish[j] - 1)
    assert np.array_equal(held.free, held.full - used)
    assert (held.free >= 0).all()
    assert np.array_equal(held.pooled, held.free.sum(axis=1))
    assert np.array_equal(held.crowd, crowd)
    assert np.array_equal(held.charge[held.finish > 0], charge[held.finish > 0])


def cheapest(gang, admitted, price, free):
    """Least cost of a gang in one node of two types, by enumeration."""
    costs = [
        x * price[0] + (gang - x) * price[1]
        for x in range(gang + 1)
        if x <= admitted[0] * free[0] and gang - x <= admitted[1] * free[1]
    ]
    return min(costs, default=None)


@pytest.mark.parametrize("seed", range(60))
def test_best_plan_is_that_of_enumeration(seed):
    rng = np.random.default_rng(seed)
    nodes = 1 + seed % 3
    jobs, held, space = random_case(rng, nodes)
    rounds = len(held.free)
    finish = kernel.best_plan(0, jobs, held.pooled, held.free, space)
    best = 0
    costs = {}
    for t, i in itertools.product(range(rounds), range(int(jobs.final[0]))):
        gang, admitted, price = int(jobs.gang[0]), jobs.admitted[i], space.price[t]
        if not jobs.inside[i] or nodes == 1:
            costs[t, i] = cheapest(gang, admitted, price, held.pooled[t])
        else:
            each = [cheapest(gang, admitted, price, row) for row in held.free[t]]
            each = sorted(cost for cost in each if cost is not None)
            enough = len(each) >= jobs.picks[i]
            costs[t, i] = sum(each[: jobs.picks[i]]) if enough else None
    window = range(int(jobs.release[0]), rounds)
    for plan in itertools.product(range(-1, int(jobs.final[0])), repeat=len(window)):
        done, paid = 0, 0
        for n, (t, i) in enumerate(zip(window, plan, strict=True)):
            if i >= 0:
                if costs[t, i] is None:
                    break
                done, paid = done + jobs.gain[i], paid + int(costs[t, i])
            if done >= jobs.need[0]:
                best = max(best, int(jobs.a[0] - jobs.b[0] * n) - paid)
                break
    assert (finish > 0) == (best > 0)
    if finish:
        kernel.book(0, finish, jobs, held, space)
        balance(jobs, held)
        assert held.value[0] - held.charge[0] == best


@pytest.mark.parametrize("seed", range(40))
def test_ejection_chains_keep_the_books(seed):
    rng = np.random.default_rng(seed)
    jobs, held, space = random_case(rng, 1 + seed % 3, jobs=7)
    kernel.insert_all(rng.permutation(7), jobs, held, space)
    balance(jobs, held)
    size = 12
    work = (
        np.zeros(7, np.bool_), np.zeros(size, np.int64), np.zeros((size, 5), np.int64),
        np.zeros(size),
    )  # fmt: skip
    for heat in (5.0, 1e-9):
        before = held.value.sum()
        gain = kernel.improve(seed, 60, heat, 4, 7, 3, 300, jobs, held, space, *work)
        balance(jobs, held)
        assert held.value.sum() == before + gain
        assert not work[0].any()
        assert heat > 1 or gain >= 0
    kernel.compact(held)
    balance(jobs, held)
    assert held.end[0] == held.size[held.finish > 0].sum()
    copy = held.store[: held.end[0]].copy()
    held.free[:], held.pooled[:], held.crowd[:] = held.full, held.pooled_full, 0
    kernel.enter_all(held)
    balance(jobs, held)
    assert np.array_equal(copy[:, :4], held.store[: held.end[0], :4])


@pytest.mark.parametrize("seed", range(10))
def test_compiled_and_plain_agree(seed):
    found = []
    for plain in (False, True):
        jobs, held, space = random_case(np.random.default_rng(seed), 1 + seed % 2)
        insert = kernel.insert_all.py_func if plain else kernel.insert_all
        insert(np.arange(4), jobs, held, space)
        found.append((*held[:3], *held[8:]))
    for left, right in zip(*found, strict=True):
        assert np.array_equal(left, right)
