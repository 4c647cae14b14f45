"""HadarE: training jobs that are forked into copies on several nodes.

Names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

_HOME = {
    "best_assignment": "hadaropt.forking.assignment",
    "check_node_machine": "hadaropt.forking.problem",
    "Closed": "hadaropt.forking.tickets",
    "consolidate": "hadaropt.forking.averaging",
    "Copy": "hadaropt.forking.tickets",
    "fit_speeds": "hadaropt.forking.estimate",
    "fitted": "hadaropt.forking.estimate",
    "fluid_completion": "hadaropt.forking.completion",
    "fluid_makespan": "hadaropt.forking.makespan",
    "FluidCompletion": "hadaropt.forking.completion",
    "FluidMakespan": "hadaropt.forking.makespan",
    "ForkJob": "hadaropt.forking.problem",
    "ForkProblem": "hadaropt.forking.problem",
    "greedy_assignment": "hadaropt.forking.assignment",
    "makespan_bound": "hadaropt.forking.makespan",
    "most_busy_nodes": "hadaropt.forking.assignment",
    "plan_round": "hadaropt.forking.planner",
    "play_rounds": "hadaropt.forking.rounding",
    "PlayedRounds": "hadaropt.forking.rounding",
    "related_speeds": "hadaropt.forking.problem",
    "Request": "hadaropt.forking.fill",
    "round_makespan": "hadaropt.forking.rounding",
    "RoundedMakespan": "hadaropt.forking.rounding",
    "RoundPlan": "hadaropt.forking.planner",
    "smith_order": "hadaropt.forking.completion",
    "SpeedBook": "hadaropt.forking.speeds",
    "SpeedModel": "hadaropt.forking.estimate",
    "split_steps": "hadaropt.forking.split",
    "step_average": "hadaropt.forking.averaging",
    "Ticket": "hadaropt.forking.tickets",
    "Tracker": "hadaropt.forking.tracker",
    "Verdict": "hadaropt.forking.tickets",
}

__all__ = list(_HOME)

if TYPE_CHECKING:
    from hadaropt.forking.assignment import best_assignment as best_assignment
    from hadaropt.forking.assignment import greedy_assignment as greedy_assignment
    from hadaropt.forking.assignment import most_busy_nodes as most_busy_nodes
    from hadaropt.forking.averaging import consolidate as consolidate
    from hadaropt.forking.averaging import step_average as step_average
    from hadaropt.forking.completion import FluidCompletion as FluidCompletion
    from hadaropt.forking.completion import fluid_completion as fluid_completion
    from hadaropt.forking.completion import smith_order as smith_order
    from hadaropt.forking.estimate import SpeedModel as SpeedModel
    from hadaropt.forking.estimate import fit_speeds as fit_speeds
    from hadaropt.forking.estimate import fitted as fitted
    from hadaropt.forking.fill import Request as Request
    from hadaropt.forking.makespan import FluidMakespan as FluidMakespan
    from hadaropt.forking.makespan import fluid_makespan as fluid_makespan
    from hadaropt.forking.makespan import makespan_bound as makespan_bound
    from hadaropt.forking.planner import RoundPlan as RoundPlan
    from hadaropt.forking.planner import plan_round as plan_round
    from hadaropt.forking.problem import ForkJob as ForkJob
    from hadaropt.forking.problem import ForkProblem as ForkProblem
    from hadaropt.forking.problem import check_node_machine as check_node_machine
    from hadaropt.forking.problem import related_speeds as related_speeds
    from hadaropt.forking.rounding import PlayedRounds as PlayedRounds
    from hadaropt.forking.rounding import RoundedMakespan as RoundedMakespan
    from hadaropt.forking.rounding import play_rounds as play_rounds
    from hadaropt.forking.rounding import round_makespan as round_makespan
    from hadaropt.forking.speeds import SpeedBook as SpeedBook
    from hadaropt.forking.split import split_steps as split_steps
    from hadaropt.forking.tickets import Closed as Closed
    from hadaropt.forking.tickets import Copy as Copy
    from hadaropt.forking.tickets import Ticket as Ticket
    from hadaropt.forking.tickets import Verdict as Verdict
    from hadaropt.forking.tracker import Tracker as Tracker


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'hadaropt.forking' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
