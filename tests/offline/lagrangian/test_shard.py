"""Jobs in parts."""

from __future__ import annotations

import numpy as np
import pytest

from hadaropt.generate import generate
from hadaropt.offline.lagrangian.bound import lagrangian_bound
from hadaropt.offline.lagrangian.job_table import job_table
from hadaropt.offline.lagrangian.shard import Shard
from tests.offline.lagrangian.large import large


@pytest.mark.parametrize("parts", [1, 2, 5, 10_000])
def test_parts_hold_every_job_once(parts):
    instance = large()
    shard = Shard(job_table(instance), instance.num_rounds, len(instance.cluster.accelerators))
    split = shard.split(parts)
    assert len(split) <= parts
    found = np.sort(np.concatenate([part.rows for part in split]))
    assert found.tolist() == list(range(len(shard.table)))
    for part in split:
        assert part.table.index.tolist() == shard.table.index[part.rows].tolist()
    assert sum(int(part.operations().sum()) for part in split) == int(shard.operations().sum())


def test_parts_have_equal_work_and_like_jobs():
    """Not only by count: early and late groups, which take unlike times, are dealt to all."""
    instance = large()
    shard = Shard(job_table(instance), instance.num_rounds, len(instance.cluster.accelerators))
    work = shard.operations()
    first, second = shard.split(2)
    totals = [int(part.operations().sum()) for part in (first, second)]
    assert abs(totals[0] - totals[1]) <= int(work.max())
    middles = [float(part.rows.mean()) / len(shard.table) for part in (first, second)]
    assert all(0.4 < middle < 0.6 for middle in middles)


def test_of_no_job_there_is_one_part():
    instance = generate("six_class", seed=3, num_jobs=0, num_rounds=4)
    shard = Shard(job_table(instance), 4, len(instance.cluster.accelerators))
    assert shard.split(3) == [shard]
    assert lagrangian_bound(instance, threads=4).bound == 0
