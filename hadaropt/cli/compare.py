"""``hadaropt compare``: several round-based schedulers on one workload."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from hadaropt.cli.common.answer import Answer, Table, number
from hadaropt.cli.common.bounds import (
    FittingIntervals,
    bound_facts,
    bounds_of,
    checked_intervals,
    fitting_intervals,
    times_the_least,
)
from hadaropt.cli.common.names import chosen
from hadaropt.cli.common.options import AsJson, UsageError, option
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
from hadaropt.figures import counted

if TYPE_CHECKING:
    from hadaropt.auditing.log import Log
    from hadaropt.instance import Cluster
    from hadaropt.simulate.bounds import WorkloadBounds
    from hadaropt.simulate.metrics import Metrics
    from hadaropt.simulate.problem import RoundProblem
    from hadaropt.simulate.result import SimulatedRun

DEFAULT = "hadar,gavel:max_min_fairness_perf,tiresias,yarn"
COLUMNS = (
    "scheduler",
    "done",
    "never",
    "JCT mean h",
    "/ least",
    "median h",
    "p95 h",
    "max h",
    "queueing h",
    "fairness",
    "TTD h",
    "GRU",
    "CRU",
    "useful",
    "restarts",
)
NOTE = (
    "JCT, queueing, fairness: over the {common} of {jobs} jobs that every scheduler completes. "
    "JCT: completion inside the round - arrival. / least: at most so many times the least mean "
    "JCT of any schedule of these jobs, by a proven bound. queueing: mean to the first GPU. "
    "fairness: mean JCT over JCT at the isolated share. TTD: last completion - first arrival. "
    "GRU, CRU: GPU-seconds, node-seconds in use over TTD. useful: of the GPU-seconds in use, as on "
    "the fastest type."
)
RECORDED = "recorded"
RECORDED_NOTE = (
    "recorded: as the log has it, on the cluster that ran it ({cluster}); its / least is against "
    "schedules that give each job its recorded type, gang and time"
)
SchedulerNames = Annotated[
    str,
    option(
        "Comma-separated names, as for hadaropt simulate; recorded: what a log with starts and "
        "ends records."
    ),
]
Window = Annotated[
    str | None,
    option(
        "FIRST:LAST, what the Gantt chart shows, LAST excluded.",
        default="24 rounds with the most gangs that mix types",
        unit="rounds",
    ),
]
FILES = ("comparison.csv", "jct.png", "use.png", "gantt.png")


def compare(
    workload: WorkloadFile,
    /,
    *,
    schedulers: SchedulerNames = DEFAULT,
    cluster: ClusterSpec = None,
    columns: Columns = None,
    throughputs: Throughputs = None,
    relative_speeds: RelativeSpeeds = None,
    round_seconds: RoundSeconds = 360.0,
    restart_seconds: RestartSeconds = None,
    objective: ObjectiveName = None,
    model_seed: ModelSeed = None,
    load: Load = None,
    window: Window = None,
    bound_intervals: FittingIntervals = None,
    output: OutputFolder = None,
    json: AsJson = False,
) -> Answer:
    """Compare schedulers on one workload: a table, and pictures with --out.

    Exit code 0: every run is complete, whether or not every job completed.
    """
    from hadaropt.cli.common.progress import job_bar
    from hadaropt.simulate.metrics import common_jobs, metrics
    from hadaropt.simulate.registry import scheduler_names

    for name in schedulers.split(","):
        if name.strip().partition(":")[0].replace("-", "_") == "gavel_reference":
            raise UsageError(f"--schedulers {name.strip()}: is for hadaropt simulate only")
    names = chosen("--schedulers", schedulers, (), (*scheduler_names(), RECORDED))
    named = named_columns(columns)
    log = None
    if RECORDED in names:
        log = _log(workload, None if cluster is None else parse_cluster(cluster), load, named)
        names = tuple(name for name in names if name != RECORDED)
        if not names:
            raise UsageError("--schedulers recorded: must name a scheduler beside it")
    rounds = None if window is None else _window(window)
    intervals = checked_intervals(bound_intervals)
    own, facts = load_workload(
        workload,
        None if cluster is None else parse_cluster(cluster),
        throughputs,
        model_seed,
        load,
        relative_speeds,
        named,
    )
    problem = round_problem(own, round_seconds, restart_seconds, objective)
    total = len(problem.jobs)
    with (
        output_folder(output, FILES, {"matplotlib": "plot"}) as folder,
        job_bar(total) as show,
    ):
        runs = _simulate(problem, names, show)
        common = set(common_jobs(runs))
        if log is not None:
            kept = {job.name for job in log.jobs}
            common = {j for j in common if problem.jobs[j].name in kept}
        found = [metrics(run) for run in runs]
        paired = [metrics(run, common) for run in runs]
        if folder is not None:
            show("drawing", total)
        written = {} if folder is None else _write(runs, found, paired, folder, rounds)
        if intervals is None:
            intervals = fitting_intervals(len(common))
        show("proving bounds", total)
        bounds = _bounds(runs, common, intervals)
    answer = _answer(runs, found, paired, common, bounds, facts, written)
    return answer if log is None else _with_recorded(answer, log, problem, common)


def _log(
    workload: Path, cluster: Cluster | None, load: float | None, columns: Mapping[str, str] | None
) -> Log:
    """Return the recorded schedule of a trace; every job of it counts.

    Raises
    ------
    UsageError
        If the file is no log with starts and ends, or is thinned.
    """
    from hadaropt.auditing.log import make_log
    from hadaropt.errors import TraceError
    from hadaropt.traces import read_trace
    from hadaropt.traces.table import read_text

    place = f"--schedulers {RECORDED}"
    if load is not None:
        raise UsageError(f"{place}: is for the whole log, without --load")
    if '"hadaropt-' in read_text(workload)[:4096]:
        raise UsageError(f"{place}: {workload.name} is no log")
    trace = read_trace(workload, columns=columns)
    if not any(job.attempts for job in trace.jobs):
        raise UsageError(f"{place}: {workload.name} has no starts and ends")
    try:
        return make_log(trace, cluster, everyone=True)
    except TraceError:
        return make_log(trace, everyone=True)  # it ran on other types than those compared


def _with_recorded(answer: Answer, log: Log, problem: RoundProblem, common: set[int]) -> Answer:
    """Return the answer with what the log records, below the schedulers."""
    from hadaropt.auditing.contestant import recorded

    own = recorded(log, {problem.jobs[j].name for j in common})
    if own is None:
        return answer
    jct, least = own.jct_s, own.least_mean_jct_s
    row = (
        RECORDED,
        str(own.jobs),
        "-",
        *(f"{jct.mean / 3600:.2f}", "-" if least is None else _times(jct.mean, least)),
        *(f"{value / 3600:.2f}" for value in (jct.median, jct.p95, jct.max, own.queueing_s.mean)),
        "-",
        f"{own.ttd_s / 3600:.2f}",
        f"{own.gru:.1%}",
        *("-", "-", str(own.restarts)),
    )
    sizes = ", ".join(f"{size:,} {pool}" for pool, size in log.pools.items())
    note = RECORDED_NOTE.format(cluster=f"{sizes}, {log.origin}")
    if least is None:
        note += "; it does not fit that cluster, so that it gets no bound"
    document = {**answer.document, RECORDED: {**asdict(own), "cluster": dict(log.pools)}}
    (table,) = answer.tables
    lines = [*answer.lines, ("note", note)]
    return Answer(document, lines, [Table(table.columns, [*table.rows, row])])


def _times(mean: float, least: Fraction) -> str:
    return times_the_least(Fraction(mean), least)


def _window(text: str) -> tuple[int, int]:
    first, _, last = text.partition(":")
    from hadaropt.errors import InstanceError, shown
    from hadaropt.exact import to_integer

    try:
        begin, end = (to_integer(part, "") for part in (first, last))
    except InstanceError as bad:
        place = f"--window {shown(text)}".replace('"', "")
        raise UsageError(f"{place}: must be FIRST:LAST, two rounds >= 0; {bad.rule}") from None
    if begin >= end:
        raise UsageError(f"--window {text}: must end after it begins")
    return begin, end


def _simulate(
    problem: RoundProblem, names: Sequence[str], show: Callable[[str, int], None]
) -> list[SimulatedRun]:
    from hadaropt.simulate.engine import simulate_rounds
    from hadaropt.simulate.registry import make_scheduler

    runs = []
    for name in names:
        show(name, 0)
        runs.append(
            simulate_rounds(
                problem,
                make_scheduler(name),
                lambda settled, name=name: show(name, settled),  # type: ignore[misc]
            )
        )
    return runs


def _write(
    runs: Sequence[SimulatedRun],
    found: Sequence[Metrics],
    paired: Sequence[Metrics],
    folder: Path,
    window: tuple[int, int] | None,
) -> dict[str, str]:
    from hadaropt.io.files import writing
    from hadaropt.plot.comparison import save_run_figures

    table = folder / "comparison.csv"
    with writing(table) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        records = [
            _flat(asdict(own)) | {f"common_{k}": x for k, x in _flat(_paired(common)).items()}
            for own, common in zip(found, paired, strict=True)
        ]
        rows.writerow(("scheduler", *records[0]))
        for run, record in zip(runs, records, strict=True):
            rows.writerow((run.scheduler, *record.values()))
    pictures = save_run_figures(runs, folder, window)
    return {"table": str(table)} | {name: str(file) for name, file in pictures.items()}


def _paired(figures: Metrics) -> dict[str, object]:
    """Return the figures that depend on which jobs are counted."""
    names = ("jct_s", "queueing_s", "finish_time_fairness")
    return {name: value for name, value in asdict(figures).items() if name in names}


def _flat(figures: dict[str, object]) -> dict[str, object]:
    """Return the figures with one column for each entry of a distribution."""
    parts = ("mean", "median", "p95", "p99", "max")
    flat: dict[str, object] = {}
    for name, value in figures.items():
        if name in ("jct_s", "queueing_s", "finish_time_fairness"):
            own = value if isinstance(value, dict) else {}
            flat |= {f"{name}_{part}": own.get(part, "") for part in parts}
        else:
            flat[name] = value
    return flat


def _answer(
    runs: Sequence[SimulatedRun],
    found: Sequence[Metrics],
    paired: Sequence[Metrics],
    common: set[int],
    bounds: dict[str, WorkloadBounds | None],
    facts: dict[str, object],
    written: dict[str, str],
) -> Answer:
    problem = runs[0].problem
    document = {
        "command": "compare",
        "workload": facts,
        "warnings": facts["warnings"],
        "round_seconds": problem.round_seconds,
        "restart_seconds": problem.restart_seconds,
        "jobs": len(problem.jobs),
        "schedulers": {
            run.scheduler: asdict(figures) for run, figures in zip(runs, found, strict=True)
        },
        "common": {
            "jobs": len(common),
            "schedulers": {
                run.scheduler: _paired(figures) for run, figures in zip(runs, paired, strict=True)
            },
        },
        "bounds": {scheduler: bound_facts(own) for scheduler, own in bounds.items()},
        "files": written,
    }
    lines = [
        ("workload", f"{facts['source']} ({facts['format']}), {counted(len(problem.jobs), 'job')}"),
        ("rows dropped", rows_dropped(facts)),
        ("cluster", cluster_line(problem.cluster)),
        *warning_lines(facts),
        (
            "rounds",
            f"{number(problem.round_seconds)} s, restart {number(problem.restart_seconds)} s",
        ),
        ("note", NOTE.format(common=len(common), jobs=len(problem.jobs))),
        *((f"{name} file", file) for name, file in written.items()),
    ]
    rows = [
        _row(run.scheduler, figures, _least(run, common, bounds[run.scheduler]))
        for run, figures in zip(runs, paired, strict=True)
    ]
    return Answer(document, lines, [Table(COLUMNS, rows)])


def _bounds(
    runs: Sequence[SimulatedRun], common: set[int], intervals: int
) -> dict[str, WorkloadBounds | None]:
    """Return what holds for each scheduler: one bound for those that make no copies."""
    found: dict[str, WorkloadBounds | None] = {}
    known: dict[bool, WorkloadBounds | None] = {}
    for run in runs:
        copies = run.scheduler.startswith("hadare")
        if copies not in known:
            known[copies] = bounds_of(run, sorted(common), intervals)
        found[run.scheduler] = known[copies]
    return found


def _least(run: SimulatedRun, common: set[int], bounds: WorkloadBounds | None) -> str:
    if bounds is None:
        return "-"
    mean = sum((run.jct[j] for j in common), Fraction(0)) / len(common)
    return times_the_least(mean, bounds.avg_jct_s)


def _row(scheduler: str, found: Metrics, least: str) -> tuple[str, ...]:
    def hours(seconds: float | None) -> str:
        return "-" if seconds is None else f"{seconds / 3600:.2f}"

    jct, queueing, fairness = found.jct_s, found.queueing_s, found.finish_time_fairness
    figures = (None,) * 4 if jct is None else (jct.mean, jct.median, jct.p95, jct.max)
    return (
        scheduler,
        str(found.done),
        str(found.unschedulable),
        hours(figures[0]),
        least,
        *map(hours, figures[1:]),
        hours(None if queueing is None else queueing.mean),
        "-" if fairness is None else f"{fairness.mean:.3f}",
        hours(found.ttd_s),
        f"{found.gru:.1%}",
        f"{found.cru:.1%}",
        f"{found.useful_utilization:.1%}",
        str(found.restarts),
    )
