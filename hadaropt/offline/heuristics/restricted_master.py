"""The restricted master as an integer program: the best schedule of a few columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hadaropt.mip.highs import HighsModel
from hadaropt.mip.model import Floats, LinearModel
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.master import Master
from hadaropt.offline.colgen.plan import Plan, place
from hadaropt.offline.limited_run import run_within


def restricted_integer(
    master: Master,
    keep: Sequence[int],
    start: Plan | None,
    *,
    clock: Clock,
    node_limit: int = 10**6,
) -> Plan | None:
    """Solve the master over some of its columns as an integer program; None if nothing is found.

    Parameters
    ----------
    keep : sequence of int
        Places of the columns.
    start : Plan, optional
        Its columns must all be kept, or it is not offered as a start.
    """
    linear = master.linear
    rows = linear.shape[0]
    base = linear.shape[1]
    counts = [len([r for r in master._index[p] if r < rows]) for p in keep]
    start_at = np.concatenate([linear.start, linear.start[-1] + np.cumsum(counts)])
    index = [r for p in keep for r in master._index[p] if r < rows]
    value = [
        v for p in keep for r, v in zip(master._index[p], master._value[p], strict=True) if r < rows
    ]
    n = base + len(keep)
    upper = np.concatenate([linear.upper, np.ones(len(keep))])
    upper[: len(master.space.jobs)] = 0.0
    integer = np.zeros(n, np.bool_)
    integer[base:] = True
    model = LinearModel(
        np.concatenate([linear.cost, np.array([master._column_value[p] for p in keep])]),
        np.zeros(n),
        upper,
        linear.row_lower,
        linear.row_upper,
        start_at.astype(np.int32),
        np.concatenate([linear.index, np.array(index, np.int32)]).astype(np.int32),
        np.concatenate([linear.value, np.array(value, np.float64)]),
        integer,
        True,
        list,
        list,
    )
    highs = HighsModel(model, cost_scale=master._scale)
    if start is not None:
        x = _start_point(master, keep, start)
        if x is not None:
            highs.set_start(np.concatenate([np.zeros(base), x]))
    outcome = run_within(highs, clock, n + rows, node_limit=node_limit)
    if outcome.x is None:
        return None
    chosen = [master.columns[p] for p, x in zip(keep, outcome.x[base:], strict=True) if x > 0.5]
    return place(master.space, chosen)


def _start_point(master: Master, keep: Sequence[int], plan: Plan) -> Floats | None:
    places = {master.columns[p]: k for k, p in enumerate(keep)}
    x = np.zeros(len(keep))
    for column in plan.columns.values():
        if column not in places:
            return None
        x[places[column]] = 1.0
    return x


__all__ = ["restricted_integer"]
