"""Figures as functions that return matplotlib axes; needs the extra ``plot`` (matplotlib).

A function with one panel takes ``ax`` and returns the axes that it drew on; a function with several
returns a tuple of axes of one new figure. ``axes.figure.savefig(path)`` writes it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hadaropt.plot.anytime import plot_anytime as plot_anytime
    from hadaropt.plot.calibration import plot_calibration as plot_calibration
    from hadaropt.plot.comparison import plot_completion_times as plot_completion_times
    from hadaropt.plot.comparison import plot_use as plot_use
    from hadaropt.plot.comparison import plot_window as plot_window
    from hadaropt.plot.gantt import plot_gantt as plot_gantt
    from hadaropt.plot.guarantees import plot_certified as plot_certified
    from hadaropt.plot.guarantees import plot_guarantees as plot_guarantees
    from hadaropt.plot.paired import plot_paired as plot_paired
    from hadaropt.plot.prices import plot_prices as plot_prices
    from hadaropt.plot.profiles import plot_against as plot_against
    from hadaropt.plot.profiles import plot_profile as plot_profile
    from hadaropt.plot.ratios import plot_ratio_boxes as plot_ratio_boxes
    from hadaropt.plot.ratios import plot_ratio_curves as plot_ratio_curves
    from hadaropt.plot.ratios import plot_ratios as plot_ratios
    from hadaropt.plot.runtime import plot_runtime as plot_runtime
    from hadaropt.plot.trace import plot_trace as plot_trace
    from hadaropt.plot.trajectories import plot_trajectories as plot_trajectories

_HOME = {
    "plot_anytime": "anytime",
    "plot_calibration": "calibration",
    "plot_completion_times": "comparison",
    "plot_use": "comparison",
    "plot_window": "comparison",
    "plot_gantt": "gantt",
    "plot_certified": "guarantees",
    "plot_guarantees": "guarantees",
    "plot_against": "profiles",
    "plot_paired": "paired",
    "plot_prices": "prices",
    "plot_profile": "profiles",
    "plot_ratio_boxes": "ratios",
    "plot_ratio_curves": "ratios",
    "plot_ratios": "ratios",
    "plot_runtime": "runtime",
    "plot_trace": "trace",
    "plot_trajectories": "trajectories",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(f"hadaropt.plot.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_HOME]
