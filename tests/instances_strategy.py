"""Hypothesis strategies for tiny instance documents, awkward on purpose.

Ragged nodes, zero throughputs, types in a different order for every job, tied speeds, spread
factors, decimals without a short binary form, releases at or after the horizon, gangs larger than
the cluster, utilities of every kind down to all zero.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from tests.oracle import Json, number

KINDS = ("linear", "step", "sigmoid", "effective_throughput", "completion", "table")
PARALLELISMS = ("single_type", "mixed", "forked")
SPREADS: tuple[Any, ...] = (1, "1/2", Decimal("0.9"), "2/3", Decimal("0.05"))
TAUS: tuple[Any, ...] = (1, "7/3", Decimal("2.1"), 10)
SPEEDS: tuple[Any, ...] = (2, 1, 3, "5/2", "1.0", Decimal("0.7"), "4/3", 0, Decimal("0.1"))


def scaled(value: Any, factor: int) -> Any:
    """A number literal times an integer, kept in its own kind of literal."""
    if isinstance(value, Decimal):
        return value * factor
    exact = number(value) * factor
    return int(exact) if exact.denominator == 1 and not isinstance(value, str) else str(exact)


@st.composite
def utilities(draw: st.DrawFn, kinds: Sequence[str] = KINDS, rounds: int = 4) -> Json:
    """A utility of one of the given kinds, non-increasing and >= 0."""
    kind = draw(st.sampled_from(kinds))
    value = st.sampled_from((1, 3, "10", Decimal("0.1"), "1/3", Decimal("7.25"), 12, 5, 2, 0))
    if kind == "linear":
        return {"kind": kind, "peak": draw(value), "decay": draw(st.sampled_from((1, 0, "1/3", 2)))}
    if kind == "step":
        deadline = st.sampled_from((2, 1, Decimal("2.5"), "7/3", 5, 0))
        return {"kind": kind, "peak": draw(value), "deadline": draw(deadline)}
    if kind == "sigmoid":
        steepness = st.sampled_from((0, 1, Decimal("0.3"), "2/3", 40))
        deadline = st.sampled_from((0, 1, Decimal("2.5"), "4/3"))
        return {
            "kind": kind,
            "peak": draw(value),
            "steepness": draw(steepness),
            "deadline": draw(deadline),
        }
    if kind == "effective_throughput":
        return {"kind": kind, "scale": draw(value)}
    if kind == "completion":
        horizon = st.sampled_from((3, 2, 6, Decimal("2.5"), "7/3", 0))
        return {"kind": kind, "weight": draw(value), "horizon": draw(horizon)}
    length = draw(st.integers(1, rounds + 1))
    values = sorted(draw(st.lists(value, min_size=length, max_size=length)), key=number)
    return {"kind": "table", "values": values[::-1]}


@st.composite
def clusters(
    draw: st.DrawFn,
    max_nodes: int = 3,
    max_types: int = 3,
    max_gpus: int = 3,
    total: int = 6,
    min_gpus: int = 0,
) -> tuple[list[str], list[Json]]:
    """Accelerators and ragged nodes; at most `total` GPUs, possibly none at all."""
    types = list(draw(st.permutations(("K80", "P100", "V100"))))[: draw(st.integers(1, max_types))]
    nodes: list[Json] = []
    left = total
    sizes = st.sampled_from((2, 1, 3, 0)).map(lambda n: max(min_gpus, min(n, max_gpus)))
    for h in range(draw(st.integers(min(2, max_nodes) if min_gpus else 1, max_nodes))):
        gpus = {}
        for r in types:
            units = min(left, draw(sizes))
            left -= units
            if units or draw(st.booleans()):
                gpus[r] = units
        nodes.append({"name": f"n{h}", "gpus": gpus})
    return types, nodes


@st.composite
def jobs(
    draw: st.DrawFn,
    name: str,
    types: Sequence[str],
    rounds: int,
    tau: Any = 1,
    max_gang: int = 4,
    spreads: Sequence[Any] = SPREADS,
    max_copies: int | None = None,
    kinds: Sequence[str] = KINDS,
    scale: int = 1,
    roomy: bool = False,
) -> Json:
    """One job, sized so that it needs about one to five rounds of its fastest type."""
    choices = [x for x in SPEEDS if number(x) >= 1] if roomy else SPEEDS
    speeds = {r: scaled(draw(st.sampled_from(choices)), scale) for r in types}
    last = rounds - 1
    releases = (0, 0, 0, min(1, last), 0, 0, 0, min(1, last), min(2, last), rounds, 0, rounds + 1)
    best = max(int(number(x) * number(tau)) for x in speeds.values())
    job: Json = {
        "name": name,
        "release": draw(st.sampled_from(releases[:9] if roomy else releases)),
        "gang_size": min(max_gang, draw(st.sampled_from((1, 2, 2, 1, 3, 4)))),
        "iterations": draw(st.integers(1, best * min(rounds, 3) + 1)),
        "throughput": {r: x for r, x in speeds.items() if number(x) or draw(st.booleans())},
        "utility": draw(utilities(kinds, rounds)),
    }
    spread = draw(st.sampled_from(spreads))
    if number(spread) != 1 or draw(st.booleans()):
        job["spread_factor"] = spread
    copies = draw(st.sampled_from((None, 1, 2, 3)) if max_copies is None else st.just(max_copies))
    if copies is not None:
        job["max_copies"] = copies
    return job


@st.composite
def tiny_instances(
    draw: st.DrawFn,
    parallelism: str | None = None,
    spreads: Sequence[Any] = SPREADS,
    consolidation: bool = True,
    min_jobs: int = 0,
    max_jobs: int = 3,
    max_rounds: int = 4,
    max_nodes: int = 3,
    max_types: int = 3,
    max_gpus: int = 3,
    total_gpus: int = 6,
    max_gang: int = 4,
    kinds: Sequence[str] = KINDS,
    max_scale: int = 1,
    roomy: bool = False,
) -> Json:
    """An instance document small enough for the oracle.

    Parameters
    ----------
    parallelism : str, optional
        Fix the model; by default all three are drawn.
    spreads : sequence
        Spread factors to draw from; ``(1,)`` makes pooled capacity exact.
    consolidation : bool
        Whether consolidation_seconds may be positive.
    roomy : bool
        Every node has GPUs of every type, every job runs everywhere and is released in time.
    max_scale : int
        Throughputs and iterations are multiplied by up to this, for large counts of iterations.
    """
    rounds = draw(st.sampled_from((max_rounds, *range(max_rounds, 0, -1))))
    tau = draw(st.sampled_from(TAUS))
    sizes = [*range(max_jobs, min_jobs, -1), min_jobs]
    types, nodes = draw(clusters(max_nodes, max_types, max_gpus, total_gpus, int(roomy)))
    inst: Json = {
        "format": "hadaropt-instance/1",
        "name": "drawn",
        "round_seconds": tau,
        "num_rounds": rounds,
        "parallelism": parallelism or draw(st.sampled_from(PARALLELISMS)),
        "accelerators": types,
        "nodes": nodes,
        "jobs": [
            draw(
                jobs(
                    f"j{i}",
                    types,
                    rounds,
                    tau=tau,
                    max_gang=max_gang,
                    spreads=spreads,
                    kinds=kinds,
                    scale=draw(st.integers(1, max_scale)),
                    roomy=roomy,
                )
            )
            for i in range(draw(st.sampled_from(sizes)))
        ],
    }
    if consolidation and draw(st.booleans()):
        share = draw(st.sampled_from((0, "1/3", "1/2", "9/10", 1, 2)))
        inst["consolidation_seconds"] = str(number(share) * number(tau))
    return inst


def prices(inst: Json, per_node: bool) -> st.SearchStrategy[dict[tuple[Any, ...], Fraction]]:
    """Prices on (round, type) or (round, node, type), many of them 0."""
    rounds = range(int(inst["num_rounds"]))
    keys: list[tuple[Any, ...]] = [(t, r) for t in rounds for r in inst["accelerators"]]
    if per_node:
        keys = [
            (t, n["name"], r) for t in rounds for n in inst["nodes"] for r in inst["accelerators"]
        ]
    value = st.sampled_from((0, 0, "1/3", "1/2", 1, "7/5", 4)).map(number)
    return st.fixed_dictionaries(dict.fromkeys(keys, value))


def to_text(document: Any, indent: int | None = None) -> str:
    """JSON text with every Decimal written as its own literal (no detour through a double)."""
    literals: dict[str, str] = {}

    def plain(x: Any) -> Any:
        if isinstance(x, Decimal):
            mark = f"\x00{len(literals)}\x00"
            literals[json.dumps(mark)] = str(x)
            return mark
        if isinstance(x, dict):
            return {k: plain(v) for k, v in x.items()}
        return [plain(v) for v in x] if isinstance(x, list) else x

    text = json.dumps(plain(document), indent=indent, ensure_ascii=False)
    for mark, literal in literals.items():
        text = text.replace(mark, literal)
    return text


def roomy_instances(**knobs: Any) -> st.SearchStrategy[Json]:
    """Tiny instances where most things can be done: gangs spread, mix types and run as copies."""
    return tiny_instances(
        **{
            "roomy": True,
            "min_jobs": 1,
            "max_jobs": 2,
            "max_types": 2,
            "max_gang": 2,
            "total_gpus": 9,
            **knobs,
        }
    )


def contended_instances(**knobs: Any) -> st.SearchStrategy[Json]:
    """Tiny instances where jobs get in each other's way: three or four jobs on three GPUs."""
    return tiny_instances(**{"min_jobs": 3, "max_jobs": 4, "total_gpus": 3, "max_gang": 2, **knobs})
