"""The CP-SAT model of the benchmarks says what hadaropt proves."""

from __future__ import annotations

import pytest

from benchmarks.runtime.families import FAMILIES, make
from hadaropt.offline.tree.branch_and_price import branch_and_price

pytest.importorskip("ortools", reason="the extra 'peers' is not installed")


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("parallelism", ["mixed", "single_type"])
def test_the_optimum(family: str, parallelism: str) -> None:
    from benchmarks.runtime.cp_sat import cp_sat

    instance = make(family, 8, 10, seed=1, parallelism=parallelism)  # type: ignore[arg-type]
    best = branch_and_price(instance)
    assert best.status == "proved"
    found = cp_sat(instance, 30, 1)
    assert found.value == best.value
    assert found.bound == pytest.approx(float(best.value))
