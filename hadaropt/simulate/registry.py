"""Round schedulers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from hadaropt.errors import InstanceError, shown
from hadaropt.simulate.schedulers.baselines import Las, RandomOrder, Srtf
from hadaropt.simulate.schedulers.gavel import Gavel
from hadaropt.simulate.schedulers.hadar import Hadar
from hadaropt.simulate.schedulers.tiresias import Tiresias
from hadaropt.simulate.schedulers.yarn import Yarn
from hadaropt.simulate.shares.policy import POLICIES
from hadaropt.simulate.view import Scheduler

_MAKERS: Mapping[str, Callable[[], Scheduler]] = {
    "hadar": Hadar,
    "hadar:exact": lambda: Hadar("exact"),
    "hadar:strict": lambda: Hadar(backfill=False),
    "hadar:makespan": lambda: Hadar(aim="makespan"),
    "hadar:finish_time_fairness": lambda: Hadar(aim="finish_time_fairness"),
    "hadar:exact:makespan": lambda: Hadar("exact", aim="makespan"),
    "hadar:exact:finish_time_fairness": lambda: Hadar("exact", aim="finish_time_fairness"),
    "tiresias": Tiresias,
    "yarn": Yarn,
    "srtf": Srtf,
    "las": Las,
    "random": RandomOrder,
    **{f"gavel:{policy}": partial(Gavel, policy) for policy in POLICIES},
}


def scheduler_names() -> tuple[str, ...]:
    """Return the names that `make_scheduler` takes."""
    return tuple(_MAKERS)


def make_scheduler(name: str) -> Scheduler:
    """Return a new scheduler.

    Raises
    ------
    InstanceError
        If there is none of this name.
    """
    if name not in _MAKERS:
        rule = f"must be one of {', '.join(scheduler_names())}"
        raise InstanceError("scheduler", rule, shown(name))
    return _MAKERS[name]()
