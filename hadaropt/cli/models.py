"""``hadaropt models``: what mixing types in a gang and forking jobs are worth."""

from __future__ import annotations

from typing import Annotated

from hadaropt.cli.common import exits
from hadaropt.cli.common.answer import Answer, Table, number
from hadaropt.cli.common.inputs import instance_facts, load_instance
from hadaropt.cli.common.options import AsJson, InstanceFile, check_seconds, option
from hadaropt.interrupts import quiet

TimeLimit = Annotated[
    float | None,
    option(
        "For each of the three solves.",
        default="no limit",
        unit="seconds",
        validator=check_seconds,
    ),
]


def models(
    instance: InstanceFile, /, *, time_limit: TimeLimit = None, json: AsJson = False
) -> Answer:
    """Solve an instance under single_type, mixed and forked, and compare the optima.

    The models are nested: OPT(single_type) <= OPT(mixed) <= OPT(forked). Exit code 0: all
    three optima are proved. 3: some are enclosed only.
    """
    from hadaropt.offline.nested import gains, solve_nested

    problem = load_instance(instance, None)
    troubles: list[BaseException] = []
    try:
        found = solve_nested(problem, time_limit=time_limit)
    except Exception as error:
        found = getattr(error, "found", {})
        if not found:
            raise
        troubles.append(error)
    quiet()  # an answer is known: whoever presses Ctrl-C again must not lose it
    enclosed = gains(found)
    document = {
        "command": "models",
        "instance": instance_facts(problem),
        "models": {
            model: {
                "objective": result.value,
                "bound": result.bound,
                "grade": result.status,
                "termination": result.termination,
            }
            for model, result in found.items()
        },
        "gains": [
            {"before": gain.before, "after": gain.after, "least": gain.least, "most": gain.most}
            for gain in enclosed
        ],
    }
    values = [
        (model, number(result.value), number(result.bound, up=True), result.status or "none")
        for model, result in found.items()
    ]
    ratios = [
        (
            f"{gain.after} / {gain.before}",
            f"{float(gain.least):.6g}",
            "none" if gain.most is None else f"{float(gain.most):.6g}",
        )
        for gain in enclosed
    ]
    tables = [
        Table(("model", "value", "bound", "status"), values),
        Table(("OPT / OPT", "at least", "at most"), ratios),
    ]
    if any(result.termination == "interrupted" for result in found.values()):
        code = exits.INTERRUPTED
    else:
        done = all(result.status == "proved" for result in found.values())
        code = exits.YES if done else exits.LIMIT
    return Answer(document, [], tables, code, troubles=troubles)
