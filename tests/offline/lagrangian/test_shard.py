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
    found = np.concatenate([part.table.index for part in split])
    assert found.tolist() == shard.table.index.tolist()
    assert sum(int(part.operations().sum()) for part in split) == int(shard.operations().sum())


def test_of_no_job_there_is_one_part():
    instance = generate("six_class", seed=3, num_jobs=0, num_rounds=4)
    shard = Shard(job_table(instance), 4, len(instance.cluster.accelerators))
    assert shard.split(3) == [shard]
    assert lagrangian_bound(instance, threads=4).bound == 0
