"""An instance so large that its pricing is shared."""

from __future__ import annotations

from hadaropt.generate import generate


def large(family: str = "six_class"):
    return generate(family, seed=3, num_jobs=2000, num_rounds=40, load="1.3")
