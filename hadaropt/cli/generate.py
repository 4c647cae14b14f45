"""``hadaropt generate``: an instance or a workload of a synthetic family, at a seed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from hadaropt.cli.common.answer import Answer, Table, decimal
from hadaropt.cli.common.inputs import instance_facts, unschedulable_jobs
from hadaropt.cli.common.options import (
    AsJson,
    Integer,
    MaybeInteger,
    UsageError,
    as_choice,
    check_outputs,
    option,
    option_error,
    out_option,
)
from hadaropt.figures import counted

if TYPE_CHECKING:
    from hadaropt.instance import Instance
    from hadaropt.workload import Workload

FAMILIES = (
    "small_uniform",
    "overloaded_tight",
    "adversarial_price",
    "six_class",
    "measured_rates",
    "gavel_like",
    "philly_like",
)
"""The families, written down here because to ask the package would load it for --help."""
FamilyName = Annotated[
    str, Parameter(name="FAMILY", help=f"Name of the family: {', '.join(FAMILIES)}.")
]
Seed = Annotated[Integer, option("The same seed makes the same bytes, always.")]
Jobs = Annotated[MaybeInteger, option("How many.", default="the family's", unit="jobs")]
Rounds = Annotated[MaybeInteger, option("How many.", default="the family's", unit="rounds")]
Model = Annotated[
    Literal["single_type", "mixed", "forked"] | None,
    option("Parallelism model; changes nothing else.", default="mixed", converter=as_choice),
]
Load = Annotated[
    str | None,
    option(
        "Offered load: met within 5 per cent, or refused.",
        default="the family's",
        unit="work offered over work possible",
    ),
]
Settings = Annotated[
    list[str] | None,
    option(
        "NAME=VALUE: a parameter of the family (may be repeated).",
        default="the family's",
        name="--set",
        negative=(),
    ),
]
AsWorkload = Annotated[
    bool,
    Parameter(
        negative=(),
        help="Write a workload with arrivals in seconds (gavel_like and philly_like only).",
    ),
]
Output = Annotated[Path, out_option("File to write (may be .gz).")]

OPTIONS = {
    "num_jobs": "jobs",
    "num_rounds": "rounds",
    **{name: name for name in ("seed", "load", "parallelism")},
}
"""By the names that the families have for what they say; other parameters are those of --set."""


def generate(
    family: FamilyName,
    /,
    *,
    seed: Seed,
    output: Output,
    jobs: Jobs = None,
    rounds: Rounds = None,
    parallelism: Model = None,
    load: Load = None,
    settings: Settings = None,
    workload: AsWorkload = False,
    json: AsJson = False,
) -> Answer:
    """Write an instance of a synthetic family.

    An unknown parameter of --set names those of the family.
    """
    from hadaropt.errors import InstanceError

    check_outputs(("--out", output), inputs=())
    asked: dict[str, Any] = {"seed": seed, "num_jobs": jobs, "load": load, **_parsed(settings)}
    if workload:
        for option, value in (("--rounds", rounds), ("--parallelism", parallelism)):
            if value is not None:
                raise UsageError(f"{option} {value}: a workload has none")
    else:
        asked |= {"num_rounds": rounds, "parallelism": parallelism or "mixed"}
    try:
        if workload:
            return _write_workload(family, asked, output)
        return _write_instance(family, asked, output)
    except InstanceError as wrong:
        named = {name: f"set {name}" for name in asked} | OPTIONS
        if re.split(r"\W", wrong.path)[0] not in named:
            raise UsageError(str(wrong)) from wrong
        raise option_error(wrong, named) from wrong


def _parsed(settings: Settings) -> dict[str, str | None]:
    values: dict[str, str | None] = {}
    for text in settings or ():
        name, equals, value = text.partition("=")
        key = name.strip().replace("-", "_")
        if not equals or not key:
            raise UsageError(f"--set {text}: must be NAME=VALUE")
        if key in values or key in ("seed", "num_jobs", "num_rounds", "parallelism", "load"):
            raise UsageError(f"--set {text}: is set twice or has an option of its own")
        values[key] = None if value.strip().lower() == "none" else value.strip()
    return values


def _write_instance(family: str, asked: dict[str, Any], output: Path) -> Answer:
    from hadaropt.generate import generate as make
    from hadaropt.generate import offered_load
    from hadaropt.io import write_instance

    instance = make(family, **asked)
    write_instance(instance, output)
    load, never, facts = offered_load(instance), unschedulable_jobs(instance), _facts(instance)
    tau = f"{float(instance.round_seconds):g} s"
    lines = [
        ("name", instance.name),
        ("sha256", str(facts["sha256"])),
        ("jobs", str(len(instance.jobs))),
        ("rounds", f"{instance.num_rounds} of {tau}"),
        ("GPUs", _gpus(instance)),
        ("parallelism", instance.parallelism),
        ("offered load", decimal(load, 4)),
        ("file", str(output)),
    ]
    document = {
        "command": "generate",
        "instance": facts,
        "offered_load": load,
        "unschedulable": never,
        "files": {"instance": str(output)},
    }
    table = Table(("unschedulable", "reason"), [(job["name"], job["reason"]) for job in never])
    return Answer(document, lines, [table])


def _write_workload(family: str, asked: dict[str, Any], output: Path) -> Answer:
    from hadaropt.generate import generate_workload
    from hadaropt.io import write_workload

    workload = generate_workload(family, **asked)
    write_workload(workload, output)
    loads = workload.offered_load()
    last = max((job.submit_seconds for job in workload.jobs), default=None)
    document = {
        "command": "generate",
        "workload": {
            "name": workload.name,
            "jobs": len(workload.jobs),
            "gpus": workload.cluster.gpus_by_type,
        },
        "last_submit_seconds": last,
        "offered_load_by_fastest_type": loads,
        "files": {"workload": str(output)},
    }
    lines = [
        ("name", workload.name),
        ("jobs", str(len(workload.jobs))),
        ("GPUs", _gpus(workload)),
        ("last arrival", "none" if last is None else f"{float(last):g} s"),
        ("load, each job on its fastest type", _shares(loads)),
        ("file", str(output)),
    ]
    return Answer(document, lines)


def _facts(instance: Instance) -> dict[str, object]:
    cluster = instance.cluster
    return {
        **instance_facts(instance),
        "round_seconds": instance.round_seconds,
        "nodes": len(cluster.nodes),
        "gpus": cluster.gpus_by_type,
    }


def _gpus(problem: Instance | Workload) -> str:
    counts = ", ".join(f"{count} {kind}" for kind, count in problem.cluster.gpus_by_type.items())
    return f"{counts} on {counted(len(problem.cluster.nodes), 'node')}"


def _shares(loads: dict[str, Any]) -> str:
    return ", ".join(f"{kind} {decimal(load, 3)}" for kind, load in loads.items()) or "none"
