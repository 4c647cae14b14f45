"""HadarE: training jobs that are forked into copies on several nodes.

Names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

_HOME = {
    "best_assignment": "hadaropt.forking.planning.assignment",
    "check_node_machine": "hadaropt.forking.planning.problem",
    "Closed": "hadaropt.forking.tracking.tickets",
    "consolidate": "hadaropt.forking.tracking.averaging",
    "Copy": "hadaropt.forking.tracking.tickets",
    "fit_speeds": "hadaropt.forking.planning.estimate",
    "fitted": "hadaropt.forking.planning.estimate",
    "fluid_completion": "hadaropt.forking.planning.completion",
    "fluid_makespan": "hadaropt.forking.planning.makespan",
    "FluidCompletion": "hadaropt.forking.planning.completion",
    "FluidMakespan": "hadaropt.forking.planning.makespan",
    "ForkJob": "hadaropt.forking.planning.problem",
    "ForkProblem": "hadaropt.forking.planning.problem",
    "greedy_assignment": "hadaropt.forking.planning.assignment",
    "makespan_bound": "hadaropt.forking.planning.makespan",
    "most_busy_nodes": "hadaropt.forking.planning.assignment",
    "plan_round": "hadaropt.forking.planning.planner",
    "play_rounds": "hadaropt.forking.planning.rounding",
    "PlayedRounds": "hadaropt.forking.planning.rounding",
    "related_speeds": "hadaropt.forking.planning.problem",
    "Request": "hadaropt.forking.planning.fill",
    "round_makespan": "hadaropt.forking.planning.rounding",
    "RoundedMakespan": "hadaropt.forking.planning.rounding",
    "RoundPlan": "hadaropt.forking.planning.planner",
    "smith_order": "hadaropt.forking.planning.completion",
    "SpeedBook": "hadaropt.forking.planning.speeds",
    "SpeedModel": "hadaropt.forking.planning.estimate",
    "split_steps": "hadaropt.forking.planning.split",
    "step_average": "hadaropt.forking.tracking.averaging",
    "Ticket": "hadaropt.forking.tracking.tickets",
    "Tracker": "hadaropt.forking.tracking.tracker",
    "Verdict": "hadaropt.forking.tracking.tickets",
}

__all__ = list(_HOME)

if TYPE_CHECKING:
    from hadaropt.forking.planning.assignment import best_assignment as best_assignment
    from hadaropt.forking.planning.assignment import greedy_assignment as greedy_assignment
    from hadaropt.forking.planning.assignment import most_busy_nodes as most_busy_nodes
    from hadaropt.forking.planning.completion import FluidCompletion as FluidCompletion
    from hadaropt.forking.planning.completion import fluid_completion as fluid_completion
    from hadaropt.forking.planning.completion import smith_order as smith_order
    from hadaropt.forking.planning.estimate import SpeedModel as SpeedModel
    from hadaropt.forking.planning.estimate import fit_speeds as fit_speeds
    from hadaropt.forking.planning.estimate import fitted as fitted
    from hadaropt.forking.planning.fill import Request as Request
    from hadaropt.forking.planning.makespan import FluidMakespan as FluidMakespan
    from hadaropt.forking.planning.makespan import fluid_makespan as fluid_makespan
    from hadaropt.forking.planning.makespan import makespan_bound as makespan_bound
    from hadaropt.forking.planning.planner import RoundPlan as RoundPlan
    from hadaropt.forking.planning.planner import plan_round as plan_round
    from hadaropt.forking.planning.problem import ForkJob as ForkJob
    from hadaropt.forking.planning.problem import ForkProblem as ForkProblem
    from hadaropt.forking.planning.problem import check_node_machine as check_node_machine
    from hadaropt.forking.planning.problem import related_speeds as related_speeds
    from hadaropt.forking.planning.rounding import PlayedRounds as PlayedRounds
    from hadaropt.forking.planning.rounding import RoundedMakespan as RoundedMakespan
    from hadaropt.forking.planning.rounding import play_rounds as play_rounds
    from hadaropt.forking.planning.rounding import round_makespan as round_makespan
    from hadaropt.forking.planning.speeds import SpeedBook as SpeedBook
    from hadaropt.forking.planning.split import split_steps as split_steps
    from hadaropt.forking.tracking.averaging import consolidate as consolidate
    from hadaropt.forking.tracking.averaging import step_average as step_average
    from hadaropt.forking.tracking.tickets import Closed as Closed
    from hadaropt.forking.tracking.tickets import Copy as Copy
    from hadaropt.forking.tracking.tickets import Ticket as Ticket
    from hadaropt.forking.tracking.tickets import Verdict as Verdict
    from hadaropt.forking.tracking.tracker import Tracker as Tracker


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'hadaropt.forking' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
