"""Synthetic instances: seeded families, the same bytes on every run.

`generate` makes an instance of a family, `generate_workload` a workload for simulators;
`offered_load` says how much work an instance offers.
"""

from hadaropt.generate.load import offered_load
from hadaropt.generate.registry import FAMILIES, Family, generate, generate_workload

__all__ = ["FAMILIES", "Family", "generate", "generate_workload", "offered_load"]
