"""Round schedulers on instances, where they stand against the optimum."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np

from hadaropt.errors import InstanceError, check_type, shown
from hadaropt.exact import Exact
from hadaropt.instance import Instance
from hadaropt.keywords import known_keywords
from hadaropt.online.misinformed import declare
from hadaropt.pricing import dual_bound
from hadaropt.results import Prices, RoundRun
from hadaropt.schedule import check_schedule, trim_schedule
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.guarantee import replanning_theorem
from hadaropt.simulate.misinformed import MisinformedScheduler
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import make_scheduler
from hadaropt.simulate.room import check_rival
from hadaropt.simulate.scheduler_text import scheduler_from_text
from hadaropt.simulate.view import Scheduler


@known_keywords
def run_rounds(
    instance: Instance,
    scheduler: Scheduler | str,
    told: Instance | None = None,
    rival: Instance | None = None,
) -> RoundRun:
    """Run a round scheduler on an instance, without restart cost.

    Under ``forked`` only ``hadare`` makes copies; under the others jobs run as one gang each.

    Parameters
    ----------
    instance : Instance
    scheduler : Scheduler or str
        A new scheduler, or the name of one (see `make_scheduler`); the name may be followed by what
        the scheduler is told of the jobs: ``srtf[iterations=2]``, twice their iterations,
        or ``srtf[iterations=unknown]``.
    told : Instance, optional
        The instance as the scheduler is told it, with wrong iterations.
    rival : Instance, optional
        What the optimum runs on of which the theorem speaks: the same jobs with fewer GPUs or lower
        speeds. By default the instance itself, of which value, bound and ratio speak always.

    Raises
    ------
    TypeError
        If ``instance`` is none, such as a workload.
    InstanceError
        If there is no scheduler of that name (the nearest is given), its text is malformed, or the
        rival has other jobs, more GPUs or higher speeds.

    Returns
    -------
    RoundRun
        Its schedule is feasible; a job that does not complete may have run in vain.

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Job
    >>> from hadaropt.utility import Linear
    >>> job = Job("a", 0, 1, 500, {"V100": 1}, Linear(10, 1))
    >>> instance = Instance(Cluster.of({"n0": {"V100": 1}}), (job,), 4)
    >>> run_rounds(instance, "yarn").value
    Fraction(9, 1)
    """
    hint = "Workload.to_instance makes one of a workload"
    check_type("instance", instance, Instance, hint)
    if rival is not None:
        check_rival(instance, rival)
    started = time.perf_counter()
    own, declared = _made(scheduler) if isinstance(scheduler, str) else (scheduler, None)
    if declared is not None:
        if told is not None:
            rule = "must not declare iterations: told declares them"
            raise InstanceError("scheduler", rule, shown(scheduler))
        told = declare(instance, declared)
    if told is not None:
        own = MisinformedScheduler(own, RoundProblem.of_instance(told))
    run = simulate_rounds(RoundProblem.of_instance(instance), own)
    schedule = trim_schedule(instance, run.schedule())
    seconds = time.perf_counter() - started
    theorem, absent = replanning_theorem(instance, own, run, rival)
    checked = check_schedule(instance, schedule)
    free = np.zeros((instance.num_rounds, len(instance.cluster.accelerators)), np.int64)
    return RoundRun(
        scheduler=run.scheduler,
        schedule=schedule,
        completion=checked.completion,
        value=checked.value,
        bound=dual_bound(instance, Prices(free, Fraction(1))).value,
        theorem=theorem,
        theorem_absent=absent,
        seconds=seconds,
        instance=instance,
    )


def _made(text: str) -> tuple[Scheduler, Exact | None]:
    name, declared = scheduler_from_text(text)
    return make_scheduler(name), declared
