"""Max-flow between gangs and accelerator types, on integers, with the flow re-checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import networkx as nx
from networkx.algorithms.flow import preflow_push

from hadaropt.errors import SolverError
from hadaropt.modes.hall_sets import TypeSet

Graph: TypeAlias = "nx.DiGraph[object]"


def _network(demands: Mapping[object, tuple[int, TypeSet]], capacity: Sequence[int]) -> Graph:
    """Source -> demand -> admitted types -> sink. Integers only: float flows go wrong silently."""
    graph: Graph = nx.DiGraph()
    graph.add_nodes_from(("source", "sink"))
    for name, (amount, admitted) in demands.items():
        graph.add_edge("source", ("demand", name), capacity=int(amount))
        for r in sorted(admitted):
            graph.add_edge(("demand", name), ("type", r), capacity=int(amount))
    for r, count in enumerate(capacity):
        graph.add_edge(("type", r), "sink", capacity=int(count))
    return graph


def _check_flow(graph: Graph, value: float, flow: Any) -> None:
    """Re-check a flow: integers within capacity, conserved, of the value that is claimed."""
    balance: dict[object, int] = dict.fromkeys(graph, 0)
    limits: list[tuple[object, object, int]] = list(graph.edges(data="capacity"))
    for u, v, limit in limits:
        amount = flow[u][v]
        if not isinstance(amount, int) or not 0 <= amount <= limit:
            raise SolverError(f"max-flow returned {amount} on an edge of capacity {limit}")
        balance[u] -= amount
        balance[v] += amount
    if balance.pop("source") != -value or balance.pop("sink") != value or any(balance.values()):
        raise SolverError("max-flow returned a flow that is not conserved")


def distribute(
    demands: Mapping[object, tuple[int, TypeSet]], capacity: Sequence[int]
) -> dict[object, dict[int, int]] | None:
    """Return how many GPUs of each type each demand takes, or None if they do not all fit.

    Parameters
    ----------
    demands : mapping of name to (amount, admitted types)
    capacity : sequence of int, shape (R,)
    """
    graph = _network(demands, capacity)
    value, flow = nx.maximum_flow(graph, "source", "sink", flow_func=preflow_push)
    _check_flow(graph, value, flow)
    if value < sum(amount for amount, _ in demands.values()):
        return None
    return {
        name: {r: flow["demand", name]["type", r] for r in sorted(admitted) if amount > 0}
        for name, (amount, admitted) in demands.items()
    }


def most_violated(demands: Mapping[TypeSet, int], capacity: Sequence[int]) -> TypeSet | None:
    """Return the set S of types that maximises demand within S minus C(S), or None if all fit.

    The minimum cut of the network separates it: the types on the source side of the cut. The set
    that is returned is re-checked to be violated.

    Parameters
    ----------
    demands : mapping of admitted set to total demand
        Integers; scale fractional demands, and the capacity with them.
    """
    graph = _network({s: (amount, s) for s, amount in demands.items()}, capacity)
    value, (near, _) = nx.minimum_cut(graph, "source", "sink", flow_func=preflow_push)
    total = sum(demands.values())
    if value == total:
        return None
    types = frozenset(v[1] for v in near if isinstance(v, tuple) and v[0] == "type")
    within = sum(amount for s, amount in demands.items() if s <= types)
    if within - sum(capacity[r] for r in types) != total - value:
        raise SolverError("max-flow returned a cut that does not separate what it claims")
    return types
