"""Instances whose work is so small that kernels run as plain Python."""

from __future__ import annotations

from contextlib import AbstractContextManager

from hadaropt.instance import Instance
from hadaropt.kernels.dispatch import work


def plain_if_small(instance: Instance) -> AbstractContextManager[None]:
    """Let kernels within the block run as plain Python if the instance is small.

    The one rule is that of `hadaropt.kernels.dispatch`: jobs x rounds x GPUs.
    """
    units = sum(sum(row) for row in instance.cluster.capacity)
    return work(len(instance.jobs), instance.num_rounds, units)
