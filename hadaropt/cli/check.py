"""``hadaropt check``: whether a schedule is feasible, and what it is worth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from hadaropt.cli.common.answer import Answer, Table, number
from hadaropt.cli.common.inputs import instance_facts, load_instance, load_schedule
from hadaropt.cli.common.options import AsJson, InstanceFile, Parallelism

ScheduleFile = Annotated[Path, Parameter(name="SCHEDULE", help="Schedule file of that instance.")]


def check(
    instance: InstanceFile,
    schedule: ScheduleFile,
    /,
    *,
    parallelism: Parallelism = None,
    json: AsJson = False,
) -> Answer:
    """Check a schedule against every rule, in exact arithmetic, and print its value.

    Exit code 0: feasible. 1: infeasible, and the rule that is broken. 4: a file cannot be read.
    """
    from hadaropt.cli.common import exits
    from hadaropt.cli.common.failures import error_facts
    from hadaropt.errors import ScheduleError
    from hadaropt.schedule import check_schedule

    problem = load_instance(instance, parallelism)
    plan = load_schedule(schedule, problem)
    facts = {"command": "check", "instance": instance_facts(problem)}
    try:
        checked = check_schedule(problem, plan)
    except ScheduleError as broken:
        document = {**facts, "feasible": False, **error_facts(broken)}
        return Answer(document, [("infeasible", str(broken))], exit_code=exits.NO)
    jobs, rows = [], []
    for j, (job, finish) in enumerate(zip(problem.jobs, checked.completion, strict=True)):
        value = None if finish is None else problem.value(j, finish)
        reason = problem.unschedulable(j)
        flow_time = None if finish is None else finish - job.release + 1
        jobs.append(
            {
                "name": job.name,
                "completion": finish,
                "flow_time": flow_time,
                "value": value,
                "progress": checked.progress[j],
                "unschedulable": reason,
            }
        )
        if finish is None or value is None:
            status = f"unschedulable: {reason}" if reason else "does not complete"
            rows.append((job.name, "-", "-", "0", status))
        else:
            rows.append((job.name, str(finish), str(flow_time), number(value), "completes"))
    completed = sum(finish is not None for finish in checked.completion)
    return Answer(
        {**facts, "feasible": True, "value": checked.value, "jobs": jobs},
        [
            ("feasible", "yes"),
            ("value", number(checked.value)),
            ("completed", f"{completed} of {len(problem.jobs)} jobs"),
        ],
        [Table(("job", "completion", "flow time", "value", "status"), rows)],
    )
