"""Capacity that no schedule can use is left out before an instance is solved.

On one node a job holds one gang at a time, so all jobs together hold at most G GPUs of a type
there, G the sum of all gang sizes. A node with more than G of them is solved as one with G + 1: the
schedules are the same, and no limit on its GPUs is ever reached. So one more of them is worth
nothing: their prices are 0, and what the other prices prove holds whatever the capacity is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

import numpy as np
from numpy.typing import NDArray

from hadaropt.instance import Cluster, Instance
from hadaropt.pricing import dual_bound
from hadaropt.pricing.small import plain_if_small
from hadaropt.results import Prices, Result, Status

P = ParamSpec("P")
Solver = Callable[Concatenate[Instance, P], Result]
"""A function that answers for an instance, whatever its options are."""


def within_use(instance: Instance) -> Instance:
    """Return the instance with at most G + 1 GPUs of a type on a node; itself if it has no more."""
    most = sum(job.gang_size for job in instance.jobs) + 1
    cluster = instance.cluster
    rows = tuple(tuple(min(count, most) for count in row) for row in cluster.capacity)
    if rows == cluster.capacity:
        return instance
    return replace(instance, cluster=Cluster(cluster.accelerators, cluster.nodes, rows))


def without_spare(solver: Solver[P]) -> Solver[P]:
    """Let a solver see only capacity that can be used; its answer is one of the whole instance.

    Every answer passes here, so that it knows what was solved. Where so little is left that the
    work is small, kernels run as plain Python.
    """

    @wraps(solver)
    def solve(instance: Instance, *arguments: P.args, **options: P.kwargs) -> Result:
        if not isinstance(instance, Instance):
            return solver(instance, *arguments, **options)  # it says what is wrong
        small = within_use(instance)
        with plain_if_small(small):
            try:
                return _of_whole(instance, small, solver(small, *arguments, **options))
            except BaseException as error:
                known = getattr(error, "best_known", None)
                if known is not None:
                    error.best_known = _of_whole(instance, small, known)  # type: ignore[attr-defined]
                raise

    return cast("Solver[P]", solve)


def _of_whole(instance: Instance, small: Instance, found: Result) -> Result:
    """Return the answer as one of the whole instance, with the names of its types and nodes."""
    found = found if small is instance else _lifted(instance, small, found)
    prices = None if found.prices is None else found.prices.named(instance.cluster)
    return replace(found, instance=instance, prices=prices)


def _lifted(instance: Instance, small: Instance, found: Result) -> Result:
    """Return the answer with prices of 0 for GPUs of which some were left out."""
    if found.prices is None:
        return found
    spare = np.array(instance.cluster.capacity, object) != np.array(small.cluster.capacity, object)
    if found.prices.pool == "type":
        spare = spare.any(axis=0)
    units = np.where(spare, 0, found.prices.units)
    prices = Prices(np.ascontiguousarray(units), found.prices.scale, found.prices.pool)
    tree = None if found.branching_tree is None else _without(found.branching_tree, instance, spare)
    if tree is not None or (units == found.prices.units).all():
        return replace(found, prices=prices, branching_tree=tree)
    # Copies of one job on several nodes may use more of a type than the prices of types allow for.
    bound = dual_bound(instance, prices).value
    if found.bound is not None and bound <= found.bound:
        return replace(found, prices=prices)
    status = Status.FEASIBLE if found.status == Status.PROVED else found.status
    return replace(found, prices=prices, bound=bound, status=status)


def _without(
    tree: Mapping[str, Any], instance: Instance, spare: NDArray[np.bool_]
) -> dict[str, object]:
    """Return the tree of a certificate without the prices of spare GPUs."""
    cluster = instance.cluster

    def is_spare(entry: Mapping[str, Any]) -> bool:
        r = cluster.accelerators.index(entry["type"])
        return bool(spare[cluster.nodes.index(entry["node"]), r] if "node" in entry else spare[r])

    vectors = [[e for e in entries if not is_spare(e)] for entries in tree["price_vectors"]]
    return {**tree, "price_vectors": vectors}


__all__ = ["within_use", "without_spare"]
