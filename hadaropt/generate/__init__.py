"""Synthetic instances: seeded families, the same bytes on every run.

`generate` makes an instance of a family; `offered_load` says how much work an instance offers.
"""

from hadaropt.generate.load import offered_load
from hadaropt.generate.registry import FAMILIES, Family, generate

__all__ = ["FAMILIES", "Family", "generate", "offered_load"]
