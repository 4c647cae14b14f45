"""Node lists of openb (``sn,...,gpu,model``) and Philly (``machineId,number of GPUs,...``)."""

from __future__ import annotations

from pathlib import Path

from hadaropt.errors import TraceError
from hadaropt.exact import Exact
from hadaropt.instance import Cluster
from hadaropt.traces.table import parse_table, read_text


def read_nodes(path: Path) -> Cluster:
    """Return the cluster of a node list; nodes without GPUs are left out.

    Raises
    ------
    TraceError
        If it is no such list, or has no GPU.
    """
    table = parse_table(read_text(path), path.name)
    nodes: dict[str, dict[str, Exact]] = {}
    if {"sn", "gpu", "model"} <= set(table.first):
        name, count, kind = "sn", "gpu", "model"
    elif {"machineId", "number of GPUs", "single GPU mem"} <= set(table.first):
        name, count, kind = "machineId", "number of GPUs", "single GPU mem"
    else:
        rule = "must be a node list: sn,...,gpu,model or machineId,number of GPUs,single GPU mem"
        raise TraceError(path.name, f"{rule}; has columns {list(table.first)}")
    for row in table.rows(table.first):
        if row.text(name) == name:
            continue
        gpus = row.integer(count) or 0
        if gpus < 0:
            raise TraceError(f"{row.place}: {count}", "must be >= 0", str(gpus))
        node = row.text(name) or ""
        if node in nodes:
            raise TraceError(f"{row.place}: {name}", "stands twice", node)
        if gpus:
            nodes[node] = {row.text(kind) or "GPU": gpus}
    if not nodes:
        raise TraceError(path.name, "has no node with a GPU")
    return Cluster.of(nodes)
