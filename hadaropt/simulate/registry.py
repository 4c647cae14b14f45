"""Round schedulers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import cast

from hadaropt.names import known_name
from hadaropt.plugins import SCHEDULERS, make_plugin, plugin_names
from hadaropt.simulate.schedulers.baselines import Las, RandomOrder, Srtf
from hadaropt.simulate.schedulers.gavel import Gavel
from hadaropt.simulate.schedulers.guaranteed import Guaranteed
from hadaropt.simulate.schedulers.hadar import Hadar
from hadaropt.simulate.schedulers.hadare import HadarE
from hadaropt.simulate.schedulers.tiresias import Tiresias
from hadaropt.simulate.schedulers.yarn import Yarn
from hadaropt.simulate.shares.policy import BY_PRICES, POLICIES
from hadaropt.simulate.view import Scheduler

_MAKERS: Mapping[str, Callable[[], Scheduler]] = {
    "hadar": Hadar,
    "hadar:exact": lambda: Hadar("exact"),
    "hadar:beam": lambda: Hadar(beam=True),
    "hadar:strict": lambda: Hadar(backfill=False),
    "hadar:guaranteed": Guaranteed,
    "hadar:makespan": lambda: Hadar(aim="makespan"),
    "hadar:finish_time_fairness": lambda: Hadar(aim="finish_time_fairness"),
    "hadar:exact:makespan": lambda: Hadar("exact", aim="makespan"),
    "hadar:exact:finish_time_fairness": lambda: Hadar("exact", aim="finish_time_fairness"),
    "hadare": HadarE,
    "hadare:makespan": lambda: HadarE("makespan"),
    "hadare:utility": lambda: HadarE("utility"),
    "tiresias": Tiresias,
    "yarn": Yarn,
    "srtf": Srtf,
    "las": Las,
    "random": RandomOrder,
    **{f"gavel:{policy}": partial(Gavel, policy) for policy in POLICIES},
    **{f"gavel:{name}:prices": partial(Gavel, name, solver="prices") for name in BY_PRICES},
}


BUILT_IN = tuple(_MAKERS)


def scheduler_names() -> tuple[str, ...]:
    """Return the names that `make_scheduler` takes, those of other packages among them."""
    return (*BUILT_IN, *plugin_names(SCHEDULERS, BUILT_IN))


def find_scheduler(name: str) -> str:
    """Return the name as it stands in `scheduler_names`; it may be given with hyphens.

    Raises
    ------
    InstanceError
        If there is none of this name; the nearest is given.
    """
    return name if name in _MAKERS else known_name("scheduler", name, scheduler_names())


def make_scheduler(name: str) -> Scheduler:
    """Return a new scheduler, by a name that `find_scheduler` takes.

    Raises
    ------
    InstanceError
        If there is none of this name; the nearest is given.
    """
    chosen = find_scheduler(name)
    if chosen in _MAKERS:
        return _MAKERS[chosen]()
    return cast(Scheduler, make_plugin(SCHEDULERS, chosen))
