"""For tests of your own: strategies, and assertions on schedules, duals and extensions.

Extensions are policies, price functions and round schedulers. Needs the extra ``testing``. Every
assertion raises `AssertionError` with the reason; an argument of the wrong kind is a `TypeError`.

Examples
--------
>>> from hypothesis import given, settings
>>> import hadaropt
>>> from hadaropt import testing
>>> @given(testing.instances(max_jobs=3))
... @settings(max_examples=5, deadline=None)
... def test_my_policy(instance):
...     testing.assert_policy_conforms(hadaropt.policies.Fifo(), instance)
>>> test_my_policy()
"""

from __future__ import annotations

from hadaropt.testing.duality import (
    assert_dual_feasible,
    assert_schedule_feasible,
    assert_weak_duality,
)
from hadaropt.testing.policy import assert_policy_conforms
from hadaropt.testing.price import assert_price_conforms
from hadaropt.testing.scheduler import assert_scheduler_conforms
from hadaropt.testing.strategies import (
    clusters,
    instances,
    jobs,
    price_tables,
    round_problems,
    utilities,
)

__all__ = [
    "assert_dual_feasible",
    "assert_policy_conforms",
    "assert_price_conforms",
    "assert_schedule_feasible",
    "assert_scheduler_conforms",
    "assert_weak_duality",
    "clusters",
    "instances",
    "jobs",
    "price_tables",
    "round_problems",
    "utilities",
]
