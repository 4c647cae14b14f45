"""Logs to audit: who is part of one, and which pool a job takes its GPUs from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hadaropt import audit
from hadaropt.auditing.log import WIDER, make_log, whole_log, without_wider
from hadaropt.errors import TraceError
from hadaropt.instance import Cluster
from hadaropt.traces import Trace
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
