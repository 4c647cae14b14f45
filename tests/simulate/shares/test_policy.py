"""Gavel's policies by name, and their memory."""

from __future__ import annotations

import numpy as np
import pytest

from hadaropt.errors import InstanceError
from hadaropt.simulate.shares.policy import BLIND, BY_PRICES, POLICIES, Candidate, SharePolicy


def candidate(key, speed, *, gang=1, weight=1.0, remaining=100.0, age=0.0):
    return Candidate(key, gang, speed, weight, remaining, age)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_divides_the_time_of_the_cluster(name):
    jobs = [candidate(7, [4.0, 1.0]), candidate(3, [2.0, 1.0], gang=2), candidate(5, [0.0, 3.0])]
    found = SharePolicy(name).shares(jobs, [2, 2])
    assert set(found) == {7, 3, 5}
    held = sum(job.gang * found[job.key] for job in jobs)
    assert (held <= np.array([2, 2]) + 1e-6).all()
    assert all(x.min() >= 0 and x.sum() <= 1 + 1e-6 for x in found.values())
    assert sum(x.sum() for x in found.values()) > 0


def test_a_job_that_runs_nowhere_has_no_share_and_hinders_no_other():
    alone = SharePolicy("max_min_fairness_perf")
    jobs = [candidate(0, [0.0, 9.0]), candidate(1, [1.0, 0.0])]
    found = alone.shares(jobs, [1, 0])
    assert found[0].tolist() == [0, 0] and found[1] == pytest.approx([1, 0], abs=1e-6)
    assert alone.shares(jobs[:1], [1, 0])[0].tolist() == [0, 0]
    assert alone.shares([], [1, 1]) == {}


def test_a_weight_of_zero_has_no_share_where_shares_follow_weights():
    jobs = [candidate(0, [1.0], weight=0.0), candidate(1, [1.0])]
    assert SharePolicy("max_min_fairness_perf").shares(jobs, [1])[0].tolist() == [0]
    assert SharePolicy("isolated").shares(jobs, [1])[0].tolist() == [0.5]


@pytest.mark.parametrize("name", BLIND)
def test_blind_policies_take_every_speed_to_be_one(name):
    jobs = [candidate(0, [5.0, 0.0]), candidate(1, [1.0, 0.0])]
    problem, _ = SharePolicy(name).problem(jobs, [1, 1])
    assert problem.speed.tolist() == [[1, 0], [1, 0]]
    as_reference, _ = SharePolicy(name, as_reference=True).problem(jobs, [1, 1])
    assert as_reference.speed.tolist() == [[1, 1], [1, 1]]  # time where it cannot run counts


def test_what_was_done_is_booked_at_the_isolated_speed_of_then():
    policy = SharePolicy("finish_time_fairness_perf")
    jobs = [candidate(0, [4.0], remaining=100.0), candidate(1, [4.0], remaining=100.0)]
    first, _ = policy.problem(jobs, [1])
    assert first.isolated_seconds.tolist() == [0, 0]
    later = [candidate(0, [4.0], remaining=60.0), candidate(1, [4.0], remaining=100.0)]
    second, _ = policy.problem(later, [1])
    assert second.isolated_seconds.tolist() == [40 / 2, 0]  # half of the GPU: 2 steps a second
    third, _ = policy.problem(later[:1], [1])
    assert third.isolated_seconds.tolist() == [20]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SharePolicy("max_min"), 'policy = "max_min", .*did you mean "max_min_fairness"'),
        (lambda: SharePolicy("isolated", solver="simplex"), 'solver = "simplex", must be one of'),
    ],
)
def test_unknown_names_are_refused(make, said):
    with pytest.raises(InstanceError, match=said):
        make()
    assert set(BY_PRICES) < set(POLICIES) > set(BLIND)
