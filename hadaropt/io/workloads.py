"""Workload files, format ``hadaropt-workload/1``."""

from __future__ import annotations

import os

from hadaropt.errors import InstanceError, check_type
from hadaropt.exact import to_text
from hadaropt.io.documents import (
    Document,
    check_fields,
    check_format,
    check_list,
    check_string,
    load_json,
    placed,
    save_json,
)
from hadaropt.io.instances import cluster_from_document, cluster_to_document, job_fields
from hadaropt.workload import Workload, WorkloadJob

FORMAT = "hadaropt-workload/1"


def _job(entry: object, accelerators: tuple[str, ...]) -> WorkloadJob:
    return WorkloadJob(**job_fields(entry, accelerators, ("submit_seconds",), ("weight",)))


def workload_from_document(document: Document) -> Workload:
    """Return the workload of a parsed document.

    Raises
    ------
    InstanceError
        Naming the path, the value and the rule that it breaks.
    """
    check_format(document, FORMAT, InstanceError)
    check_fields(document, ("format", "accelerators", "nodes", "jobs"), ("name",))
    cluster = cluster_from_document(document)
    jobs = [
        placed(f"jobs[{j}]", lambda entry=entry: _job(entry, cluster.accelerators))  # type: ignore[misc]
        for j, entry in enumerate(check_list(document["jobs"], "jobs"))
    ]
    name = check_string(document.get("name", ""), "name")
    return Workload(cluster, tuple(jobs), name)


def workload_to_document(workload: Workload) -> Document:
    """Return the workload as a document, numbers as exact text."""
    jobs = []
    for job in workload.jobs:
        entry: Document = {
            "name": job.name,
            "submit_seconds": to_text(job.submit_seconds),
            "gang_size": job.gang_size,
            "iterations": job.iterations,
            "throughput": {r: to_text(x) for r, x in job.throughput.items()},
            "spread_factor": to_text(job.spread_factor),
            "weight": to_text(job.weight),
        }
        if job.max_copies is not None:
            entry["max_copies"] = job.max_copies
        jobs.append(entry)
    return {
        "format": FORMAT,
        "name": workload.name,
        **cluster_to_document(workload.cluster),
        "jobs": jobs,
    }


def read_workload(path: str | os.PathLike[str]) -> Workload:
    """Read a workload file (``.json`` or ``.json.gz``).

    Raises
    ------
    InstanceError
        Naming the path, the value and the rule that it breaks.
    OSError
        If the file cannot be read.
    """
    return workload_from_document(load_json(path, InstanceError))


def write_workload(workload: Workload, path: str | os.PathLike[str]) -> None:
    """Write a workload file that reads back as the same workload.

    Raises
    ------
    TypeError
        If the arguments are in another order.
    """
    check_type("workload", workload, Workload, "write_workload(workload, path)")
    save_json(path, workload_to_document(workload))
