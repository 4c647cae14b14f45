"""Gavel's public simulator, bit for bit, defects included: for validation, not for comparison."""

from hadaropt.simulate.schedulers.gavel_reference.mechanism import RoundPick
from hadaropt.simulate.schedulers.gavel_reference.result import ReferenceRun
from hadaropt.simulate.schedulers.gavel_reference.run import simulate_gavel_reference

__all__ = ["ReferenceRun", "RoundPick", "simulate_gavel_reference"]
