"""Instance files, format ``hadaropt-instance/1``, and the identity of an instance."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hadaropt.errors import InstanceError, check_type
from hadaropt.exact import NumberText, to_text
from hadaropt.frozen import OnDemand, thaw
from hadaropt.instance import Cluster, Instance, Job
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
from hadaropt.utility import Utility, make_utility

FORMAT = "hadaropt-instance/1"
_KEPT = "_sha256"
"""Where an instance keeps its hash; it is not part of its value."""


def cluster_from_document(document: Document) -> Cluster:
    """Return the cluster of a document's ``accelerators`` and ``nodes``."""
    accelerators = [
        check_string(name, f"accelerators[{r}]")
        for r, name in enumerate(check_list(document["accelerators"], "accelerators"))
    ]
    names, rows = [], []
    for h, entry in enumerate(check_list(document["nodes"], "nodes")):
        node = check_fields(entry, ("name", "gpus"), path=f"nodes[{h}]")
        names.append(check_string(node["name"], f"nodes[{h}].name"))
        gpus = check_fields(node["gpus"], (), accelerators, path=f"nodes[{h}].gpus")
        rows.append(tuple(gpus.get(r, 0) for r in accelerators))
    return Cluster(tuple(accelerators), tuple(names), tuple(rows))  # type: ignore[arg-type]


def cluster_to_document(cluster: Cluster, *, as_text: bool = False) -> Document:
    """Return ``accelerators`` and ``nodes``, zero counts dropped."""
    return {
        "accelerators": list(cluster.accelerators),
        "nodes": [
            {
                "name": name,
                "gpus": {
                    r: to_text(count) if as_text else count
                    for r, count in zip(cluster.accelerators, row, strict=True)
                    if count
                },
            }
            for name, row in zip(cluster.nodes, cluster.capacity, strict=True)
        ],
    }


def _utility(entry: object) -> Utility:
    if not isinstance(entry, dict):
        check_fields(entry, ("kind",))
    parameters = dict(entry)  # type: ignore[call-overload]
    if "kind" not in parameters:
        raise InstanceError("kind", "is missing")
    return make_utility(parameters.pop("kind"), parameters)


def job_fields(
    entry: object,
    accelerators: tuple[str, ...],
    required: tuple[str, ...],
    optional: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the fields of a job's entry, with those that all jobs have.

    Parameters
    ----------
    entry : object
    accelerators : tuple of str
        Types that may have a throughput.
    required, optional : tuple of str
        Names of the further fields of this kind of job.

    Raises
    ------
    InstanceError
        If a field is missing, unknown, or not of the kind that it has to be.
    """
    needed = ("name", "gang_size", "iterations", "throughput", *required)
    known = ("spread_factor", "max_copies", *optional)
    fields: dict[str, Any] = check_fields(entry, needed, known)
    check_string(fields["name"], "name")
    check_fields(fields["throughput"], (), accelerators, path="throughput")
    if "max_copies" in fields and fields["max_copies"] is None:
        raise InstanceError("max_copies", "must be a number", "null")
    return fields


def _job(entry: object, accelerators: tuple[str, ...]) -> Job:
    fields = job_fields(entry, accelerators, ("release", "utility"))
    return Job(**{**fields, "utility": placed("utility", lambda: _utility(fields["utility"]))})


def _job_taker(document: Mapping[str, object]) -> Callable[[Any], Any]:
    """Return what makes jobs of entries; those that are not good stay, to be refused in place."""
    accelerators = document.get("accelerators")
    named = isinstance(accelerators, list) and all(
        isinstance(name, str) and not isinstance(name, NumberText) for name in accelerators
    )
    if not named:
        return lambda entry: entry
    types: tuple[str, ...] = tuple(accelerators)  # type: ignore[arg-type]
    known: dict[tuple[object, ...], Mapping[str, object]] = {}

    def take(entry: Any) -> Any:
        try:
            job = _job(entry, types)
        except InstanceError:
            return entry
        # Equal speeds of many jobs are one object.
        speeds = known.setdefault(tuple(entry["throughput"].items()), job.throughput)
        object.__setattr__(job, "throughput", speeds)
        return job

    return take


def instance_from_document(document: Document) -> Instance:
    """Return the instance of a parsed document (numbers as literal text or exact values).

    Raises
    ------
    InstanceError
        Naming the path, the value and the rule that it breaks.
    """
    check_format(document, FORMAT, InstanceError)
    required = ("format", "round_seconds", "num_rounds", "accelerators", "nodes", "jobs")
    check_fields(document, required, ("name", "parallelism", "consolidation_seconds"))
    cluster = cluster_from_document(document)
    jobs = [
        entry
        if isinstance(entry, Job)  # it was made as it was read
        else placed(f"jobs[{j}]", lambda entry=entry: _job(entry, cluster.accelerators))  # type: ignore[misc]
        for j, entry in enumerate(check_list(document["jobs"], "jobs"))
    ]
    optional: dict[str, Any] = {
        name: document[name]
        for name in ("parallelism", "consolidation_seconds", "name")
        if name in document
    }
    for name in ("parallelism", "name"):
        if name in optional:
            check_string(optional[name], name)
    fixed: dict[str, Any] = {name: document[name] for name in ("num_rounds", "round_seconds")}
    return Instance(cluster, tuple(jobs), **fixed, **optional)


def instance_to_document(instance: Instance) -> Document:
    """Return the instance as a document, numbers as exact text."""
    document: Document = thaw(_document(instance))
    return document


def _document(instance: Instance) -> Document:
    """Return the document of `instance_to_document`, entries of jobs made on demand."""

    def entry(j: int) -> Document:
        job = instance.jobs[j]
        made = _job_entry(instance, job)
        if job.max_copies is None:
            del made["max_copies"]
        return made

    jobs = OnDemand(len(instance.jobs), entry)
    return {"format": FORMAT, "name": instance.name, **_identity(instance), "jobs": jobs}


def _identity(instance: Instance) -> Document:
    """Return what makes an instance the one it is, all but its jobs."""
    return {
        "format": FORMAT,
        "round_seconds": to_text(instance.round_seconds),
        "num_rounds": to_text(instance.num_rounds),
        "parallelism": instance.parallelism,
        "consolidation_seconds": to_text(instance.consolidation_seconds),
        **cluster_to_document(instance.cluster, as_text=True),
    }


def _job_entry(instance: Instance, job: Job) -> Document:
    copies = len(instance.cluster.nodes) if job.max_copies is None else job.max_copies
    return {
        "name": job.name,
        "release": to_text(job.release),
        "gang_size": to_text(job.gang_size),
        "iterations": to_text(job.iterations),
        "throughput": {
            r: to_text(job.throughput[r])
            for r in instance.cluster.accelerators
            if r in job.throughput
        },
        "spread_factor": to_text(job.spread_factor),
        "max_copies": to_text(copies),
        "utility": {"kind": job.utility.kind, **job.utility.parameters()},
    }


def canonical_instance(instance: Instance) -> bytes:
    """Return the canonical form whose SHA-256 is the identity of the instance.

    UTF-8 JSON, sorted keys, no spaces, every number a reduced string, defaults filled in, zero
    entries dropped; the order of jobs, nodes and accelerators is kept, the name is left out.
    """
    return b"".join(_canonical_pieces(instance))


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _canonical_pieces(instance: Instance) -> Iterator[bytes]:
    """Yield the canonical form: what is before the jobs, each of them, and what is behind them."""
    before, behind = _CANONICAL.encode({**_identity(instance), "jobs": None}).split(
        '"jobs":null', 1
    )
    yield f'{before}"jobs":['.encode()
    for j, job in enumerate(instance.jobs):
        yield f"{',' if j else ''}{_CANONICAL.encode(_job_entry(instance, job))}".encode()
    yield f"]{behind}".encode()


def instance_sha256(instance: Instance) -> str:
    """Return the SHA-256 (hex) of the canonical form. An instance keeps it."""
    kept = vars(instance)
    if _KEPT not in kept:
        digest = hashlib.sha256()
        for piece in _canonical_pieces(instance):
            digest.update(piece)
        kept[_KEPT] = digest.hexdigest()
    return str(kept[_KEPT])


def read_instance(path: str | os.PathLike[str]) -> Instance:
    """Read an instance file (``.json`` or ``.json.gz``).

    Raises
    ------
    InstanceError
        Such as ``jobs[3].gang_size = 0, must be >= 1``; bad syntax names line and column.
    OSError
        If the file cannot be read.
    """
    return instance_from_document(load_json(path, InstanceError, {("jobs",): _job_taker}))


def write_instance(instance: Instance, path: str | os.PathLike[str]) -> None:
    """Write an instance file that reads back as the same instance.

    Raises
    ------
    TypeError
        If the arguments are in another order.
    """
    check_type("instance", instance, Instance, "write_instance(instance, path)")
    save_json(path, _document(instance))
