"""The core of a round against plain numpy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.rounds.core import core_options, needed_jobs, round_payoffs
from hadaropt.simulate.schedulers.exact_round import gang_options


@st.composite
def rounds(draw):
    types, jobs = draw(st.integers(1, 3)), draw(st.integers(1, 8))
    numbers = st.integers(0, 9)
    worth = draw(st.lists(st.lists(numbers, min_size=types, max_size=types), min_size=jobs,
                          max_size=jobs))  # fmt: skip
    gang = draw(st.lists(st.integers(1, 3), min_size=jobs, max_size=jobs))
    price = draw(st.lists(st.integers(0, 4), min_size=types, max_size=types))
    return np.array(gang), np.array(worth), np.array(price)


def pay(worth, option):
    return min(int(worth[r]) for r in range(len(option)) if option[r] > 0)


@given(rounds(), st.booleans(), st.integers(0, 6))
@settings(max_examples=25, deadline=None)
def test_payoffs_and_options(case, mixing, allowed):
    gang, worth, price = case
    jobs, types = worth.shape
    levels = round_payoffs(gang, worth, mixing, price)
    assert (levels == round_payoffs.py_func(gang, worth, mixing, price)).all()
    lists = [gang_options(w, types, mixing) for w in gang.tolist()]
    for j in range(jobs):  # the best level is the best option
        options = [pay(worth[j], o) - int(o @ price) for o in lists[j] if pay(worth[j], o) > 0]
        assert max(levels[j]) == max(options, default=-(2**62))
    best = np.maximum(levels.max(axis=1), 0)
    last = np.cumsum([len(part) for part in lists])
    first = last - [len(part) for part in lists]
    asked = np.arange(jobs), worth, best, price, allowed, np.concatenate(lists), first, last
    fixed, fixed_option, open_jobs, end, kept = core_options(*asked)
    for ours, slow in zip(
        (fixed, fixed_option, open_jobs, end, kept), core_options.py_func(*asked), strict=True
    ):
        assert (ours == slow).all()
    for j in range(jobs):
        near = [
            k
            for k in range(first[j], last[j])
            if pay(worth[j], asked[5][k]) > 0
            and best[j] - (pay(worth[j], asked[5][k]) - int(asked[5][k] @ price)) <= allowed
        ]
        if len(near) == 1 and best[j] > allowed:
            assert fixed_option[fixed.tolist().index(j)] == near[0]
        elif near:
            i = open_jobs.tolist().index(j)
            assert kept[(end[i - 1] if i else 0) : end[i]].tolist() == near
        else:
            assert j not in fixed and j not in open_jobs


@given(rounds(), st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_the_best_of_each_gang_are_needed(case, total):
    gang, worth, _ = case
    members = np.arange(len(gang))
    kept = needed_jobs(members, total, gang, worth)
    assert (kept == needed_jobs.py_func(members, total, gang, worth)).all()
    for size in set(gang.tolist()):
        own = [j for j in members.tolist() if gang[j] == size]
        if len(own) <= total // size:
            assert set(own) <= set(kept.tolist())
        for r in range(worth.shape[1]):
            best = sorted(own, key=lambda j: (-worth[j, r], j))[: total // size]
            assert set(best) <= set(kept.tolist())
