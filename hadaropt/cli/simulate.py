"""``hadaropt simulate``: a workload under a round-based scheduler."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from hadaropt.cli.common.answer import Answer, Lines, Table, number
from hadaropt.cli.common.bounds import (
    SomeIntervals,
    bound_facts,
    bound_lines,
    bounds_of,
    checked_intervals,
)
from hadaropt.cli.common.names import one_of
from hadaropt.cli.common.options import AsJson, MaybeInteger, UsageError, option
from hadaropt.cli.common.workloads import (
    ClusterSpec,
    Columns,
    Load,
    ModelSeed,
    ObjectiveName,
    OutputFolder,
    RelativeSpeeds,
    RestartSeconds,
    RoundSeconds,
    Throughputs,
    WorkloadFile,
    cluster_line,
    load_workload,
    named_columns,
    output_folder,
    parse_cluster,
    round_problem,
    rows_dropped,
    warning_lines,
)

if TYPE_CHECKING:
    from hadaropt.simulate.metrics import Distribution, Metrics
    from hadaropt.simulate.result import SimulatedRun
    from hadaropt.simulate.schedulers.gavel_reference import ReferenceRun

REFERENCE = "gavel_reference"

SchedulerName = Annotated[
    str,
    option(
        "hadar, hadar:exact, hadar:guaranteed, hadar:beam, hadar:strict, hadar:makespan, "
        "hadar:finish_time_fairness, hadare (jobs forked into copies), hadare:makespan, "
        "hadare:utility, tiresias, yarn, srtf, las, random, gavel:POLICY, or "
        "gavel_reference:POLICY for the public simulator of Gavel bit for bit."
    ),
]
Allocations = Annotated[
    Path | None,
    option(
        "Recorded allocations that gavel_reference replays instead of solving (csv, may be .gz).",
        default="solved",
    ),
]
ConsolidationSeconds = Annotated[
    float | None,
    option(
        "Lost by each copy in a round in which hadare runs a job as two or more.",
        default="0",
        unit="seconds",
    ),
]
Seed = Annotated[MaybeInteger, option("Of what gavel_reference shuffles.", default="0")]
FILES = ("jobs.csv", "events.parquet", "jct.png", "use.png", "gantt.png")
EXTRAS = {"polars": "bench", "matplotlib": "bench"}


def simulate(
    workload: WorkloadFile,
    /,
    *,
    scheduler: SchedulerName,
    cluster: ClusterSpec = None,
    columns: Columns = None,
    throughputs: Throughputs = None,
    relative_speeds: RelativeSpeeds = None,
    replay_allocations: Allocations = None,
    round_seconds: RoundSeconds = 360.0,
    restart_seconds: RestartSeconds = None,
    consolidation_seconds: ConsolidationSeconds = None,
    objective: ObjectiveName = None,
    model_seed: ModelSeed = None,
    load: Load = None,
    seed: Seed = None,
    bound_intervals: SomeIntervals = None,
    output: OutputFolder = None,
    json: AsJson = False,
) -> Answer:
    """Simulate a workload round by round.

    Exit code 0: the run is complete, whether or not every job completed.
    """
    intervals = checked_intervals(bound_intervals)
    target = None if cluster is None else parse_cluster(cluster)
    family, _, policy = scheduler.replace("-", "_").partition(":")
    if family == REFERENCE:
        _refuse(
            scheduler,
            {
                "--restart-seconds": restart_seconds,
                "--consolidation-seconds": consolidation_seconds,
                "--objective": objective,
                "--model-seed": model_seed,
                "--load": load,
                "--columns": columns,
                "--relative-speeds": relative_speeds,
                "--bound-intervals": intervals,
                "--out": output,
            },
        )
        if target is None or throughputs is None:
            raise UsageError(f"--scheduler {scheduler}: needs --cluster and --throughputs")
        from hadaropt.simulate.schedulers.gavel_reference import simulate_gavel_reference

        reference = simulate_gavel_reference(
            workload,
            throughputs,
            target.gpus_by_type,
            policy,
            round_seconds=round_seconds,
            seed=seed or 0,
            replay=replay_allocations,
        )
        return _reference_answer(scheduler, reference)
    _refuse(scheduler, {"--replay-allocations": replay_allocations, "--seed": seed})
    from hadaropt.cli.common.progress import job_bar
    from hadaropt.simulate.engine import simulate_rounds
    from hadaropt.simulate.registry import make_scheduler, scheduler_names

    known = (*scheduler_names(), f"{REFERENCE}:POLICY")
    scheduler = one_of("--scheduler", scheduler, known)
    if scheduler not in scheduler_names():
        raise UsageError(f"--scheduler {scheduler}: POLICY stands for the name of a policy")
    if family != "hadar" and scheduler != "hadare:utility":
        _refuse(scheduler, {"--objective": objective})
    if family != "hadare":
        _refuse(scheduler, {"--consolidation-seconds": consolidation_seconds})
    named = named_columns(columns)
    own, facts = load_workload(
        workload, target, throughputs, model_seed, load, relative_speeds, named
    )
    problem = round_problem(own, round_seconds, restart_seconds, objective, consolidation_seconds)
    with output_folder(output, FILES, EXTRAS) as folder:
        with job_bar(len(problem.jobs)) as show:
            run = simulate_rounds(
                problem, make_scheduler(scheduler), lambda settled: show(scheduler, settled)
            )
        written = _write(run, folder)
    return _answer(run, facts, written, intervals or 0)


def _refuse(scheduler: str, options: dict[str, object]) -> None:
    for flag, value in options.items():
        if value is not None:
            raise UsageError(f"{flag} {value}: is not for --scheduler {scheduler}")


def _write(run: SimulatedRun, folder: Path | None) -> dict[str, str]:
    """Write the files asked for; return what was written."""
    if folder is None:
        return {}
    import csv

    from hadaropt.io.files import writing
    from hadaropt.plot.comparison import save_run_figures
    from hadaropt.simulate.events import write_events

    written = {"events": folder / "events.parquet", "jobs": folder / "jobs.csv"}
    write_events(run, written["events"])
    with writing(written["jobs"]) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("job", "arrival_s", "gpus", "start_s", "finish_s", "jct_s", "reason"))
        for j, job in enumerate(run.problem.jobs):
            instants = (run.start.get(j), run.finish.get(j), run.jct.get(j))
            cells = ["" if x is None else float(x) for x in instants]
            reason = run.unschedulable.get(j, "")
            table.writerow((job.name, float(job.arrival), job.gang_size, *cells, reason))
    written |= save_run_figures([run], folder)
    return {name: str(path) for name, path in written.items()}


def _answer(
    run: SimulatedRun, facts: dict[str, object], written: dict[str, str], intervals: int
) -> Answer:
    from hadaropt.simulate.metrics import metrics

    found = metrics(run)
    bounds = bounds_of(run, run.finish, intervals)
    never = {run.problem.jobs[j].name: reason for j, reason in run.unschedulable.items()}
    document = {
        "command": "simulate",
        "workload": facts,
        "warnings": facts["warnings"],
        "scheduler": run.scheduler,
        "round_seconds": run.problem.round_seconds,
        "restart_seconds": run.problem.restart_seconds,
        "consolidation_seconds": run.problem.consolidation_seconds,
        "jobs": found.jobs,
        "done": found.done,
        "failed": found.unschedulable,
        "avg_jct_s": None if found.jct_s is None else found.jct_s.mean,
        "makespan_s": found.makespan_s,
        "utilization": found.gru,
        "metrics": asdict(found),
        "bounds": bound_facts(bounds),
        "unschedulable": never,
        "files": written,
    }
    table = Table(("unschedulable", "reason"), list(never.items()))
    files = [(f"{name} file", file) for name, file in written.items()]
    lines = _lines(run, facts, found)
    if bounds is not None:
        jct = sum(run.jct.values(), Fraction(0)) / len(run.jct)
        lines = [*lines, *bound_lines(bounds, jct, max(run.finish.values()))]
    return Answer(document, [*lines, *files], [table])


def _lines(run: SimulatedRun, facts: dict[str, object], found: Metrics) -> Lines:
    return [
        ("workload", f"{facts['source']} ({facts['format']})"),
        ("rows dropped", rows_dropped(facts)),
        ("cluster", cluster_line(run.problem.cluster)),
        *warning_lines(facts),
        ("scheduler", run.scheduler),
        ("completed", f"{found.done} of {found.jobs} jobs"),
        ("JCT", _shown(found.jct_s, 3600, " h")),
        ("queueing", _shown(found.queueing_s, 3600, " h")),
        ("finish-time fairness", _shown(found.finish_time_fairness)),
        ("total time duration", _hours(found.ttd_s)),
        ("makespan", _hours(found.makespan_s)),
        ("GPUs in use", f"{found.gru:.1%} of GPU-seconds"),
        ("nodes in use", f"{found.cru:.1%} of node-seconds"),
        ("useful", f"{found.useful_utilization:.1%} of GPU-seconds in use"),
        ("restarts", str(found.restarts)),
        ("forked job-rounds", str(sum(len(use.copy_steps) > 1 for use in run.uses))),
        ("rounds", str(found.rounds)),
    ]


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:.6g} h"


def _shown(figures: Distribution | None, scale: int = 1, unit: str = "") -> str:
    if figures is None:
        return "none"
    named = {"mean": figures.mean, "median": figures.median, "p95": figures.p95, "max": figures.max}
    return ", ".join(f"{name} {value / scale:.6g}{unit}" for name, value in named.items())


def _reference_answer(scheduler: str, run: ReferenceRun) -> Answer:
    names = [job.name for job in run.jobs]
    document = {
        "command": "simulate",
        "scheduler": scheduler,
        "jobs": len(names),
        "done": len(run.finish),
        "failed": len(run.dropped),
        "avg_jct_s": run.avg_jct_s,
        "makespan_s": run.makespan_s,
        "utilization": run.utilization,
        "rounds": run.rounds,
        "policy_solves": run.policy_solves,
        "jct_s": {names[job]: jct for job, jct in run.jct_s.items()},
        "failed_jobs": [names[job] for job in run.dropped],
        "waiting_jobs": [names[job] for job in run.waiting],
    }
    lines = [
        ("scheduler", scheduler),
        ("completed", f"{len(run.finish)} of {len(names)} jobs"),
        ("failed", ", ".join(names[job] for job in run.dropped) or "none"),
        ("never ran", ", ".join(names[job] for job in run.waiting) or "none"),
        ("average JCT", "none" if run.avg_jct_s is None else _hours(run.avg_jct_s)),
        ("makespan", _hours(run.makespan_s)),
        ("utilization", number(run.utilization)),
        ("rounds", str(run.rounds)),
    ]
    return Answer(document, lines)
