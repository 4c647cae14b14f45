"""What a job holds in the rounds of a schedule, and what it does there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hadaropt.kernels.pricing import modes_node as node
from hadaropt.kernels.pricing import modes_pooled as choices
from hadaropt.pricing.cover import Costs, Trace
from hadaropt.pricing.model import Bools, Ints


@dataclass(frozen=True)
class RoundChoice:
    """What a job holds in one round.

    Attributes
    ----------
    round : int
    progress : int
        Iterations done.
    use : tuple
        Units held: (R,) where prices are on types and nodes do not matter, else (H, R).
    copies : bool
        Whether each node entry is one copy of the job.
    """

    round: int
    progress: int
    use: tuple[int, ...] | tuple[tuple[int, ...], ...]
    copies: bool = False


def held(found: Costs, trace: Trace) -> Iterator[tuple[RoundChoice, int]]:
    """Yield the choice of every round of a schedule, in order, and its key."""
    if found.price.ndim == 2:
        yield from _on_types(found, trace)
    else:
        for n, i in zip(trace.offsets.tolist(), trace.candidates.tolist(), strict=True):
            yield _copies(found, n, trace.levels[n]) if i < 0 else _on_nodes(found, n, i)


def _on_types(found: Costs, trace: Trace) -> Iterator[tuple[RoundChoice, int]]:
    model, release = found.model, found.model.release
    allowed = np.repeat(model.gang.admitted, found.steps, axis=1)
    use = choices.pooled_use(
        found.price, found.free, model.gang_size, allowed, trace.offsets, trace.candidates
    )
    use = use.reshape(len(use), -1, found.steps).sum(axis=2)
    keys = found.gang[trace.offsets, trace.candidates]
    rows = zip(trace.offsets.tolist(), use.tolist(), keys.tolist(), strict=True)
    for n, row, key in rows:
        progress = min(p for p, w in zip(model.alone, row, strict=True) if w)
        yield RoundChoice(release + n, progress, tuple(row)), key


def _on_nodes(found: Costs, n: int, candidate: int) -> tuple[RoundChoice, int]:
    """One gang, inside a node or over several."""
    model = found.model
    host = int(found.host[n, candidate])
    use = _placed(found, n, model.gang.admitted[candidate], host)
    speeds = model.across if np.count_nonzero(use.sum(axis=1)) > 1 else model.alone
    progress = _slowest(speeds, use.sum(axis=0))
    return RoundChoice(model.release + n, progress, _rows(use)), int(found.gang[n, candidate])


def _copies(found: Costs, n: int, levels: Ints) -> tuple[RoundChoice, int]:
    """Two copies or more, each inside a node of its own."""
    model, progress, key = found.model, 0, 0
    use = np.zeros((len(levels), model.copy.admitted.shape[1]), np.int64)
    for h in map(int, np.flatnonzero(levels >= 0)):
        copy = _placed(found, n, model.copy.admitted[levels[h]], h)
        progress += _slowest(model.copied, copy.sum(axis=0))
        key += int(found.copies[n, h, levels[h]])
        use += copy
    return RoundChoice(model.release + n, progress, _rows(use), True), key


def _placed(found: Costs, n: int, admitted: Bools, host: int) -> Ints:
    """Units of each type on each node, (H, R)."""
    allowed = np.repeat(admitted, found.steps)
    use = node.use(found.price[n], found.free[n], found.model.gang_size, allowed, host)
    return np.asarray(use.reshape(len(use), -1, found.steps).sum(axis=2))


def _slowest(progress: tuple[int, ...], held: Ints) -> int:
    """Progress of a gang: that of the slowest type it holds (progress grows with the speed)."""
    return min(progress[r] for r in np.flatnonzero(held))


def _rows(use: Ints) -> tuple[tuple[int, ...], ...]:
    """Return the rows; nodes that hold nothing share one: nearly all do, on a large cluster."""
    rows = [(0,) * use.shape[1]] * len(use)
    for h in np.flatnonzero(use.any(axis=1)).tolist():
        rows[h] = tuple(use[h].tolist())
    return tuple(rows)
