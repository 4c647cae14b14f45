"""Logs to audit: who is part of one, and which pool a job takes its GPUs from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hadaropt import Cluster, audit
from hadaropt.auditing.log import EARLY, OVERLAP, WIDER, make_log, whole_log, without_wider
from hadaropt.auditing.sentences import assumptions
from hadaropt.errors import TraceError
from hadaropt.traces import Trace
from tests.auditing.logs import Row
from tests.auditing.logs import trace as trace_of
from tests.auditing.test_fit import ran, trace

BOTH = Cluster.parse("GPU=1x4,V100=2x4")
WIDE = ran("wide", 0, (0, 100), gpus=8)
NARROW = ran("narrow", 10, (100, 200), gpus=4)


def untyped(*jobs) -> Trace:
    return trace(*(replace(job, gpu_type=None) for job in jobs))


def test_a_gang_wider_than_the_cluster_is_left_out_and_counted() -> None:
    whole = whole_log(trace(WIDE, NARROW), Cluster.parse("V100=4"))
    assert len(whole.jobs) == 2
    assert not whole.left_out
    log = without_wider(whole)
    assert [job.name for job in log.jobs] == ["narrow"]
    assert log.left_out == {WIDER: 1}
    assert without_wider(log) is log
    with pytest.raises(TraceError, match="no job that finished and fits"):
        make_log(trace(WIDE), Cluster.parse("V100=4"))


def test_a_gang_that_ran_shows_what_the_cluster_had() -> None:
    found = audit(trace(WIDE, NARROW), "V100=4", used=True)
    assert found.jobs == 2
    assert not found.log.left_out
    assert found.log.pools == {"V100": 4}
    assert found.log.enlarged == {"V100": 4}
    assert found.log.wider == {0: found.log.jobs[0].attempts}
    assert found.recorded is not None
    assert found.recorded.waiting == 90
    assert found.avoidable is not None
    assert found.avoidable[0] == 0  # no rule here avoids what the wide gang makes the other wait
    given = audit(trace(WIDE, NARROW), "V100=4")
    assert given.log.left_out == {WIDER: 1}


def test_a_gang_that_never_held_its_gpus_shows_nothing() -> None:
    log = audit(trace(ran("wide", 0, (5, 5), gpus=8), NARROW), "V100=4", used=True).log
    assert log.pools == {"V100": 4}
    assert log.left_out == {WIDER: 1}


def test_a_type_named_gpu_is_not_the_common_pool() -> None:
    log = make_log(untyped(WIDE, NARROW), BOTH)
    assert log.pools == {"GPU": 12}
    assert log.types == {"GPU": "GPU", "V100": "GPU"}
    assert log.common
    typed = make_log(trace(WIDE, NARROW), BOTH)
    assert typed.pools == {"GPU": 4, "V100": 8}
    assert not typed.common


def test_types_are_those_of_the_cluster_or_else_of_the_jobs() -> None:
    mixed = trace(replace(NARROW, gpu_type="V100|K80"), WIDE)
    assert make_log(mixed).types == {"V100": "GPU", "K80": "GPU"}
    assert make_log(mixed, Cluster.parse("V100=8")).types == {"V100": "V100"}
    assert make_log(trace(NARROW)).types == {"V100": "V100"}
    assert make_log(untyped(NARROW)).types == {}


def test_inferred_cluster_is_the_most_held_at_once_and_said() -> None:
    found = audit(trace_of([(0, [(0, 5)], 2), (0, [(2, 9)], 3), (0, [(9, 12)], 1)]))
    assert dict(found.log.pools) == {"GPU": 5}
    assert found.log.origin == "inferred"
    assert any("inferred" in line for line in assumptions(found))


def test_clock_jumps_and_overlaps_are_counted() -> None:
    rows: list[Row] = [(5, [(0, 10)], 1), (0, [(0, 10), (9, 12)], 1), (0, [(0, 1)], 1)]
    log = make_log(trace_of(rows))
    assert log.left_out == {OVERLAP: 1, EARLY: 1}
    with pytest.raises(TraceError, match=r"has no job to audit \(1 started before"):
        make_log(trace_of(rows[:1]))


def test_types_are_pools_and_unknown_types_are_one() -> None:
    typed = trace_of([(0, [(0, 5)], 1)], gpu_type="v100")
    assert dict(make_log(typed, Cluster.parse("V100=2,K80=4")).pools) == {"V100": 2, "K80": 4}
    loose = trace_of([(0, [(0, 5)], 1)])
    assert dict(make_log(loose, Cluster.parse("V100=2,K80=4")).pools) == {"GPU": 6}
    with pytest.raises(TraceError, match="must be a type of the cluster"):
        make_log(typed, Cluster.parse("K80=4"))
