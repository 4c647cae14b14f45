"""Files: instances, workloads and schedules, read exactly and written canonically."""

from hadaropt.io.instances import (
    canonical_instance,
    instance_from_document,
    instance_sha256,
    instance_to_document,
    read_instance,
    write_instance,
)
from hadaropt.io.schedules import (
    read_schedule,
    schedule_from_document,
    schedule_to_document,
    write_schedule,
)
from hadaropt.io.workloads import read_workload, write_workload

__all__ = [
    "canonical_instance",
    "instance_from_document",
    "instance_sha256",
    "instance_to_document",
    "read_instance",
    "read_schedule",
    "read_workload",
    "schedule_from_document",
    "schedule_to_document",
    "write_instance",
    "write_schedule",
    "write_workload",
]
