"""Max-flow between gangs and accelerator types, on integers, with the flow re-checked.

Where the admitted sets are nested no flow is needed: to fill the smallest set first is exact, and
one of these sets is violated most, if any is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from hadaropt.errors import SolverError
from hadaropt.modes.hall_sets import TypeSet

if TYPE_CHECKING:
    import networkx as nx

Graph: TypeAlias = "nx.DiGraph[object]"
"""A network from demands over types to the capacity of the types, with integer capacities."""


def _network(demands: Mapping[object, tuple[int, TypeSet]], capacity: Sequence[int]) -> Graph:
    """Source -> demand -> admitted types -> sink. Integers only: float flows go wrong silently."""
    import networkx as nx  # a sixth of a second

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
    by_size = sorted(demands, key=lambda name: len(demands[name][1]))
    if _nested([demands[name][1] for name in by_size]):
        return _fill_nested(demands, by_size, capacity)
    import networkx as nx
    from networkx.algorithms.flow import preflow_push

    graph = _network(demands, capacity)
    value, flow = nx.maximum_flow(graph, "source", "sink", flow_func=preflow_push)
    _check_flow(graph, value, flow)
    if value < sum(amount for amount, _ in demands.values()):
        return None
    return {
        name: {r: flow["demand", name]["type", r] for r in sorted(admitted) if amount > 0}
        for name, (amount, admitted) in demands.items()
    }


def _nested(ascending: Sequence[TypeSet]) -> bool:
    """Return whether every set is within the next one."""
    return all(a <= b for a, b in pairwise(ascending))


def _fill_nested(
    demands: Mapping[object, tuple[int, TypeSet]], order: Sequence[object], capacity: Sequence[int]
) -> dict[object, dict[int, int]] | None:
    """Fill demands whose sets are nested, in this order, smaller sets first.

    A demand that finds too little is proof that they do not fit: all that was taken from its set
    belongs to demands within it.
    """
    free = list(capacity)
    taken: dict[object, dict[int, int]] = {}
    for name in order:
        left, admitted = demands[name]
        taken[name] = dict.fromkeys(sorted(admitted), 0) if left > 0 else {}
        for r in taken[name]:
            part = min(left, free[r])
            taken[name][r] = part
            free[r] -= part
            left -= part
        if left > 0:
            return None
    return {name: taken[name] for name in demands}


def most_violated(demands: Mapping[TypeSet, int], capacity: Sequence[int]) -> TypeSet | None:
    """Return the set S of types that maximises demand within S minus C(S), or None if all fit.

    The minimum cut of the network separates it: the types on the source side of the cut. The set
    that is returned is re-checked to be violated.

    Parameters
    ----------
    demands : mapping of admitted set to total demand
        Integers; scale fractional demands, and the capacity with them.
    """
    by_size = sorted(demands, key=len)
    if _nested(by_size):
        return _most_violated_of_nested(demands, by_size, capacity)
    import networkx as nx
    from networkx.algorithms.flow import preflow_push

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


def _most_violated_of_nested(
    demands: Mapping[TypeSet, int], ascending: Sequence[TypeSet], capacity: Sequence[int]
) -> TypeSet | None:
    """Return the set that is violated most, the largest of equals; None if there is none."""
    worst, found, within = 0, None, 0
    for s in ascending:
        within += demands[s]
        excess = within - sum(capacity[r] for r in s)
        if excess > 0 and excess >= worst:
            worst, found = excess, s
    return found
