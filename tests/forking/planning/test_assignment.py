"""Theorems H1 and H8 against enumeration."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import InstanceError
from hadaropt.forking.planning.assignment import best_assignment, greedy_assignment, most_busy_nodes

few = settings(deadline=None, max_examples=30)
caps_of = st.lists(st.integers(0, 3), min_size=1, max_size=3)


def assignments(jobs, nodes, caps):
    for choice in itertools.product([None, *range(jobs)], repeat=nodes):
        if caps is None or all(choice.count(j) <= caps[j] for j in range(jobs)):
            yield choice


@few
@given(caps_of, st.data())
def test_h1_most_busy_nodes(caps, data):
    able = data.draw(
        st.lists(st.sets(st.integers(0, len(caps) - 1)).map(sorted), min_size=1, max_size=4)
    )
    found = most_busy_nodes(able, caps)
    best = max(
        sum(j is not None for j in choice)
        for choice in assignments(len(caps), len(able), caps)
        if all(j is None or j in able[h] for h, j in enumerate(choice))
    )
    assert found.count == best == sum(j is not None for j in found.assignment)
    assert all(j is None or j in able[h] for h, j in enumerate(found.assignment))
    assert all(found.assignment.count(j) <= cap for j, cap in enumerate(caps))
    blocked = {j for h in found.blocking for j in able[h]}
    assert len(able) - len(found.blocking) + sum(caps[j] for j in blocked) == best


def test_h1_without_caps_every_node_that_can_run_a_job_is_busy():
    found = most_busy_nodes([[0], [0, 1], [1], []], [4, 4])
    assert found.count == 3
    assert found.assignment[3] is None


gains = st.integers(1, 3).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=1, max_size=3)
)


@few
@given(gains, st.data())
def test_h8_transportation(gain, data):
    jobs, nodes = len(gain), len(gain[0])
    limited = st.lists(st.integers(0, 3), min_size=jobs, max_size=jobs)
    caps = data.draw(st.one_of(st.none(), limited))

    def worth(choice):
        return sum(gain[j][h] for h, j in enumerate(choice) if j is not None)

    assignment, value = best_assignment(gain, caps)
    assert value == worth(assignment) == max(map(worth, assignments(jobs, nodes, caps)))
    assert assignment in set(assignments(jobs, nodes, caps))


@few
@given(gains, st.booleans(), st.data())
def test_h8_greedy_is_within_its_factor(gain, capped, data):
    jobs, nodes = len(gain), len(gain[0])
    limit = data.draw(st.lists(st.integers(0, 12), min_size=jobs, max_size=jobs))
    limited = st.lists(st.integers(0, 3), min_size=jobs, max_size=jobs)
    caps = data.draw(limited) if capped else None

    def worth(choice):
        return sum(
            min(limit[j], sum(gain[j][h] for h in range(nodes) if choice[h] == j))
            for j in range(jobs)
        )

    assignment, value = greedy_assignment(gain, limit, caps)
    assert value == worth(assignment)
    best = max(map(worth, assignments(jobs, nodes, caps)))
    assert (3 if capped else 2) * value >= best >= value


def test_negative_caps_are_refused():
    with pytest.raises(InstanceError, match=r"caps\[1\] = -1, must be >= 0"):
        most_busy_nodes([[0]], [1, -1])
    with pytest.raises(InstanceError, match=r"caps\[0\] = -2, must be >= 0"):
        best_assignment([[1]], [-2])


def test_nothing_to_assign():
    assert best_assignment([]) == ((), 0)
    assert greedy_assignment([], []) == ((), 0)
    assert most_busy_nodes([], []).count == 0
