"""The rows of states against a plain dynamic program, ties included."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.kernels.rounds.priced import priced_round


@st.composite
def rounds(draw):
    types, jobs = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    capacity = draw(st.lists(st.integers(0, 4), min_size=types, max_size=types))
    gang = draw(st.lists(st.sampled_from([1, 1, 2, 3]), min_size=jobs, max_size=jobs))
    row = st.lists(st.integers(0, 3), min_size=types, max_size=types)
    gain = np.array(draw(st.lists(row, min_size=jobs, max_size=jobs)))
    factor = np.array(draw(st.lists(st.integers(1, 3), min_size=jobs, max_size=jobs)))
    width = max(capacity) + 1
    steps = st.lists(st.integers(0, 2), min_size=width, max_size=width)
    price = np.array([list(itertools.accumulate(draw(steps))) for _ in range(types)])
    return np.array(capacity), np.array(gang), gain * factor[:, None], gain, price


def offer(capacity, used, gang, worth, gain, price, mixing):
    """Return the best payoff in a state, and the GPUs for it."""
    types = range(len(capacity))
    best, chosen = 0, None
    for level in types:
        if worth[level] == 0:
            continue
        need, cost, counts = gang, 0, [0] * len(capacity)
        for r in sorted(types, key=lambda r: (price[r][used[r]], r)):
            if gain[r] >= gain[level] if mixing else r == level:
                counts[r] = min(need, capacity[r] - used[r])
                need -= counts[r]
                cost += counts[r] * price[r][used[r]]
        if need == 0 and worth[level] - cost > best:
            best, chosen = worth[level] - cost, counts
    return best, chosen


def plain(capacity, gang, worth, gain, price, mixing):
    """Ask in every state, the lowest first: of equals the first one stays."""
    states = {(0,) * len(capacity): (0, ())}
    for j in range(len(gang)):
        after = {used: (value, (*path, None)) for used, (value, path) in states.items()}
        for used in sorted(states):
            value, path = states[used]
            pays, counts = offer(capacity, used, gang[j], worth[j], gain[j], price, mixing)
            if counts is not None:
                there = tuple(u + n for u, n in zip(used, counts, strict=True))
                if there not in after or value + pays > after[there][0]:
                    after[there] = value + pays, (*path, counts)
        states = after
    most = max(value for value, _ in states.values())
    end = min(used for used, (value, _) in states.items() if value == most)
    return [counts or [0] * len(capacity) for counts in states[end][1]], most


@settings(deadline=None, max_examples=60)
@given(rounds(), st.booleans())
def test_rows_of_states_answer_as_a_plain_program(case, mixing):
    taken, total = priced_round(*case, mixing)
    assert (taken.tolist(), total) == plain(*(part.tolist() for part in case), mixing)
