"""Instances as the commands read and report them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hadaropt.errors import PlacedError

if TYPE_CHECKING:
    from hadaropt.certificates import Certificate
    from hadaropt.instance import Instance, Parallelism
    from hadaropt.schedule import Schedule


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Name the file in the errors about places inside it."""
    try:
        yield
    except PlacedError as error:
        error.file = str(path)
        raise


def load_instance(path: Path, parallelism: Parallelism | None) -> Instance:
    """Return the instance in a file, under another parallelism model if one is named."""
    from hadaropt.io import read_instance

    with reading(path):
        instance = read_instance(path)
    return instance if parallelism is None else instance.with_parallelism(parallelism)


def load_schedule(path: Path, instance: Instance) -> Schedule:
    """Return the schedule in a file, which has to be one of this instance."""
    from hadaropt.io import read_schedule

    with reading(path):
        return read_schedule(path, instance)


def load_certificate(path: Path, instance: Instance) -> Certificate:
    """Return the certificate in a file; whether it is one of this instance, verifying tells."""
    from hadaropt.certificates import read_certificate

    with reading(path):
        return read_certificate(path, instance)


def instance_facts(instance: Instance) -> dict[str, object]:
    """Return what an answer says about its instance."""
    from hadaropt.io import instance_sha256

    return {
        "name": instance.name,
        "sha256": instance_sha256(instance),
        "parallelism": instance.parallelism,
        "jobs": len(instance.jobs),
        "rounds": instance.num_rounds,
    }


def unschedulable_jobs(instance: Instance) -> list[dict[str, str]]:
    """Return the jobs that can earn nothing, even alone, each with the reason."""
    from hadaropt.offline import infeasibility

    reasons = infeasibility.unschedulable_jobs(instance)
    return [{"name": name, "reason": reason} for name, reason in reasons.items()]
