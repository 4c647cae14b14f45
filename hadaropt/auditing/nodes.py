"""Node lists of openb (``sn,...,gpu,model``), Philly (``machineId,number of GPUs,...``) and PAI.

That of PAI is without header, as published: machine, GPU type, CPUs, memory, GPUs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from hadaropt.errors import InstanceError, TraceError
from hadaropt.exact import Exact
from hadaropt.instance import Cluster
from hadaropt.traces.table import parse_table, read_text

PAI = ("machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu")


def read_nodes(path: Path) -> Cluster:
    """Return the cluster of a node list; nodes without GPUs are left out.

    Raises
    ------
    TraceError
        If it is no such list, or has no GPU.
    """
    table = parse_table(read_text(path), path.name)
    nodes: dict[str, dict[str, Exact]] = {}
    places: list[str] = []
    if {"sn", "gpu", "model"} <= set(table.first):
        name, count, kind = "sn", "gpu", "model"
    elif {"machineId", "number of GPUs", "single GPU mem"} <= set(table.first):
        name, count, kind = "machineId", "number of GPUs", "single GPU mem"
    elif set(PAI) <= set(table.first) or _is_pai(table.first):
        name, count, kind = "machine", "cap_gpu", "gpu_type"
    else:
        rule = (
            "must be a node list: sn,...,gpu,model (openb), machineId,number of GPUs,single GPU "
            f"mem (Philly) or {','.join(PAI)} (PAI, with or without this header)"
        )
        raise TraceError(path.name, f"{rule}; has columns {list(table.first)}")
    columns = PAI if _is_pai(table.first) else table.first
    for row in table.rows(columns):
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
            places.append(row.place)
    if not nodes:
        raise TraceError(path.name, "has no node with a GPU")
    try:
        return Cluster.of(nodes)
    except InstanceError as bad:
        own = re.match(r"nodes\[(\d+)\](?:\.gpus\b.*)?", bad.path)
        place = path.name if own is None else places[int(own[1])]
        column = f": {count}" if own is not None and ".gpus" in own[0] else ""
        raise TraceError(f"{place}{column}", bad.rule, bad.value) from None


def _is_pai(fields: Sequence[str]) -> bool:
    """Return whether this is a row of the PAI list: five fields, the last three integers."""
    return len(fields) == len(PAI) and all(own.isdecimal() for own in fields[2:])
