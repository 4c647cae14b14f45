"""The log after a change of ``--what-if``: its pools, its nodes and its jobs."""

from __future__ import annotations

from dataclasses import replace
from itertools import count, islice

from hadaropt.auditing.log import Log
from hadaropt.auditing.whatif import Change
from hadaropt.errors import InstanceError, shown
from hadaropt.instance import Cluster

MOST_NODES = 100_000


def changed_log(log: Log, change: Change, *, nodes: bool) -> Log:
    """Return the log after a change; recorded attempts stay, and mean nothing there.

    Parameters
    ----------
    log : Log
    change : Change
    nodes : bool
        Whether the nodes change too, as schedulers in rounds need; without, only pools are known.

    Raises
    ------
    InstanceError
        If the change does not say which nodes it adds, or takes nodes that are not there.
    """
    pools, over_time, types = dict(log.pools), dict(log.over_time), dict(log.types)
    if change.pool is not None:
        more = change.nodes * change.gpus
        if change.pool not in pools:
            types[change.pool] = change.pool
        pools[change.pool] = pools.get(change.pool, 0) + more
        if change.pool in over_time:
            over_time[change.pool] = over_time[change.pool].plus(more)
    jobs = []
    for job in log.jobs:
        gang, service = change.held(job.gang, job.service)
        submit = change.submit(job.submit)
        jobs.append(replace(job, submit=submit, gang=gang, service=service))
    cluster = log.cluster if nodes else None
    if nodes and change.pool is not None:
        cluster = _changed_cluster(log, change)
    return replace(
        log, pools=pools, over_time=over_time, types=types, jobs=tuple(jobs), cluster=cluster
    )


def _changed_cluster(log: Log, change: Change) -> Cluster:
    place, pool = f"what_if {shown(change.text)}", change.pool
    assert pool is not None
    if change.nodes > MOST_NODES:
        rule = f"schedulers in rounds run on at most {MOST_NODES:,} more nodes"
        raise InstanceError(place, rule)
    own = log.cluster
    if own is None:  # only the pools are known: each is one node
        rows: dict[str, dict[str, int]] = {name: {name: n} for name, n in log.pools.items()}
        if change.nodes < 0:
            rows[pool] = {pool: log.pools[pool] + change.nodes * change.gpus}
            return Cluster.of(rows)
        kind = pool
    else:
        kinds = own.accelerators
        new = () if pool in log.pools else (pool,)
        kind = next((name for name in (*kinds, *new) if name.lower() == change.kind.lower()), "")
        if not kind:
            rule = f"schedulers in rounds need the type of the nodes ({', '.join(kinds)})"
            raise InstanceError(place, rule)
        rows = {
            node: {name: n for name, n in zip(kinds, row, strict=True) if n}
            for node, row in zip(own.nodes, own.capacity, strict=True)
        }
    if change.nodes > 0:
        there = set(rows)
        free = (name for k in count() if (name := f"added-{k}") not in there)
        rows |= {name: {kind: change.gpus} for name in islice(free, change.nodes)}
        return Cluster.of(rows)
    like = [node for node, row in rows.items() if row == {kind: change.gpus}]
    if len(like) < -change.nodes:
        rule = f"schedulers in rounds need nodes to take, and {len(like)} have {change.gpus} {kind}"
        raise InstanceError(place, rule)
    for node in like[change.nodes :]:
        del rows[node]
    return Cluster.of(rows)
