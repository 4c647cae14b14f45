"""From a solver's point to a schedule, and from a schedule to a point to start from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from hadaropt.errors import SolverError
from hadaropt.instance import Instance
from hadaropt.mip.model import Floats, Ints
from hadaropt.modes.plans import JobPlan, Way
from hadaropt.offline.compact.hall import HallModel
from hadaropt.offline.compact.node import NodeModel
from hadaropt.offline.compact.placement import place_counts, place_pooled
from hadaropt.offline.compact.time_index import Windows
from hadaropt.schedule import Allocation, Schedule
from hadaropt.tolerances import INTEGRALITY


def rounded(x: Floats) -> Ints:
    """Return the integers nearest to x.

    Raises
    ------
    SolverError
        If a value is further from an integer than the tolerance: that is no integer solution.
    """
    nearest = np.rint(x)
    worst = float(np.abs(x - nearest).max(initial=0.0))
    if not worst <= INTEGRALITY:
        raise SolverError(f"an integer variable is off by {worst:.3g} from an integer")
    return nearest.astype(np.int64)


def schedule_of(instance: Instance, model: HallModel | NodeModel, x: Floats) -> Schedule:
    """Return the schedule of a point of the integer program: rounded, placed, trimmed.

    Raises
    ------
    SolverError
        If the point is not integral.
    PlacementError
        If rows that were not written are violated.
    """
    if isinstance(model, HallModel):
        chosen = np.flatnonzero(rounded(x[: len(model.run_pair)]))
        runs: dict[int, list[tuple[JobPlan, Way]]] = defaultdict(list)
        for y in chosen:
            k = model.run_pair[y]
            plan = model.plans[model.windows.plan_of[k]]
            runs[int(model.windows.round_of[k])].append((plan, plan.ways[model.run_way[y]]))
        return place_pooled(instance, runs)
    counts = rounded(x[: model.progress])
    used: dict[tuple[int, int], tuple[JobPlan, list[Way]]] = {}
    held: dict[tuple[int, int], dict[tuple[int, int], int]] = {}
    for p, plan in enumerate(model.plans):
        for t in range(plan.release, plan.last + 1):
            first = model.columns_of(p, t)
            ways = [way for i, way in enumerate(plan.ways) if counts[first + i]]
            if ways:
                used[plan.job, t] = plan, ways
                cells = model.blocks[p].cells
                held[plan.job, t] = {cell: int(counts[first + i]) for cell, i in cells.items()}
    return place_counts(instance, used, held)


def _ways_of(plan: JobPlan, allocation: Allocation) -> Iterator[tuple[int, Way]]:
    """Yield the best way (with its index) for the gang, or for each copy, of an allocation."""
    types: dict[int, set[int]] = defaultdict(set)
    for h, r, _ in allocation.gpus:
        types[h].add(r)
    everywhere = set().union(*types.values())
    parts = list(types.items()) if allocation.copies else [(min(types), everywhere)]
    for h, held in parts:
        fitting = [
            (way.units, -i)
            for i, way in enumerate(plan.ways)
            if (way.kind == "copy") == allocation.copies
            and held.issubset(way.admitted)
            and way.node in (-1, h)
            and (way.kind != "inside" or len(types) == 1)
        ]
        if fitting:
            i = -max(fitting)[1]
            yield i, plan.ways[i]


def start_of(model: HallModel | NodeModel, schedule: Schedule) -> Floats:
    """Return the point of the integer program that stands for a feasible schedule.

    Jobs that do not complete in it, or earn nothing, are left out.
    """
    windows: Windows = model.windows
    x = np.zeros(model.linear.shape[1])
    progress = len(model.run_pair) if isinstance(model, HallModel) else model.progress
    for p, plan in enumerate(model.plans):
        done, marks, reached = 0, [], []
        for allocation in sorted(schedule.jobs[plan.job]):
            if allocation.round > plan.last or done >= plan.need:
                break
            ways = list(_ways_of(plan, allocation))
            done = min(plan.need, done + sum(way.units for _, way in ways))
            marks.append((allocation, ways))
            reached.append((allocation.round, done))
        if done < plan.need:
            continue
        for allocation, ways in marks:
            t = allocation.round
            if isinstance(model, HallModel):
                k = windows.starts[p] + t - plan.release
                first = int(np.searchsorted(model.run_pair, k))
            else:
                first = model.columns_of(p, t)
                block = model.blocks[p]
                for h, r, count in allocation.gpus:
                    if (h, r) in block.cells and ways:
                        x[first + block.cells[h, r]] = count
                if allocation.copies and ways:
                    x[first + block.forked] = 1
            for i, _ in ways:
                x[first + i] = 1
        for t, amount in reached:
            begin = progress + windows.starts[p] + t - plan.release
            x[begin : progress + windows.starts[p] + plan.last - plan.release + 1] = amount
        begin = progress + windows.pairs + windows.done_starts[p]
        x[begin + reached[-1][0] - plan.first : begin + plan.last - plan.first + 1] = 1
    return x
