"""One round in which a node is one machine: which copy goes to which node (theorems H1, H8)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx

from hadaropt.errors import InstanceError, InvariantError

Assignment = tuple[int | None, ...]
"""The job of each node, None for an idle one, shape (H,)."""


@dataclass(frozen=True)
class BusyNodes:
    """The largest number of busy nodes, with its proof.

    Attributes
    ----------
    count : int
    assignment : Assignment
        Attains it.
    blocking : tuple of int
        A set S of nodes with n - #S + sum_{j in N(S)} kappa_j = count: no assignment has more.
    """

    count: int
    assignment: Assignment
    blocking: tuple[int, ...]


def most_busy_nodes(able: Sequence[Collection[int]], caps: Sequence[int]) -> BusyNodes:
    """Return an assignment with as many busy nodes as possible.

    max busy = min over sets S of nodes of n - #S + sum_{j in N(S)} kappa_j (theorem H1; Koenig, by
    a maximum flow and its minimum cut).

    Parameters
    ----------
    able : sequence of collections of int, length H
        The jobs that each node can run.
    caps : sequence of int, shape (J,)
        kappa_j >= 0: most copies of each job.

    Examples
    --------
    >>> most_busy_nodes([[0], [0], [0, 1]], [1, 1])
    BusyNodes(count=2, assignment=(0, None, 1), blocking=(0, 1))
    """
    _check_caps(caps)
    graph: Any = nx.DiGraph()
    graph.add_nodes_from(("source", "sink"))
    for j, cap in enumerate(caps):
        graph.add_edge("source", ("job", j), capacity=cap)
    for h, jobs in enumerate(able):
        graph.add_edge(("node", h), "sink", capacity=1)
        for j in sorted(jobs):
            graph.add_edge(("job", j), ("node", h), capacity=1)
    count, flow = nx.maximum_flow(graph, "source", "sink")
    held: list[int | None] = [None] * len(able)
    for j in range(len(caps)):
        for (_, h), used in flow[("job", j)].items():
            if used:
                held[h] = j
    _, (reached, _) = nx.minimum_cut(graph, "source", "sink")
    blocking = tuple(
        h for h, jobs in enumerate(able) if not any(("job", j) in reached for j in jobs)
    )
    neighbours = {j for h in blocking for j in able[h]}
    if len(able) - len(blocking) + sum(caps[j] for j in neighbours) != count:
        raise InvariantError(f"a cut of {count} busy nodes does not prove that there are no more")
    return BusyNodes(int(count), tuple(held), blocking)


def best_assignment(
    gain: Sequence[Sequence[int]], caps: Sequence[int] | None = None
) -> tuple[Assignment, int]:
    """Maximise sum_h gain[a(h)][h] with at most kappa_j copies of job j (theorem H8).

    Without caps every node takes its best job; with caps it is a transportation problem, whose
    vertices are integral (network simplex on integers: exact). A gain of 0 is not taken.

    Parameters
    ----------
    gain : sequence of sequences of int, shape (J, H)
        v_j X_jh, scaled to integers; 0 where the node cannot run the job.
    caps : sequence of int, shape (J,), optional

    Returns
    -------
    assignment : Assignment
    value : int

    Examples
    --------
    >>> best_assignment([[5, 4], [4, 1]]), best_assignment([[5, 4], [4, 1]], [1, 1])
    (((0, 0), 9), ((1, 0), 8))
    """
    jobs, nodes = len(gain), len(gain[0]) if gain else 0
    if not nodes:
        return (), 0
    held: list[int | None] = [None] * nodes
    if caps is None:
        for h in range(nodes):
            best = max(range(jobs), key=lambda j: (gain[j][h], -j))
            held[h] = best if gain[best][h] > 0 else None
    else:
        _check_caps(caps)
        for h, j in _transport(gain, caps):
            held[h] = j
    return tuple(held), sum(gain[j][h] for h, j in enumerate(held) if j is not None)


def _transport(gain: Sequence[Sequence[int]], caps: Sequence[int]) -> list[tuple[int, int]]:
    nodes = len(gain[0])
    graph: Any = nx.DiGraph()
    graph.add_node("source", demand=-nodes)
    graph.add_node("sink", demand=nodes)
    for h in range(nodes):
        graph.add_edge("source", ("node", h), capacity=1, weight=0)
        graph.add_edge(("node", h), "sink", capacity=1, weight=0)
    for j, row in enumerate(gain):
        graph.add_edge(("job", j), "sink", capacity=caps[j], weight=0)
        for h, value in enumerate(row):
            if value > 0:
                graph.add_edge(("node", h), ("job", j), capacity=1, weight=-value)
    flow = nx.min_cost_flow(graph)
    return [
        (h, place[1])
        for h in range(nodes)
        for place, used in flow[("node", h)].items()
        if used and place != "sink"
    ]


def greedy_assignment(
    gain: Sequence[Sequence[int]], limit: Sequence[int], caps: Sequence[int] | None = None
) -> tuple[Assignment, int]:
    """Return a greedy assignment for sum_j min(limit_j, sum_{h: a(h)=j} gain[j][h]) (theorem H8).

    NP-hard; monotone and submodular over matroids. At least 1/2 of the optimum without caps (one
    partition matroid), at least 1/3 with them (two).
    """
    jobs, nodes = len(gain), len(gain[0]) if gain else 0
    left, room = list(limit), [nodes] * jobs if caps is None else list(caps)
    _check_caps(room)
    held: list[int | None] = [None] * nodes
    value = 0
    while True:
        found = max(
            (
                (min(left[j], gain[j][h]), -j, -h)
                for h in range(nodes)
                if held[h] is None
                for j in range(jobs)
                if room[j] > 0
            ),
            default=(0, 0, 0),
        )
        if found[0] <= 0:
            return tuple(held), value
        more, j, h = found[0], -found[1], -found[2]
        held[h], left[j], room[j], value = j, left[j] - more, room[j] - 1, value + more


def _check_caps(caps: Sequence[int]) -> None:
    for j, cap in enumerate(caps):
        if cap < 0:
            raise InstanceError(f"caps[{j}]", "must be >= 0", str(cap))
