"""``hadaropt explain``: why a job completes when it does, waits, is rejected, or never can run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hadaropt.cli.common.answer import Answer, Table, number
from hadaropt.cli.common.guarantee import guarantee_document, guarantee_lines
from hadaropt.cli.common.inputs import instance_facts, load_instance, load_schedule
from hadaropt.cli.common.options import (
    AsJson,
    InstanceFile,
    Parallelism,
    UsageError,
    did_you_mean,
    option,
)
from hadaropt.cli.online import PoolName, PriceName, pool_is_an_option

if TYPE_CHECKING:
    from hadaropt.instance import Instance
    from hadaropt.online.explain import Explanation, RoundFacts
    from hadaropt.results import OnlineRun

MOST_ROWS = 40

JobName = Annotated[str, Parameter(name="JOB", help="Name of the job.")]
ScheduleOption = Annotated[
    Path | None, option("Explain within this schedule.", default="within an online run")
]


def explain(
    instance: InstanceFile,
    job: JobName,
    /,
    *,
    schedule: ScheduleOption = None,
    price: PriceName = None,
    pool: PoolName = None,
    parallelism: Parallelism = None,
    json: AsJson = False,
) -> Answer:
    """Say why a job completes when it does, waits, is rejected, or can never earn anything.

    Without a schedule, the job meets the online primal-dual algorithm and its prices; the theorem
    that holds for them is named with what it says and where its proof is.
    """
    from hadaropt.offline.infeasibility import why_unschedulable
    from hadaropt.online.explain import explain_in_schedule, explain_online
    from hadaropt.online.run import run_online
    from hadaropt.policies import PrimalDual

    for flag, value in (("--price", price), ("--pool", pool)):
        if schedule is not None and value is not None:
            raise UsageError(f"{flag} {value}: a schedule has no prices; leave out --schedule")
    problem = load_instance(instance, parallelism)
    j = _find(problem, job)
    plan = None if schedule is None else load_schedule(schedule, problem)
    never = why_unschedulable(problem, j)
    if never is not None:
        return _answer(problem, j, "unschedulable", (never,), None, None)
    run = None
    if plan is not None:
        found = explain_in_schedule(problem, j, plan)
    else:
        policy = PrimalDual(price or "zero_start", pool or "auto")
        with pool_is_an_option():
            found = explain_online(problem, j, policy)
            run = run_online(problem, policy)
    return _answer(problem, j, found.status, found.reasons, found, run)


def _find(problem: Instance, name: str) -> int:
    """Return the index of a job.

    Raises
    ------
    UsageError
        If there is none of that name; the nearest is named.
    """
    names = [job.name for job in problem.jobs]
    if name in names:
        return names.index(name)
    hint = did_you_mean(name, names)
    raise UsageError(f"JOB {name}: the instance has no job of that name{hint}")


def _answer(
    problem: Instance,
    j: int,
    status: str,
    reasons: tuple[str, ...],
    found: Explanation | None,
    run: OnlineRun | None,
) -> Answer:
    rounds = () if found is None else found.rounds
    types = problem.cluster.accelerators
    document = {
        "command": "explain",
        "instance": instance_facts(problem),
        "job": problem.jobs[j].name,
        "status": status,
        "reasons": reasons,
        "completion": None if found is None else found.completion,
        "value": 0 if found is None else found.value,
        "rounds": [_facts(fact, types) for fact in rounds],
        **({"theorem": None} if run is None else guarantee_document(run)),
    }
    lines = [("job", problem.jobs[j].name), ("status", status)]
    lines += [("why" if i == 0 else "", reason) for i, reason in enumerate(reasons)]
    lines += [] if run is None else guarantee_lines(run)
    if len(rounds) > MOST_ROWS:
        lines.append(("", f"the table shows {MOST_ROWS} of {len(rounds)} rounds; --json shows all"))
    used = [r for r, speed in enumerate(problem.throughput[j]) if speed > 0]
    priced = any(fact.prices is not None for fact in rounds)
    columns = ["round", "iterations", *(f"free {types[r]}" for r in used)]
    columns += [f"price {types[r]}" for r in used if priced]
    rows = [(*_row(fact, used), ", ".join(fact.holders)) for fact in rounds[:MOST_ROWS]]
    return Answer(document, lines, [Table((*columns, "beside"), rows)])


def _facts(fact: RoundFacts, types: tuple[str, ...]) -> dict[str, object]:
    return {
        "round": fact.round,
        "iterations": fact.progress,
        "possible_iterations": fact.possible,
        "free": dict(zip(types, fact.free, strict=True)),
        "prices": None if fact.prices is None else dict(zip(types, fact.prices, strict=True)),
        "beside": fact.holders,
    }


def _row(fact: RoundFacts, used: list[int]) -> tuple[str, ...]:
    ran = "-" if fact.progress is None else str(fact.progress)
    free = [str(fact.free[r]) for r in used]
    prices = [] if fact.prices is None else [fact.prices[r] for r in used]
    return (str(fact.round), ran, *free, *("-" if k is None else number(k) for k in prices))
