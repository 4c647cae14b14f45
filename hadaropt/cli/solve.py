"""``hadaropt solve``: the offline optimum, its LP relaxation, or the dual."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from hadaropt.cli.common import exits
from hadaropt.cli.common.answer import Answer, Table, number
from hadaropt.cli.common.inputs import (
    instance_facts,
    load_instance,
    load_schedule,
    unschedulable_jobs,
)
from hadaropt.cli.common.kept import keep_certificate, keep_schedule
from hadaropt.cli.common.options import (
    AsJson,
    CertificateOut,
    InstanceFile,
    MaybeInteger,
    Parallelism,
    ScheduleOut,
    UsageError,
    as_choice,
    check_outputs,
    check_seconds,
    check_share,
    check_threads,
    check_work,
    option,
)
from hadaropt.cli.common.proof import Proof, proof_facts
from hadaropt.display import per_cent
from hadaropt.errors import ScheduleError
from hadaropt.interrupts import quiet
from hadaropt.offline.methods import METHODS, find_method
from hadaropt.offline.methods import solve as by_method

if TYPE_CHECKING:
    from hadaropt.instance import Instance
    from hadaropt.results import Result


COMPILING = (
    "compiling kernels first needed now, and kept (all: hadaropt doctor --warm); "
    "that does not count in the time limit ..."
)

Method = Annotated[
    Literal["auto", "ilp", "lp", "dual", "configuration_lp", "lagrangian", "branch_and_price"],
    option(
        "auto: the best schedule and bound that the time allows, by all means below as the size "
        "demands. ilp: the compact integer program. branch_and_price: the optimum with its "
        "branching tree. Bounds alone: lp and dual (compact relaxation), configuration_lp (the LP "
        "over whole schedules), lagrangian (the same bound without a solver, for large instances).",
        converter=as_choice,
    ),
]
TimeLimit = Annotated[
    float | None,
    option("For the whole solve.", default="no limit", unit="seconds", validator=check_seconds),
]
WorkLimit = Annotated[
    MaybeInteger,
    option(
        "The same answer on every run.",
        default="no limit",
        unit="units of work, each a few milliseconds",
        validator=check_work,
    ),
]
TargetGap = Annotated[
    float,
    option(
        "Stop at this relative gap.",
        unit="share of the value, 0.01 is one per cent",
        validator=check_share,
    ),
]
Threads = Annotated[
    MaybeInteger,
    option(
        "Threads of the solver (ilp, lp, dual), or those that price the jobs of the dual (auto, "
        "lagrangian), and processes for the dives of branch-and-price (auto, branch_and_price): of "
        "these the answer does not depend on it without a time limit.",
        default="1",
        unit="threads",
        validator=check_threads,
    ),
]
Dask = Annotated[
    str | None,
    option(
        "Address of a Dask cluster (tcp://HOST:PORT) whose workers price the jobs of the dual. For "
        "very large instances; the answer is the one of threads here.",
        default="this process",
        name="--dask",
    ),
]
Start = Annotated[Path | None, option("Schedule to start from.", default="none")]


def solve(
    instance: InstanceFile,
    /,
    *,
    method: Method = "auto",
    parallelism: Parallelism = None,
    time_limit: TimeLimit = None,
    work_limit: WorkLimit = None,
    target_gap: TargetGap = 0.0,
    start: Start = None,
    threads: Threads = None,
    dask: Dask = None,
    output: ScheduleOut = None,
    certificate: CertificateOut = None,
    json: AsJson = False,
) -> Answer:
    """Find the best schedule, or a bound on its value.

    Exit code 0: solved (the status says whether the optimum is proved in exact arithmetic), or the
    target gap is reached. 3: a limit was reached first; what was found is printed all the same.
    On a terminal, progress is written to standard error. Whatever ends a solve (Ctrl-C, SIGTERM, a
    full disk, a defect), the best answer known by then is printed and written.
    """
    inputs = (instance,) if start is None else (instance, start)
    check_outputs(("--out", output), ("--certificate", certificate), inputs=inputs)
    chosen = METHODS[find_method(method)]
    if output is not None and not chosen.schedules:
        raise UsageError(f"--out needs a schedule, and --method {method} makes none")
    given: dict[str, object] = {
        "start": start,
        "target_gap": target_gap or None,
        "work_limit": work_limit,
        "threads": threads,
        "dask": dask,
    }
    if threads is not None and dask is not None:
        raise UsageError("--threads and --dask: one of them, the workers have their own threads")
    for name, value in given.items():
        if value is not None and name not in chosen.options:
            flag = name.replace("_", "-")
            raise UsageError(f"--{flag} is of no use to --method {method}")
    problem = load_instance(instance, parallelism)
    options: dict[str, object] = {}
    if start is not None:
        options["start"] = load_schedule(start, problem)
    for name in ("work_limit", "threads", "dask"):
        if given[name] is not None:
            options[name] = given[name]
    if target_gap > 0:
        options["target_gap"] = target_gap
    if method == "auto":
        options["display"] = sys.stderr.isatty() and not json
    from hadaropt.results import best_known

    troubles: list[BaseException] = []
    try:
        result = _solve(problem, method, time_limit, options)
    except (Exception, KeyboardInterrupt) as error:
        known = best_known(error) or _given(problem, method, options.get("start"), error)
        if known is None:
            raise
        result = known
        troubles.append(error)
    quiet()  # an answer is known: whoever presses Ctrl-C again must not lose it
    written = keep_schedule(problem, result.schedule, output, troubles)
    proof = keep_certificate(problem, result, result.schedule, certificate, written, troubles)
    return _answer(problem, result, proof, written, troubles)


def _given(problem: Instance, method: str, start: object, error: BaseException) -> Result | None:
    """Return the schedule to start from as the answer, if it is feasible."""
    from hadaropt.offline.known import Known
    from hadaropt.results import Termination
    from hadaropt.schedule import Schedule

    if not isinstance(start, Schedule):
        return None
    try:
        interrupted = isinstance(error, KeyboardInterrupt)
        ended = Termination.INTERRUPTED if interrupted else Termination.FAILED
        return Known(problem, method, start).best(ended)
    except ScheduleError:
        return None


def _solve(
    problem: Instance, method: str, time_limit: float | None, options: dict[str, object]
) -> Result:
    from hadaropt.kernels.compile_time import when_compiling

    when_compiling(lambda: print(COMPILING, file=sys.stderr, flush=True))
    return by_method(problem, method, time_limit=time_limit, **options)  # type: ignore[arg-type]


def _answer(
    problem: Instance,
    result: Result,
    proof: Proof | None,
    written: dict[str, str],
    troubles: list[BaseException],
) -> Answer:
    never = unschedulable_jobs(problem)
    timings, solver = result.timings, result.solver
    relaxed = not METHODS[result.method].schedules
    objective = result.relaxation_value if result.value is None else result.value
    document = {
        "command": "solve",
        "instance": instance_facts(problem),
        "method": result.method,
        "termination": result.termination,
        "primal": "none" if objective is None else "feasible",
        "raw_status": result.raw_status,
        "objective": objective,
        "bound": result.bound,
        "gap": result.gap,
        "grade": result.status,
        "proof": None if proof is None else proof_facts(proof.verification),
        "completion": _completion(problem, result),
        "unschedulable": never,
        "branch_and_bound_nodes": result.nodes,
        "seconds": {name: getattr(timings, name) for name in ("assemble", "solve", "extract")},
        "solver": None
        if solver is None
        else {
            "name": solver.name,
            "version": solver.version,
            "options": {key: _plain(value) for key, value in solver.options.items()},
        },
        "history": [
            {"seconds": seconds, "value": value, "bound": bound}
            for seconds, value, bound in result.history
        ],
        "files": written,
    }
    lines = [
        ("method", f"{result.method}, {problem.parallelism}"),
        ("termination", result.termination),
        ("LP value" if relaxed else "value", number(objective)),
        ("bound", number(result.bound, up=True)),
        ("gap", per_cent(result.gap)),
        ("status", result.status or "none"),
    ]
    if result.schedule is None and not relaxed:
        lines.append(("schedule", "none was found"))
    lines += [(f"{name} file", file) for name, file in written.items()]
    table = Table(("unschedulable", "reason"), [(job["name"], job["reason"]) for job in never])
    return Answer(document, lines, [table], _exit_code(result), troubles=troubles)


def _exit_code(result: Result) -> int:
    if result.termination in ("optimal", "target_gap"):
        return exits.YES
    return exits.INTERRUPTED if result.termination == "interrupted" else exits.LIMIT


def _completion(problem: Instance, result: Result) -> dict[str, int | None] | None:
    """Return the completion round of each job by name, if there is a schedule."""
    from hadaropt.schedule import check_schedule

    if result.schedule is None:
        return None
    rounds = check_schedule(problem, result.schedule).completion
    return {job.name: finish for job, finish in zip(problem.jobs, rounds, strict=True)}


def _plain(value: object) -> object:
    return value if isinstance(value, bool | int | float | str) else str(value)
