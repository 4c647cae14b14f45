"""The shared tables against enumeration, compiled and plain."""

import itertools

import numpy as np
import pytest

from hadaropt.kernels.pricing import lagrangian as kernel


def random_case(rng):
    rounds, types, ways = int(rng.integers(1, 5)), 2, int(rng.integers(1, 4))
    price = rng.integers(0, 6, (rounds, types))
    rows = rng.integers(0, 3, (ways, types))
    gang = rng.integers(1, 4, ways)
    jobs = int(rng.integers(1, 4))
    gain = np.sort(rng.integers(1, 4, ways))[::-1].copy()
    need = np.sort(rng.integers(1, 7, jobs))
    return price, rows, gang, gain, need, rng.integers(0, 3, jobs), rng.integers(5, 40, jobs)


def arrays_of(case):
    price, rows, gang, gain, need, fall, peak = case
    rounds, types = price.shape
    ways, jobs = len(gang), len(need)
    start = np.arange(ways + 1)
    cost = np.empty((ways, rounds), np.int64)
    use = np.empty((ways, rounds, types), np.int64)
    picks = np.ones(ways, np.int64)
    weight = 1 + np.arange(jobs)
    pad = int(gain.max())
    return {
        "ways": (price, start, rows, gang, picks, cost, use),
        "jobs": (
            np.array([0, jobs]), np.array([0]), np.array([[0, ways]]), gain, np.arange(ways), cost,
            use, weight, need, np.full(jobs, kernel.LINEAR), peak, fall,
            np.full(jobs, rounds), np.zeros(1, np.int64), pad,
            np.empty((rounds + 1, pad + int(need.max()) + 1), np.int64),
            np.empty(rounds + 1, np.int64), np.empty(jobs, np.int64),
        ),
    }  # fmt: skip


def run(case, plain):
    """Return total, payoffs, finishes, use, and cost and use of the ways."""
    found = arrays_of(case)
    price, jobs = case[0], len(case[4])
    payoff, finish = np.empty(jobs, np.int64), np.empty(jobs, np.int64)
    used = np.empty(price.shape, np.int64)
    costs = kernel.way_costs.py_func if plain else kernel.way_costs
    relaxed = kernel.relaxed.py_func if plain else kernel.relaxed
    costs(*found["ways"])
    total = relaxed(*found["jobs"], payoff, finish, used)
    return total, payoff, finish, used, found["ways"][5], found["ways"][6]


@pytest.mark.parametrize("seed", range(60))
def test_payoffs_are_those_of_enumeration(seed):
    case = random_case(np.random.default_rng(seed))
    total, payoff, finish, used, cost, use = run(case, plain=False)
    price, rows, gang, gain, need, fall, peak = case
    rounds = len(price)
    for m in range(len(gang)):
        for t in range(rounds):
            fits = [
                (x, int(gang[m]) - x)
                for x in range(int(gang[m]) + 1)
                if x <= rows[m, 0] and gang[m] - x <= rows[m, 1]
            ]
            least = min((x * price[t, 0] + y * price[t, 1] for x, y in fits), default=kernel.INF)
            assert cost[m, t] == least
            if fits:
                assert use[m, t].sum() == gang[m] and (use[m, t] * price[t]).sum() == least
    charge = np.zeros(len(need), np.int64)
    for j in range(len(need)):
        best = 0
        for plan in itertools.product(range(-1, len(gang)), repeat=rounds):
            done, paid = 0, 0
            for t, m in enumerate(plan):
                if m >= 0:
                    done += gain[m]
                    paid += int(cost[m, t])
                if done >= need[j]:
                    best = max(best, int(peak[j]) - int(fall[j]) * t - (1 + j) * paid)
                    break
        assert payoff[j] == best
        if finish[j] > 0:
            charge[j] = peak[j] - fall[j] * (finish[j] - 1) - payoff[j]
    assert total == payoff.sum()
    assert (used * price).sum() == charge.sum()


@pytest.mark.parametrize("seed", range(20))
def test_compiled_and_plain_agree(seed):
    case = random_case(np.random.default_rng(1000 + seed))
    for left, right in zip(run(case, plain=False), run(case, plain=True), strict=True):
        assert np.array_equal(left, right)


def test_copies_take_the_cheapest_rows():
    price = np.array([[5, 2]])
    rows = np.array([[1, 0], [0, 1], [0, 1]])
    cost, use = np.empty((2, 1), np.int64), np.empty((2, 1, 2), np.int64)
    start, gang, picks = np.array([0, 3, 4]), np.array([1, 1]), np.array([2, 2])
    two = np.vstack([rows, rows[:1]])
    kernel.way_costs(price, start, two, gang, picks, cost, use)
    assert cost.ravel().tolist() == [4, kernel.INF]
    assert use[0, 0].tolist() == [0, 2]


def test_worths():
    table = np.array([9, 4, 1 << 29, 1 << 28], np.int64)
    assert kernel.worth(kernel.LINEAR, 10, 3, 3, table) == 4
    assert kernel.worth(kernel.INVERSE, 10, 0, 3, table) == 4
    assert kernel.worth(kernel.TABLE, 0, 0, 2, table) == 4
    # A share of one half: ceil(5 * 2**14 / 2) in units of one.
    assert kernel.worth(kernel.SIGMOID, 5, 2, 1, table) == 5 << 13
    assert kernel.worth(kernel.SIGMOID, 5, 2, 2, table) == 5 << 12
