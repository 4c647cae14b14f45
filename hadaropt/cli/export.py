"""``hadaropt export``: the offline program as a file for any solver."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from hadaropt.cli.common.answer import Answer
from hadaropt.cli.common.inputs import instance_facts, load_instance
from hadaropt.cli.common.options import (
    AsJson,
    InstanceFile,
    Parallelism,
    UsageError,
    as_choice,
    check_outputs,
    option,
    option_error,
    out_option,
)

FORMATS = (".mps", ".mps.gz", ".lp")
ModelOut = Annotated[
    Path, out_option(f"The model file to write, its format by the suffix: {', '.join(FORMATS)}.")
]
Program = Annotated[
    Literal["ilp", "lp", "dual"],
    option("The integer program, its LP relaxation, or the dual of that.", converter=as_choice),
]
Form = Annotated[
    Literal["auto", "hall", "divisible", "node"],
    option(
        "Rows on sets of types (divisible: with gangs kept on nodes of one type each), or on "
        "nodes; auto takes the first that is exact.",
        converter=as_choice,
    ),
]


def export(
    instance: InstanceFile,
    /,
    *,
    output: ModelOut,
    program: Program = "ilp",
    form: Form = "auto",
    parallelism: Parallelism = None,
    json: AsJson = False,
) -> Answer:
    """Write the offline program with the names of its rows and columns.

    run_J_T_L: job J runs in round T at the level of type L; done_J_F: it has completed by round F.
    """
    from hadaropt.mip.highs import write_model
    from hadaropt.offline.compact.formulation import assemble, exact_form

    check_outputs(("--out", output), inputs=(instance,))
    if not output.name.lower().endswith(FORMATS):
        raise UsageError(f"--out {output}: must end in one of {', '.join(FORMATS)}")
    problem = load_instance(instance, parallelism)
    try:
        chosen = exact_form(problem, form)
    except ValueError as bad:
        raise option_error(bad) from None
    model = assemble(problem, chosen).linear
    if program != "ilp":
        model = model.relaxed()
    if program == "dual":
        model = model.dual()
    if 0 in model.shape:
        raise UsageError("there is nothing to export: no job of the instance can earn anything")
    write_model(model, output)
    rows, columns = model.shape
    size = {"rows": rows, "columns": columns, "nonzeros": len(model.value)}
    return Answer(
        {
            "command": "export",
            "instance": instance_facts(problem),
            "program": program,
            "form": chosen,
            **size,
            "files": {"model": str(output)},
        },
        [
            ("program", f"{program}, form {chosen}"),
            *((name, str(count)) for name, count in size.items()),
            ("model file", str(output)),
        ],
    )
