"""``hadaropt plot``: pictures of schedules, of solves and of online runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App

from hadaropt.cli.check import ScheduleFile
from hadaropt.cli.common.answer import Answer
from hadaropt.cli.common.exits import INTERRUPTED, YES
from hadaropt.cli.common.inputs import instance_facts, load_instance, load_schedule
from hadaropt.cli.common.options import (
    PICTURES,
    AsJson,
    InstanceFile,
    Parallelism,
    check_picture,
    out_option,
)
from hadaropt.cli.online import PoolName, PriceName, pool_is_an_option
from hadaropt.cli.solve import TimeLimit
from hadaropt.interrupts import quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hadaropt.instance import Instance

plot = App(name="plot", help="Pictures of schedules, of solves and of online runs (extra: plot).")

PictureOut = Annotated[
    Path, out_option(f"The picture to write, its format by the suffix: {', '.join(PICTURES)}.")
]


@plot.command
def gantt(
    instance: InstanceFile,
    schedule: ScheduleFile,
    /,
    *,
    output: PictureOut,
    parallelism: Parallelism = None,
    json: AsJson = False,
) -> Answer:
    """Draw who holds which GPUs over time, by node and type.

    Exit code 0: drawn. 1: the schedule is infeasible, and the rule that is broken.
    """
    from hadaropt.cli.common import exits
    from hadaropt.cli.common.failures import error_facts
    from hadaropt.errors import ScheduleError
    from hadaropt.plot.gantt import plot_gantt

    check_picture(output, instance, schedule)
    problem = load_instance(instance, parallelism)
    plan = load_schedule(schedule, problem)
    try:
        drawn = plot_gantt(problem, plan)
    except ScheduleError as broken:
        facts = {"command": "plot gantt", "instance": instance_facts(problem)}
        document = {**facts, **error_facts(broken)}
        return Answer(document, [("infeasible", str(broken))], exit_code=exits.NO)
    return _written("gantt", problem, drawn, output)


@plot.command
def trajectories(
    instance: InstanceFile,
    /,
    *,
    output: PictureOut,
    price: PriceName = None,
    pool: PoolName = None,
    parallelism: Parallelism = None,
    json: AsJson = False,
) -> Answer:
    """Draw value, dual and prices of a primal-dual run after each arrival."""
    from hadaropt.plot.trajectories import plot_trajectories
    from hadaropt.policies import PrimalDual

    check_picture(output, instance)
    problem = load_instance(instance, parallelism)
    policy = PrimalDual(price or "zero_start", pool or "auto")
    with pool_is_an_option():
        drawn = plot_trajectories(problem, policy)
    return _written("trajectories", problem, drawn, output)


@plot.command
def anytime(
    instance: InstanceFile,
    /,
    *,
    output: PictureOut,
    time_limit: TimeLimit = 10.0,
    parallelism: Parallelism = None,
    json: AsJson = False,
) -> Answer:
    """Draw best value, proven bound and gap of ``solve`` over time.

    Exit code 0: drawn, whether or not the optimum was proved in that time; 130: drawn until Ctrl-C.
    """
    from hadaropt.offline.solve import solve
    from hadaropt.plot.anytime import plot_anytime

    check_picture(output, instance)
    problem = load_instance(instance, parallelism)
    result = solve(problem, time_limit=time_limit)
    interrupted = result.termination == "interrupted"
    quiet()  # what is known by then is drawn
    drawn = plot_anytime(result, problem.name)
    return _written("anytime", problem, drawn, output, INTERRUPTED if interrupted else YES)


def _written(
    command: str,
    problem: Instance,
    drawn: Axes | tuple[Axes, ...],
    output: Path,
    code: int = YES,
) -> Answer:
    from hadaropt.plot.style import save_figure

    save_figure(drawn, output)
    document = {
        "command": f"plot {command}",
        "instance": instance_facts(problem),
        "files": {"picture": str(output)},
    }
    return Answer(document, [("picture file", str(output))], exit_code=code)
