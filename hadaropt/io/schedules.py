"""Schedule files, format ``hadaropt-schedule/1``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hadaropt.errors import InstanceError, ScheduleError, check_type, shown
from hadaropt.exact import MAX_CLAIM_DIGITS, parse_text, to_integer, to_text
from hadaropt.frozen import OnDemand, thaw
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


class JobEntry(NamedTuple):
    """What a schedule file says of a job, and all that is kept of it.

    Attributes
    ----------
    job : int
        Index of the job.
    completion : int or None
        Its claim.
    rounds : tuple of Allocation
    """

    job: int
    completion: int | None
    rounds: tuple[Allocation, ...]


class JobEntries(OnDemand):
    """Entries of the jobs of a schedule document, made on demand of what is kept of them.

    Parameters
    ----------
    instance : Instance
    found : sequence
        A `JobEntry` for each entry, or the entry itself where it is not a good one.
    """

    def __init__(self, instance: Instance, found: Sequence[object]) -> None:
        self.instance, self.found = instance, found
        super().__init__(len(found), self._entry)

    def _entry(self, i: int) -> object:
        kept = self.found[i]
        if not isinstance(kept, JobEntry):
            return kept
        cluster = self.instance.cluster
        return {
            "name": self.instance.jobs[kept.job].name,
            "completion": kept.completion,
            "rounds": [_entry(cluster, allocation) for allocation in kept.rounds],
        }


class _Reader:
    """Reads entries of jobs; equal places of many allocations are one object."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._nodes = {name: h for h, name in enumerate(instance.cluster.nodes)}
        self._types = {name: r for r, name in enumerate(instance.cluster.accelerators)}
        self._known: dict[object, Any] = {}

    def entry(self, entry: object, path: str) -> JobEntry:
        """Return what an entry says."""
        fields = check_fields(
            entry, ("name", "rounds"), ("completion",), path=path, error=ScheduleError
        )
        name = check_string(fields["name"], f"{path}.name", ScheduleError)
        try:
            j = self._instance.index(name)
        except KeyError:
            rule = "is not a job of this instance"
            raise ScheduleError(f"{path}.name", rule, shown(name)) from None
        rounds = check_list(fields["rounds"], f"{path}.rounds", ScheduleError)
        found = tuple(
            self._allocation(round_, f"{path}.rounds[{k}]") for k, round_ in enumerate(rounds)
        )
        claim = fields.get("completion")
        return JobEntry(
            j, None if claim is None else to_integer(claim, f"{path}.completion"), found
        )

    def take(self, entry: object) -> object:
        """Return what an entry says, or the entry if it is not a good one."""
        try:
            return self.entry(entry, "")
        except (ScheduleError, InstanceError):
            return entry

    def _allocation(self, entry: object, path: str) -> Allocation:
        fields = check_fields(entry, ("round", "gpus"), ("copies",), path=path, error=ScheduleError)
        copies = fields.get("copies", False)
        if not isinstance(copies, bool):
            raise ScheduleError(f"{path}.copies", "must be true or false", shown(copies))
        place = f"{path}.gpus"
        gpus = []
        by_node = check_fields(fields["gpus"], (), self._nodes, path=place, error=ScheduleError)
        for node, counts in by_node.items():
            inner = f"{place}.{node}"
            by_type = check_fields(counts, (), self._types, path=inner, error=ScheduleError)
            for name, count in by_type.items():
                number = to_integer(count, f"{inner}.{name}", least=1)
                gpus.append((self._nodes[node], self._types[name], number))
        if not gpus:
            raise ScheduleError(place, "must hold at least one GPU", "{}")
        held = tuple(sorted(gpus))
        held = self._known.setdefault(held, held)
        return Allocation(to_integer(fields["round"], f"{path}.round"), held, copies)


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
    reader = _Reader(instance)
    entries = check_list(document["jobs"], "jobs", ScheduleError)
    if isinstance(entries, JobEntries) and entries.instance is instance:
        entries = entries.found  # names and indices are those of this instance
    for i, entry in enumerate(entries):
        path = f"jobs[{i}]"
        said = entry if isinstance(entry, JobEntry) else reader.entry(entry, path)
        j = said.job
        if j in seen:
            raise ScheduleError(f"{path}.name", "must be unique", shown(instance.jobs[j].name))
        seen.add(j)
        allocations[j], completion[j] = said.rounds, said.completion
    return Schedule(tuple(allocations), tuple(completion), objective)


def job_taker(instance: Instance) -> Callable[[Mapping[str, object]], Callable[[Any], Any]]:
    """Return what takes the entries of jobs of a schedule as they are read (see `read_parts`)."""
    return lambda _: _Reader(instance).take


def entries_of(document: Document, instance: Instance) -> Document:
    """Return a schedule document that was read, entries of jobs that were taken as documents."""
    jobs = document.get("jobs")
    return {**document, "jobs": JobEntries(instance, jobs)} if isinstance(jobs, list) else document


def _entry(cluster: Cluster, allocation: Allocation) -> Document:
    """Return an allocation as a document."""
    gpus: dict[str, dict[str, int]] = {}
    for h, r, count in allocation.gpus:
        gpus.setdefault(cluster.nodes[h], {})[cluster.accelerators[r]] = count
    entry: dict[str, Any] = {"round": allocation.round, "gpus": gpus}
    if allocation.copies:
        entry["copies"] = True
    return entry


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
    """Return the document of `schedule_to_document`, entries of jobs made on demand.

    Raises
    ------
    ScheduleError
        If the schedule is infeasible.
    """
    checked = check_schedule(instance, schedule)
    jobs = zip(checked.completion, schedule.jobs, strict=True)
    found = [JobEntry(j, claim, rounds) for j, (claim, rounds) in enumerate(jobs) if rounds]
    return {
        "format": FORMAT,
        "instance_sha256": instance_sha256(instance),
        "objective": to_text(checked.value),
        "jobs": JobEntries(instance, found),
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
    document = load_json(path, ScheduleError, {("jobs",): job_taker(instance)})
    return schedule_from_document(entries_of(document, instance), instance)


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
