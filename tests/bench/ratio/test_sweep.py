"""The cells of a suite as a sweep."""

from dataclasses import replace

import pytest

from hadaropt.bench.ratio.sweep import in_order, run_ratio, sweep_ratio
from hadaropt.errors import InstanceError
from hadaropt.sweep import Store
from tests.bench.ratio.small import SMALL


def without_times(cells):
    return [replace(cell, seconds=0.0) for cell in cells]


def test_cells_are_the_same_on_one_and_on_two_workers():
    one = in_order(SMALL, dict(run_ratio(SMALL, workers=1)))
    two = in_order(SMALL, dict(run_ratio(SMALL, workers=2)))
    assert without_times(one) == without_times(two)
    assert len(one) == 8
    for cell in one:
        assert cell.closed
        assert cell.primal <= cell.best <= cell.dual


def test_an_instance_that_cannot_be_made_fails_alone_with_its_reason():
    """At this load seed 1 can be drawn and seed 0 cannot; where none can, nothing runs."""
    suite = replace(
        SMALL, families=("small_uniform",), policies=("fifo",), parallelism=("mixed",), seeds=2,
        jobs=4, rounds=4, parameters={"load": "0.5"},
    )  # fmt: skip
    store = Store(None)
    found = {one.place[1]: one for one in sweep_ratio([suite], store)}
    assert [failure.status for failure in found[0].failures] == ["error", "skipped"]
    assert "InstanceError: load = 1/2, must be <= " in found[0].failures[0].reason
    assert (found[1].failures, len(found[1].cells)) == ([], 1)
    hopeless = replace(suite, parameters={"load": "9"})
    with pytest.raises(InstanceError, match="small_uniform seed 0"):
        list(sweep_ratio([hopeless], store))
