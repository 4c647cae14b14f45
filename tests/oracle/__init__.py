"""Brute-force oracle for tiny instances, written from the problem definition alone.

Works on the parsed JSON of an instance file (numbers as int, str or Decimal) and imports only the
standard library, so that it shares no code, and no mistake, with the library that it judges.
"""

from tests.oracle.joint import optimum
from tests.oracle.judge import job_json, round_progress, schedule_json, schedule_value
from tests.oracle.reading import (
    Cell,
    Json,
    canonical,
    capacity,
    gang_size,
    instance_sha256,
    iterations,
    max_copies,
    num_rounds,
    number,
    parallelism,
    release,
    throughput,
    utility,
)
from tests.oracle.single import (
    Free,
    JobSchedule,
    Option,
    Prices,
    job_schedules,
    least_costs,
    max_payoff,
    option_cost,
    round_options,
)

__all__ = [
    "Cell",
    "Free",
    "JobSchedule",
    "Json",
    "Option",
    "Prices",
    "canonical",
    "capacity",
    "gang_size",
    "instance_sha256",
    "iterations",
    "job_json",
    "job_schedules",
    "least_costs",
    "max_copies",
    "max_payoff",
    "num_rounds",
    "number",
    "optimum",
    "option_cost",
    "parallelism",
    "release",
    "round_options",
    "round_progress",
    "schedule_json",
    "schedule_value",
    "throughput",
    "utility",
]
