"""Best schedules of many jobs, and sets of copies, against enumeration."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.pricing import columns

SETTINGS = settings(deadline=None, max_examples=200)
INF = 2**62


@st.composite
def one_job(draw):
    """Needs as states 0 .. need: option k makes ``gains[k - 1]`` units."""
    rounds, many = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    need = draw(st.integers(1, 6))
    gains = sorted(draw(st.lists(st.integers(1, 4), min_size=many, max_size=many, unique=True)))
    many = len(gains)
    price = st.one_of(st.integers(0, 9), st.just(INF))
    cost = draw(st.lists(price, min_size=rounds * many, max_size=rounds * many))
    worth = sorted(draw(st.lists(st.integers(0, 40), min_size=rounds, max_size=rounds)))[::-1]
    low = [draw(st.sampled_from((0, 0, 0, 1, many))) for _ in range(rounds)]
    high = [draw(st.integers(max(0, low[n] - 1), many)) for n in range(rounds)]
    begin, end = draw(st.integers(0, rounds)), draw(st.integers(0, rounds - 1))
    return need, gains, np.array(cost).reshape(rounds, many), worth, low, high, begin, end


def arrays(jobs, must, tables=True):
    """The flat arrays of several jobs, each with a table of its states or none of them."""
    parts = {"rounds": [], "options": [], "states": [], "step": [], "cost": [], "gain": []}
    flat = {"worth": [], "low": [], "high": []}
    begin, end = [], []
    for need, gains, cost, worth, low, high, first, last in jobs:
        parts["rounds"].append(len(cost))
        parts["options"].append(len(gains))
        parts["states"].append(need)
        steps = [[max(0, s - g) for g in gains] for s in range(need + 1)]
        parts["step"].append(np.array(steps if tables else [], np.int64))
        parts["gain"] += gains
        parts["cost"].append(cost)
        for name, values in (("worth", worth), ("low", low), ("high", high)):
            flat[name] += values
        begin.append(first)
        end.append(last)

    def at(sizes):
        return np.cumsum([0, *sizes]).astype(np.int64)

    rounds, options, states = (np.array(parts[k]) for k in ("rounds", "options", "states"))
    table = np.empty((rounds.max() + 1, states.max() + 1), np.int64)
    out = np.zeros(len(jobs), np.int64), np.zeros(len(jobs), np.int64)
    choice = np.zeros(rounds.sum(), np.int64)
    worth, low, high = (np.array(flat[name], np.int64) for name in ("worth", "low", "high"))
    windows = columns.Windows(
        np.zeros(len(jobs), np.int64),
        rounds,
        options,
        states,
        states,
        at(rounds),
        at([c.size for c in parts["cost"]]),
        at([s.size for s in parts["step"]]),
        at(options),
        np.concatenate([s.ravel() for s in parts["step"]]),
        np.array(parts["gain"], np.int64),
        worth,
    )
    cost = np.concatenate([c.ravel() for c in parts["cost"]]).astype(np.int64)
    branch = columns.Branch(low, high, np.array(begin), np.array(end), np.full(len(jobs), must))
    return np.arange(len(jobs)), windows, cost, branch, columns.Best(*out, choice, table)


def brute(job, must):
    """Largest payoff over all choices within the limits; None if there is none."""
    need, gains, cost, worth, low, high, begin, end = job
    best = None
    for f in range(-1, len(cost)):
        if f >= 0 and not begin <= f <= end:
            continue
        if f < 0 and must:
            continue
        length = len(cost) if f < 0 else f + 1
        options = [
            [k for k in range(len(gains) + 1) if low[n] <= k <= high[n]] for n in range(length)
        ]
        if any(low[n] > 0 for n in range(length, len(cost))):
            continue
        for choice in itertools.product(*options):
            paid = sum(int(cost[n, k - 1]) for n, k in enumerate(choice) if k)
            done = sum(gains[k - 1] for k in choice if k)
            if paid >= INF or (f >= 0 and done < need):
                continue
            payoff = (worth[f] if f >= 0 else 0) - paid
            best = payoff if best is None else max(best, payoff)
    return best


def within(job):
    """The limits as a branch makes them: completion counts only after the last forced round."""
    need, gains, cost, worth, low, high, begin, end = job
    forced = [n for n, least in enumerate(low) if least > 0]
    return need, gains, cost, worth, low, high, max([begin, *forced]), end


@given(st.lists(one_job(), min_size=1, max_size=3), st.booleans(), st.booleans())
@SETTINGS
def test_best_columns_equal_enumeration(jobs, must, tables):
    """From tables of states, and from labels."""
    jobs = [within(job) for job in jobs]
    args = arrays(jobs, must, tables)
    columns.best_columns(*args)
    payoff, last, choice, _ = args[-1]
    round_at = args[1].round_at
    for i, job in enumerate(jobs):
        expected = brute(job, must)
        assert payoff[i] == (-INF if expected is None else expected)
        if expected is None:
            continue
        need, gains, cost, worth, low, high, begin, end = job
        mine = choice[round_at[i] : round_at[i + 1]]
        assert all(
            low[n] <= k <= high[n] for n, k in enumerate(mine) if n <= last[i] or last[i] < 0
        )
        paid = sum(int(cost[n, k - 1]) for n, k in enumerate(mine) if k)
        if last[i] >= 0:
            assert begin <= last[i] <= end
            assert sum(gains[k - 1] for k in mine[: last[i] + 1] if k) >= need
            assert worth[last[i]] - paid == expected
        else:
            assert -paid == expected


@given(st.lists(one_job(), min_size=1, max_size=2), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=30)
def test_best_columns_python_and_compiled(jobs, must, tables):
    jobs = [within(job) for job in jobs]
    compiled, plain = arrays(jobs, must, tables), arrays(jobs, must, tables)
    columns.best_columns(*compiled)
    columns.best_columns.py_func(*plain)
    for a, b in zip(compiled[-1][:3], plain[-1][:3], strict=True):
        assert np.array_equal(a, b)


@st.composite
def copies(draw):
    """Nodes with the class of a copy at each level; states count copies at each level."""
    nodes, levels = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    number = st.integers(-1, 3)
    flat = draw(st.lists(number, min_size=nodes * levels, max_size=nodes * levels))
    price = st.one_of(st.integers(0, 9), st.just(INF))
    cost = draw(st.lists(price, min_size=4, max_size=4))
    counts = list(itertools.product(range(nodes + 1), repeat=levels))
    counts = [c for c in counts if sum(c) <= nodes]
    name = {c: k for k, c in enumerate(counts)}
    step = [
        [name.get(tuple(n + (q == level) for q, n in enumerate(c)), -1) for level in range(levels)]
        for c in counts
    ]
    classes = np.array(flat, np.int64).reshape(nodes, levels)
    return np.array([cost], np.int64), classes, np.array(step, np.int64), counts


@given(copies())
@SETTINGS
def test_copies_equal_enumeration(case):
    cost, classes, step, counts = case
    found = columns.copy_costs(cost, classes, step)
    assert np.array_equal(found, columns.copy_costs.py_func(cost, classes, step))
    nodes, levels = classes.shape
    for state, wanted in enumerate(counts):
        best = INF
        for chosen in itertools.product(range(-1, levels), repeat=nodes):
            if tuple(sum(x == q for x in chosen) for q in range(levels)) != wanted:
                continue
            used = [(classes[h, x]) for h, x in enumerate(chosen) if x >= 0]
            if all(c >= 0 and cost[0, c] < INF for c in used):
                best = min(best, sum(int(cost[0, c]) for c in used))
        assert found[0, state] == best
        level = columns.copy_use(cost[0], classes, step, state)
        if best < INF:
            paid = sum(int(cost[0, classes[h, x]]) for h, x in enumerate(level) if x >= 0)
            assert paid == best
            assert tuple((level == q).sum() for q in range(levels)) == wanted
