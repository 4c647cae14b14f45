"""``hadaropt audit``: what a cluster could have saved."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from hadaropt.cli.common.answer import Answer, Table
from hadaropt.cli.common.options import (
    AsJson,
    UsageError,
    as_choice,
    option,
    option_error,
    out_option,
)
from hadaropt.cli.common.progress import run_line
from hadaropt.cli.common.workloads import (
    Columns,
    ModelSeed,
    RoundSeconds,
    named_columns,
    output_folder,
    parse_cluster,
    parse_factors,
    telling_columns,
)

if TYPE_CHECKING:
    from hadaropt.auditing.any_type import AnyType
    from hadaropt.auditing.report import Audit
    from hadaropt.auditing.waiting import Measures
    from hadaropt.utility import Utility

LogFile = Annotated[
    Path, Parameter(name="LOG", help="Log or trace in its original format, may be .gz.")
]
FormatName = Annotated[
    str | None,
    option("Read it as this format.", default="told from its columns", name="--format"),
]
Zone = Annotated[
    str | None,
    option(
        "Time zone of local times without a UTC offset, such as Europe/Berlin.",
        default="taken as written, summer time ignored",
    ),
]
Capacity = Annotated[
    Literal["given", "used"],
    option(
        "used: while the recorded schedule holds more GPUs than there are, those count as there.",
        converter=as_choice,
    ),
]
AuditedCluster = Annotated[
    str | None,
    option(
        "TYPE=NODESxGPUS,... of the cluster that ran it.",
        default="that of --nodes, or inferred",
    ),
]
NodeList = Annotated[
    Path | None, option("Node list of openb, Philly or PAI (csv).", default="none")
]
Counted = Annotated[
    Literal["finished", "all"],
    option("finished: leave failed, cancelled and cut jobs out of all sums.", converter=as_choice),
]
Untyped = Annotated[
    Literal["pool", "drop"],
    option(
        "Jobs without one GPU type, where others have one. pool: all GPUs are one pool; drop: such "
        "jobs are left out, counted, and the others keep their types.",
        converter=as_choice,
    ),
]
Speeds = Annotated[
    str,
    option(
        "recorded: each job needs its GPUs for as long as it held them. Others bound also what "
        "schedules reach that run jobs on other types: TYPE=FACTOR,... of every type, at these "
        "relative speeds; FILE (csv as for --throughputs of simulate), or measured (the table that "
        "comes with hadaropt), at those of the model of each job."
    ),
]
Model = Annotated[
    str | None,
    option(
        "For a table of --assume-speeds: the model of the jobs that name none of it, or drawn (one "
        "for each job, at --model-seed, that was measured at its gang size and runs on its type).",
        default="every job must name one",
    ),
]
Valued = Annotated[
    str | None,
    option(
        "KIND[PARAMETER=VALUE,...] of every job, such as linear[peak=100,decay=1], in rounds of "
        "--round-seconds: total utilities too, with a certified bound.",
        default="none",
        name="--utility",
    ),
]
Schedulers = Annotated[
    str | None,
    option(
        "Comma-separated round schedulers that run the jobs too, named as for hadaropt simulate; "
        "minutes or more for thousands of jobs.",
        default="none",
    ),
]
Changes = Annotated[
    list[str] | None,
    option(
        "add=TYPE:NODESxGPUS, drop=TYPE:NODESxGPUS, load=FACTOR or gangs=MOST (wider gangs hold "
        "MOST GPUs, longer); may be named again.",
        default="nothing changes",
        name="--what-if",
    ),
]
Folder = Annotated[
    Path | None,
    out_option(
        "Folder for the page audit.html (made where it is missing; extra: plot).",
        default="not written",
    ),
]
Names = Annotated[
    bool,
    Parameter(name="--names", negative="", help="Show queues by their own names."),
]
PAGE = "audit.html"
UTILITY_FILES = ("utility.instance.json", "utility.certificate.json")
ASSUMED = ("recorded", "measured")
NAMES = {
    "scheduler": "schedulers",
    "relative_speeds": "assume-speeds",
    "throughputs": "assume-speeds",
}
"""Options by the names that the library has for what they say, where these are others."""


def audit(
    log: LogFile,
    /,
    *,
    cluster: AuditedCluster = None,
    nodes: NodeList = None,
    format: FormatName = None,
    columns: Columns = None,
    zone: Zone = None,
    capacity: Capacity = "given",
    count: Counted = "finished",
    untyped: Untyped = "pool",
    assume_speeds: Speeds = "recorded",
    model: Model = None,
    model_seed: ModelSeed = None,
    schedulers: Schedulers = None,
    round_seconds: RoundSeconds = 360.0,
    what_if: Changes = None,
    utility: Valued = None,
    names: Names = False,
    output: Folder = None,
    json: AsJson = False,
) -> Answer:
    """Say how much of the waiting in a log no schedule could have avoided, with proof.

    Measures the recorded schedule, bounds every schedule of the same jobs from below, and runs
    schedulers of this package on them.
    """
    from hadaropt.auditing.report import audit as run
    from hadaropt.auditing.sentences import (
        assumptions,
        headline,
        misfit_lines,
        more_lines,
        rules,
    )
    from hadaropt.errors import InstanceError

    if cluster is not None and nodes is not None:
        raise UsageError("--nodes: is for a log without --cluster")
    target = None if cluster is None else parse_cluster(cluster)
    named = named_columns(columns)
    speeds, table = _assumed(assume_speeds)
    if table is None:
        for flag, value in {"--model": model, "--model-seed": model_seed}.items():
            if value is not None:
                raise UsageError(f"{flag}: is for a table of --assume-speeds")
    valued = None if utility is None else _utility(utility)
    written = (PAGE,) if valued is None else (PAGE, *UTILITY_FILES)
    asked = [name.strip() for name in (schedulers or "").split(",") if name.strip()]
    with output_folder(output, written, {"matplotlib": "plot"}) as folder:
        try:
            with telling_columns(), run_line() as told:
                found = run(
                    log,
                    target,
                    nodes=nodes,
                    format=format,
                    columns=named,
                    zone=zone,
                    used=capacity == "used",
                    everyone=count == "all",
                    typed=untyped == "drop",
                    schedulers=asked,
                    round_seconds=str(round_seconds),
                    changes=what_if or (),
                    relative_speeds=speeds,
                    throughputs=table,
                    model=model,
                    model_seed=model_seed or 0,
                    utility=valued,
                    callback=told,
                )
        except InstanceError as bad:
            raise option_error(bad, NAMES) from None
        files = {}
        called = _called(
            log.name,
            {
                "--cluster": cluster,
                "--nodes": None if nodes is None else nodes.name,
                "--format": format,
                "--columns": columns,
                "--zone": zone,
                "--capacity": None if capacity == "given" else capacity,
                "--count": None if count == "finished" else count,
                "--untyped": None if untyped == "pool" else untyped,
                "--assume-speeds": None
                if assume_speeds == "recorded"
                else Path(assume_speeds).name
                if table is not None
                else assume_speeds,
                "--model": model,
                "--model-seed": model_seed,
                "--schedulers": schedulers,
                "--round-seconds": None if round_seconds == 360 else f"{round_seconds:g}",
                "--what-if": what_if,
                "--utility": utility,
            },
        )
        if folder is not None:
            from hadaropt.bench.page.audit import write_page

            files["page"] = str(write_page(found, folder / PAGE, names=names, command=called))
            files |= _utility_files(found, folder)
    sentence = headline(found)
    lines = [
        ("log", f"{found.log.source} ({found.log.format})"),
        ("jobs", _jobs(found)),
        *[("left out", f"{why}: {n:,}") for why, n in found.log.left_out.items()],
        *[("merged", f"{why}: {n:,}") for why, n in found.log.merged.items()],
        ("cluster", _cluster(found)),
        ("statement", sentence),
        *[("statement", text) for text in more_lines(found)],
        *[("misfit", text) for text in misfit_lines(found)],
        *[("rule", f"{name}: {text}") for name, text in rules(found)],
        *[("note", text) for text in assumptions(found)],
        *[(f"{name} file", path) for name, path in files.items()],
    ]
    document = {
        "command": "audit",
        "assume_speeds": assume_speeds,
        **facts(found, names=names),
        "sentence": sentence,
        "further": more_lines(found),
        "assumptions": assumptions(found),
        "files": files,
    }
    return Answer(document, lines, _tables(found))


def _called(name: str, options: Mapping[str, object]) -> str:
    """Return the command in short: names of files without folders, options that are not default."""
    words = ["hadaropt", "audit", shlex.quote(name)]
    for flag, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                words += [flag, shlex.quote(str(one))]
    return " ".join(words)


def _assumed(text: str) -> tuple[dict[str, str] | None, str | None]:
    """Return the factors, or the table, of ``--assume-speeds``."""
    from hadaropt.names import spelled

    named = spelled(text, ASSUMED)
    if named == "recorded":
        return None, None
    if named == "measured":
        return None, named
    if "=" in text or not Path(text).is_file():
        rule = f"{', '.join(ASSUMED)}, a csv of throughputs that is there, or "
        return parse_factors("--assume-speeds", text, rule), None
    return None, text


def _utility(text: str) -> Utility:
    """Return the utility of ``KIND[PARAMETER=VALUE,...]``."""
    from hadaropt.errors import InstanceError
    from hadaropt.names import spelled
    from hadaropt.utility import FAMILIES, make_utility

    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\[([^\[\]]*)\])?\s*", text)
    pairs = [part.partition("=") for part in (match[2] or "").split(",")] if match else []
    given = {name.strip(): value.strip() for name, equals, value in pairs if equals}
    if match is None or (match[2] and len(given) < len(pairs)):
        raise UsageError(f"--utility {text}: must be KIND[PARAMETER=VALUE,...], each once")
    try:
        return make_utility(spelled(match[1], FAMILIES) or match[1], given)
    except InstanceError as bad:
        raise UsageError(f"--utility {text}: {bad}") from None


def _utility_files(found: Audit, folder: Path) -> dict[str, str]:
    """Write the instance and the certificate of the bound on the utility, if there is one."""
    from hadaropt.certificates import write_certificate
    from hadaropt.io import write_instance

    own = found.worth
    if own is None or own.instance is None or own.certificate is None:
        return {}
    instance, certificate = (folder / name for name in UTILITY_FILES)
    write_instance(own.instance, instance)
    write_certificate(own.certificate, certificate, own.instance)
    return {"utility_instance": str(instance), "utility_certificate": str(certificate)}


def facts(found: Audit, *, names: bool) -> dict[str, object]:
    """Return what an audit found, for programs; times in seconds."""
    from hadaropt.auditing.tables import shown_groups
    from hadaropt.auditing.waiting import PERCENTS

    log, count = found.log, found.jobs

    def mean(ticks: Fraction | int) -> Fraction:
        return log.seconds(Fraction(ticks) / count)

    def at(values: tuple[int, ...]) -> dict[str, float]:
        return {
            f"p{percent}": float(log.seconds(value))
            for percent, value in zip(PERCENTS, values, strict=True)
        }

    def own(measures: Measures) -> dict[str, object]:
        return {
            "jobs": measures.jobs,
            "mean_waiting_s": float(log.seconds(Fraction(measures.waiting, measures.jobs))),
            "mean_jct_s": float(log.seconds(Fraction(measures.jct, measures.jobs))),
            "waiting_s": at(measures.waiting_at),
            "jct_s": at(measures.jct_at),
            "last_completion_s": float(log.seconds(measures.last)),
        }

    groups = {
        title: {str(name): own(measures) for name, measures in group}
        for title, group in shown_groups(found, names=names).items()
    }
    return {
        "log": log.source,
        "format": log.format,
        "rows": log.rows,
        "jobs": count,
        "jobs_not_counted": len(log.jobs) - count,
        "left_out": dict(log.left_out),
        "merged": dict(log.merged),
        "unfinished_share_of_gpu_time": log.unfinished_share,
        "untyped": len(log.untyped),
        "cluster": dict(log.pools),
        "cluster_from": log.origin,
        "cluster_enlarged": dict(log.enlarged),
        "cluster_enlarged_s": {
            pool: float(log.seconds(own.above)) for pool, own in log.over_time.items()
        },
        "fits": not found.misfits if log.recorded else None,
        "misfits": [
            {
                "place": m.place,
                "gpus": m.gpus,
                "held": m.held,
                "first_s": log.seconds(m.first),
                "worst_s": log.seconds(m.worst),
                "seconds": log.seconds(m.ticks),
            }
            for m in found.misfits
        ],
        "recorded": None if found.recorded is None else own(found.recorded),
        "by": groups,
        "idle_gpu_seconds": found.idle,
        "bounds": {
            "mean_waiting_s": mean(found.least_waiting),
            "mean_waiting_in_one_piece_s": mean(found.least_waiting_in_one_piece),
            "mean_jct_s": found.least_jct,
            "last_completion_s": found.least_last,
            "by": {name: floor.rule for name, floor in found.floor.items()},
        },
        "avoidable": None
        if found.avoidable is None
        else {"reached": found.avoidable[0], "at_most": found.avoidable[1]},
        "avoidable_in_one_piece_at_most": found.avoidable_in_one_piece,
        "any_type": None if found.any_type is None else _any_type(found.any_type),
        "utility": None
        if found.worth is None
        else {
            "round_seconds": found.worth.round_seconds,
            "recorded": found.worth.recorded,
            "schedulers": dict(found.worth.rules),
            "at_most": found.worth.bound,
            "of_jobs_shorter_than_a_round": found.worth.short,
            "of_fillers": found.worth.filled,
        },
        "utility_left_out": found.worth_left_out,
        "schedulers": {name: own(measures) for name, measures in found.schedulers.items()},
        "incomplete": found.incomplete,
        "what_if": [
            {
                "change": change.change.text,
                "mean_waiting_at_least_s": mean(max(Fraction(0), change.floor - change.service)),
                "mean_jct_at_least_s": mean(
                    max(Fraction(change.service), change.floor) - change.submits
                ),
                "best": change.first,
                "mean_waiting_s": mean(change.total - change.service),
                "schedulers": {
                    name: {
                        "mean_waiting_s": mean(ends - change.service),
                        "mean_jct_s": mean(ends - change.submits),
                    }
                    for name, ends in change.schedulers.items()
                },
                "incomplete": change.incomplete,
                "any_type": None if change.any_type is None else _any_type(change.any_type),
                "any_type_left_out": change.any_type_left_out,
            }
            for change in found.changes
        ],
    }


def _any_type(own: AnyType) -> dict[str, object]:
    """Return what holds at assumed speeds, for programs."""
    assumed = own.assumed
    return {
        "assumption": assumed.text,
        "relative_speeds": None if assumed.relative is None else dict(assumed.relative),
        "models": dict(assumed.models),
        "mean_jct_s": own.mean_jct,
        "last_completion_s": own.last,
        "schedulers": {
            name: {"mean_jct_s": float(mean), "last_completion_s": float(last)}
            for name, (mean, last) in own.reached.items()
        },
        "incomplete": own.incomplete,
    }


def _jobs(found: Audit) -> str:
    others = len(found.log.jobs) - found.jobs
    text = f"{found.jobs:,} of {found.log.rows:,} rows"
    return (
        text
        if not others
        else f"{text}; beside them {others:,} that failed, were cancelled or cut do not count"
    )


def _cluster(found: Audit) -> str:
    sizes = ", ".join(f"{size:,} {pool}" for pool, size in found.log.pools.items())
    more = ", ".join(f"up to {n:,} {pool}" for pool, n in found.log.enlarged.items() if n)
    enlarged = f"; {more} more while they were held" if more else ""
    pooled = "; one pool, types are not told apart" if found.log.common else ""
    return f"{sizes} ({found.log.origin}{pooled}{enlarged})"


def _tables(found: Audit) -> list[Table]:
    from hadaropt.auditing.tables import any_type_rows, change_rows, schedule_rows

    tables = [schedule_rows(found), any_type_rows(found), change_rows(found)]
    return [Table(columns, rows) for columns, rows in tables if rows]
