"""What a reader may do with any bytes: refuse them with a placed error, or read what it can write.

Anything else that comes out - another exception, a value that does not survive writing and reading,
a verdict that takes too long - is a find.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from hadaropt import Cluster, Instance, Job, Workload, WorkloadJob, utility, verify
from hadaropt.certificates import read_certificate, write_certificate
from hadaropt.errors import CertificateError, InstanceError, PlacedError, ScheduleError
from hadaropt.io import (
    instance_sha256,
    instance_to_document,
    read_instance,
    read_schedule,
    read_workload,
    schedule_to_document,
    write_instance,
    write_schedule,
    write_workload,
)
from hadaropt.io.documents import load_json
from hadaropt.io.workloads import workload_to_document
from hadaropt.schedule import check_schedule
from tests.certificates.samples import crowd, pair, pair_schedule, true_documents

MOST_SECONDS = 5.0
"""A verdict on a file of a few kilobytes that takes longer is a find."""


@dataclass(frozen=True)
class Target:
    """A reader with documents that it accepts.

    Attributes
    ----------
    name : str
    seeds : tuple of dict
        JSON documents.
    judge : callable
        Reads a file; raises `PlacedError` where it refuses.
    """

    name: str
    seeds: tuple[dict[str, Any], ...]
    judge: Callable[[Path], None]


class FoundError(Exception):
    """A reader did something that it may not do."""


def utilities() -> list[utility.Utility]:
    return [
        utility.Linear(100, "1/3"),
        utility.Step(7, "5/2"),
        utility.Sigmoid(peak=9, steepness="0.3", deadline=2),
        utility.EffectiveThroughput(1),
        utility.Completion(2, 6),
        utility.Table((5, "3/2", 0)),
    ]


def colourful() -> Instance:
    """An instance that uses every field."""
    cluster = Cluster.of({"n0": {"V100": 2, "P100": 1}, "ü 1": {"K80": 4}, "n2": {}})
    jobs = tuple(
        Job(f"job {i}", i, 1 + i % 3, 10**i, {"V100": "2.5", "K80": "1/3"}, u, "0.9", 1 + i % 2)
        for i, u in enumerate(utilities())
    )
    return Instance(cluster, jobs, 6, "7/3", "forked", "0.25", "colourful")


def _workload() -> Workload:
    cluster = Cluster.of({"n0": {"V100": 2}, "n1": {"K80": 4}})
    jobs = (
        WorkloadJob("a", "0.5", 2, 100, {"V100": "2.5"}, "0.9", 2, 3),
        WorkloadJob("b", 7, 1, 5, {"K80": 1}),
    )
    return Workload(cluster, jobs, "colourful")


def judge_instance(path: Path) -> None:
    instance = read_instance(path)
    copy = path.with_name("copy.json")
    write_instance(instance, copy)
    if read_instance(copy) != instance or instance_sha256(instance) != instance_sha256(
        read_instance(copy)
    ):
        raise FoundError("an instance does not survive writing and reading")


def judge_workload(path: Path) -> None:
    workload = read_workload(path)
    copy = path.with_name("copy.json")
    write_workload(workload, copy)
    if read_workload(copy) != workload:
        raise FoundError("a workload does not survive writing and reading")


def judge_schedule(path: Path) -> None:
    schedule = read_schedule(path, pair())
    value = check_schedule(pair(), schedule).value
    copy = path.with_name("copy.json")
    write_schedule(schedule, copy, pair())
    again = read_schedule(copy, pair())
    if again.objective != value or check_schedule(pair(), again).value != value:
        raise FoundError("a schedule does not survive writing and reading")


def judge_certificate(path: Path) -> None:
    """The instance is the one that the file names, so that trees reach their own."""
    sha = load_json(path, CertificateError).get("instance_sha256")
    instance = crowd(3, 2) if sha == instance_sha256(crowd(3, 2)) else pair()
    certificate = read_certificate(path, instance)
    found = verify(instance, certificate)
    optimum = Fraction(14) if len(instance.cluster.nodes) == 1 else Fraction(253, 2)
    if found.value > optimum or (found.bound is not None and found.bound < optimum):
        raise FoundError(f"a false certificate is accepted: {found}")
    copy = path.with_name("copy.json")
    write_certificate(certificate, copy, instance)
    if verify(instance, read_certificate(copy, instance)) != found:
        raise FoundError("a certificate does not survive writing and reading")


TARGETS = {
    target.name: target
    for target in (
        Target(
            "instance",
            (instance_to_document(pair()), instance_to_document(colourful())),
            judge_instance,
        ),
        Target("workload", (workload_to_document(_workload()),), judge_workload),
        Target("schedule", (schedule_to_document(pair(), pair_schedule()),), judge_schedule),
        Target(
            "certificate",
            tuple(document for _, document in true_documents().values()),
            judge_certificate,
        ),
    )
}
REFUSALS = {
    "instance": InstanceError,
    "workload": InstanceError,
    "schedule": ScheduleError,
    "certificate": CertificateError,
}


def try_bytes(target: Target, data: bytes, folder: Path) -> str:
    """Return ``accepted`` or ``refused``.

    Raises
    ------
    Exception
        Whatever the reader does that it may not do.
    """
    path = folder / ("file.json.gz" if data[:2] == b"\x1f\x8b" else "file.json")
    path.write_bytes(data)
    started = time.perf_counter()
    try:
        target.judge(path)
    except PlacedError as refusal:
        if not isinstance(refusal, REFUSALS[target.name]) or not refusal.rule:
            raise FoundError(f"refused as {refusal!r}") from refusal
        return "refused"
    finally:
        seconds = time.perf_counter() - started
        if seconds > MOST_SECONDS:
            raise FoundError(f"the verdict took {seconds:.1f} s")
    return "accepted"


def seed_bytes(target: Target) -> list[bytes]:
    """Return the seeds as text."""
    return [json.dumps(seed, ensure_ascii=False).encode() for seed in target.seeds]
