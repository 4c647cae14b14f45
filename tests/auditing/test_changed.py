"""The log after a change: pools, nodes and jobs."""

from __future__ import annotations

import pytest

from hadaropt.auditing.changed import changed_log
from hadaropt.auditing.log import Log, make_log
from hadaropt.auditing.whatif import parse_change
from hadaropt.errors import InstanceError
from hadaropt.instance import Cluster
from tests.auditing.logs import trace
from tests.auditing.test_log import NARROW, untyped

SIZES = Cluster.of({"a": {"GPU": 4}, "b": {"GPU": 4}, "c": {"GPU": 2}})


def after(log: Log, text: str) -> Log:
    return changed_log(log, parse_change(text, log.pools, log.types), nodes=True)


def test_nodes_are_added_and_taken_by_their_size() -> None:
    log = make_log(trace([(0, [(0, 5)], 1)]), SIZES)
    added = after(log, "add=gpu:2x8")
    assert added.pools == {"GPU": 26}
    assert sorted(row[0] for row in added.cluster.capacity) == [2, 4, 4, 8, 8]  # type: ignore[union-attr]
    taken = after(log, "drop=GPU:1x4")
    assert sorted(row[0] for row in taken.cluster.capacity) == [2, 4]  # type: ignore[union-attr]


def test_where_only_pools_are_known_each_is_a_node() -> None:
    log = make_log(trace([(0, [(0, 5)], 3)]), None)
    assert after(log, "add=GPU:1x2").cluster.capacity == ((3,), (2,))  # type: ignore[union-attr]


def test_jobs_come_faster_or_are_narrower() -> None:
    log = make_log(trace([(0, [(0, 5)], 3), (9, [(9, 12)], 1)]), Cluster.parse("GPU=4"))
    assert [job.submit for job in after(log, "load=2").jobs] == [0, 4]
    assert [(job.gang, job.service) for job in after(log, "gangs=2").jobs] == [(2, 8), (1, 3)]


def test_a_node_of_no_known_type_is_refused() -> None:
    log = make_log(untyped(NARROW), Cluster.parse("P100=1x4,V100=2x4"))
    with pytest.raises(InstanceError, match="need the type of the nodes"):
        after(log, "add=GPU:1x4")
    assert len(after(log, "add=v100:1x4").cluster.nodes) == 4  # type: ignore[union-attr]
