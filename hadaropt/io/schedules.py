"""Schedule files, format ``hadaropt-schedule/1``."""

from __future__ import annotations

import os
from typing import Any

from hadaropt.errors import InstanceError, ScheduleError, check_type, shown
from hadaropt.exact import MAX_CLAIM_DIGITS, parse_text, to_integer, to_text
from hadaropt.frozen import FrozenDict, freeze, thaw
from hadaropt.instance import Cluster, Instance
from hadaropt.io.documents import (
    Document,
    check_fields,
    check_format,
    check_list,
    check_string,
    load_json,
    save_json,
)
from hadaropt.io.instances import instance_sha256
from hadaropt.schedule import Allocation, Schedule, check_schedule

FORMAT = "hadaropt-schedule/1"


Places = tuple[dict[str, int], dict[str, int]]
"""Indices of the nodes and of the types, by name."""


def _allocation(entry: object, path: str, places: Places) -> Allocation:
    fields = check_fields(entry, ("round", "gpus"), ("copies",), path=path, error=ScheduleError)
    copies = fields.get("copies", False)
    if not isinstance(copies, bool):
        raise ScheduleError(f"{path}.copies", "must be true or false", shown(copies))
    nodes, types = places
    place = f"{path}.gpus"
    gpus = []
    by_node = check_fields(fields["gpus"], (), nodes, path=place, error=ScheduleError)
    for node, counts in by_node.items():
        inner = f"{place}.{node}"
        by_type = check_fields(counts, (), types, path=inner, error=ScheduleError)
        for name, count in by_type.items():
            gpus.append((nodes[node], types[name], to_integer(count, f"{inner}.{name}", least=1)))
    if not gpus:
        raise ScheduleError(place, "must hold at least one GPU", "{}")
    return Allocation(to_integer(fields["round"], f"{path}.round"), tuple(sorted(gpus)), copies)


def schedule_from_document(document: Document, instance: Instance) -> Schedule:
    """Return the schedule of a parsed document, with its claims, for this instance.

    Raises
    ------
    ScheduleError
        If the document is malformed or belongs to another instance.
    """
    try:
        return _parse(document, instance)
    except InstanceError as bad:
        raise ScheduleError(bad.path, bad.rule, bad.value) from None


def _parse(document: Document, instance: Instance) -> Schedule:
    check_format(document, FORMAT, ScheduleError)
    required = ("format", "instance_sha256", "objective", "jobs")
    check_fields(document, required, error=ScheduleError)
    sha = instance_sha256(instance)
    if document["instance_sha256"] != sha:
        rule = f"must be {sha}, the hash of this instance"
        raise ScheduleError("instance_sha256", rule, shown(document["instance_sha256"]))
    claimed = check_string(document["objective"], "objective")
    objective = parse_text(claimed, "objective", digits=MAX_CLAIM_DIGITS)
    allocations: list[tuple[Allocation, ...]] = [()] * len(instance.jobs)
    completion: list[int | None] = [None] * len(instance.jobs)
    seen = set()
    known: dict[Allocation, Allocation] = {}  # equal ones of many jobs are one object
    cluster = instance.cluster
    places = (
        {name: h for h, name in enumerate(cluster.nodes)},
        {name: r for r, name in enumerate(cluster.accelerators)},
    )
    for i, entry in enumerate(check_list(document["jobs"], "jobs", ScheduleError)):
        path = f"jobs[{i}]"
        fields = check_fields(
            entry, ("name", "rounds"), ("completion",), path=path, error=ScheduleError
        )
        name = check_string(fields["name"], f"{path}.name", ScheduleError)
        try:
            j = instance.index(name)
        except KeyError:
            rule = "is not a job of this instance"
            raise ScheduleError(f"{path}.name", rule, shown(name)) from None
        if j in seen:
            raise ScheduleError(f"{path}.name", "must be unique", shown(name))
        seen.add(j)
        rounds = check_list(fields["rounds"], f"{path}.rounds", ScheduleError)
        found = (
            _allocation(round_, f"{path}.rounds[{k}]", places) for k, round_ in enumerate(rounds)
        )
        allocations[j] = tuple(known.setdefault(one, one) for one in found)
        claim = fields.get("completion")
        completion[j] = None if claim is None else to_integer(claim, f"{path}.completion")
    return Schedule(tuple(allocations), tuple(completion), objective)


def _entry(cluster: Cluster, allocation: Allocation) -> FrozenDict[str, Any]:
    """Return an allocation as a document, which equal ones of many jobs share."""
    gpus: dict[str, dict[str, int]] = {}
    for h, r, count in allocation.gpus:
        gpus.setdefault(cluster.nodes[h], {})[cluster.accelerators[r]] = count
    entry: dict[str, Any] = {"round": allocation.round, "gpus": gpus}
    if allocation.copies:
        entry["copies"] = True
    return freeze(entry)  # type: ignore[no-any-return]


def schedule_to_document(instance: Instance, schedule: Schedule) -> Document:
    """Return a checked schedule as a document; jobs that never run are left out.

    Raises
    ------
    ScheduleError
        If the schedule is infeasible.
    """
    document: Document = thaw(shared_document(instance, schedule))
    return document


def shared_document(instance: Instance, schedule: Schedule) -> Document:
    """Return the document of `schedule_to_document` for reading: equal allocations are one object.

    Those cannot be changed.

    Raises
    ------
    ScheduleError
        If the schedule is infeasible.
    """
    checked = check_schedule(instance, schedule)
    cluster = instance.cluster
    jobs = []
    known: dict[Allocation, FrozenDict[str, Any]] = {}
    for j, allocations in enumerate(schedule.jobs):
        if not allocations:
            continue
        rounds = []
        for allocation in allocations:
            entry = known.get(allocation)
            if entry is None:
                entry = known[allocation] = _entry(cluster, allocation)
            rounds.append(entry)
        jobs.append(
            {
                "name": instance.jobs[j].name,
                "completion": checked.completion[j],
                "rounds": rounds,
            }
        )
    return {
        "format": FORMAT,
        "instance_sha256": instance_sha256(instance),
        "objective": to_text(checked.value),
        "jobs": jobs,
    }


def read_schedule(path: str | os.PathLike[str], instance: Instance) -> Schedule:
    """Read a schedule file of ``instance``. It is not yet checked: see `check_schedule`.

    Raises
    ------
    ScheduleError
        If the file is malformed or belongs to another instance.
    OSError
        If the file cannot be read.
    """
    return schedule_from_document(load_json(path, ScheduleError), instance)


def write_schedule(schedule: Schedule, path: str | os.PathLike[str], instance: Instance) -> None:
    """Check a schedule of an instance and write it.

    Raises
    ------
    ScheduleError
        If the schedule is infeasible.
    TypeError
        If the arguments are in another order.
    """
    check_type("schedule", schedule, Schedule, "write_schedule(schedule, path, instance)")
    save_json(path, shared_document(instance, schedule))
