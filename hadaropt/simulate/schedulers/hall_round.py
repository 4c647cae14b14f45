"""One round as an integer program in Hall form, for clusters too large for a dynamic program.

Variable y_jl = 1: job j runs with slowest type l, worth v_jl; A_jl are the types that it may use.
max sum v y over sum_l y_jl <= 1 and, for each needed set S of types,
sum over A_jl within S of W_j y_jl <= C(S); by Hall's theorem every such y can be placed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hadaropt.errors import SolverError
from hadaropt.mip.highs import HighsModel
from hadaropt.mip.model import Entries, LinearModel
from hadaropt.modes.hall_sets import TypeSet, capacity_sets

Ints = npt.NDArray[np.int64]
Gangs = list[tuple[int, int]]
"""(job, level)."""


def solve_hall_round(
    capacity: Ints, gang: Ints, worth: Ints, mixing: bool, candidates: npt.NDArray[np.bool_]
) -> list[tuple[int, Ints]]:
    """Return (job, GPUs of each type) of a choice of largest worth.

    Parameters
    ----------
    capacity, gang, worth, mixing
        As for `hadaropt.simulate.schedulers.exact_round.best_round`.
    candidates : (J, R) bool
        Levels that are looked at.

    Raises
    ------
    SolverError
        If HiGHS does not prove its answer optimal, or the answer cannot be placed.
    """
    gangs = [(int(j), int(level)) for j, level in np.argwhere(candidates & (worth > 0))]
    if not gangs:
        return []
    admitted = [_admitted(worth[j], level, mixing) for j, level in gangs]
    outcome = HighsModel(_program(capacity, gang, worth, gangs, admitted), background=False).run()
    if outcome.x is None or outcome.termination != "optimal":
        raise SolverError(f"the round of {len(gangs)} gangs was not solved: {outcome.raw_status}")
    chosen = np.flatnonzero(np.rint(outcome.x) > 0).tolist()
    if not chosen:
        return []
    return _place(capacity, gang, [gangs[i][0] for i in chosen], [admitted[i] for i in chosen])


def _admitted(worth: Ints, level: int, mixing: bool) -> TypeSet:
    if not mixing:
        return frozenset((level,))
    return frozenset(np.flatnonzero(worth >= worth[level]).tolist())


def _program(
    capacity: Ints, gang: Ints, worth: Ints, gangs: Gangs, admitted: list[TypeSet]
) -> LinearModel:
    sets = capacity_sets(admitted)
    jobs = sorted({j for j, _ in gangs})
    row_of = {j: i for i, j in enumerate(jobs)}
    columns = np.arange(len(gangs))
    size = np.array([gang[j] for j, _ in gangs], np.int64)
    entries = Entries()
    entries.add(np.array([row_of[j] for j, _ in gangs]), columns, 1.0)
    for i, types in enumerate(sets):
        inside = np.array([own <= types for own in admitted])
        where = columns[inside]
        entries.add(np.full(len(where), len(jobs) + i), where, size[inside])
    rows = len(jobs) + len(sets)
    start, index, value = entries.columns(rows, len(gangs))
    limits = [float(sum(capacity[r] for r in types)) for types in sets]
    return LinearModel(
        np.array([worth[j, level] for j, level in gangs], float) / float(worth.max()),
        np.zeros(len(gangs)),
        np.ones(len(gangs)),
        np.full(rows, -np.inf),
        np.array([1.0] * len(jobs) + limits),
        start,
        index,
        value,
        np.ones(len(gangs), np.bool_),
        True,
        list,
        list,
    )


def _place(
    capacity: Ints, gang: Ints, jobs: list[int], admitted: list[TypeSet]
) -> list[tuple[int, Ints]]:
    """Divide gangs over the types that they admit, by a flow; gangs of one set are alike."""
    import networkx as nx  # a sixth of a second, and few rounds come here

    demand: dict[TypeSet, int] = {}
    for j, types in zip(jobs, admitted, strict=True):
        demand[types] = demand.get(types, 0) + int(gang[j])
    graph: nx.DiGraph[object] = nx.DiGraph()
    for types, units in demand.items():
        graph.add_edge("source", types, capacity=units)
        for r in types:
            graph.add_edge(types, r, capacity=units)
    for r, count in enumerate(capacity.tolist()):
        graph.add_edge(r, "sink", capacity=count)
    total, flow = nx.maximum_flow(graph, "source", "sink")
    if total != sum(demand.values()):
        raise SolverError("the chosen gangs do not fit the round")
    placed = []
    for j, types in zip(jobs, admitted, strict=True):
        counts = np.zeros(len(capacity), np.int64)
        for r in sorted(types):
            counts[r] = min(flow[types][r], int(gang[j] - counts.sum()))
            flow[types][r] -= int(counts[r])
        placed.append((j, counts))
    return placed
