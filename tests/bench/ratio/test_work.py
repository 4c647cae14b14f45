"""What a process of a ratio sweep computes: the run that is timed is not the one that starts up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hadaropt.bench.ratio import work
from hadaropt.bench.ratio.suite import RatioSuite
from hadaropt.bench.ratio.sweep import ratio_groups


@pytest.mark.parametrize(("first", "timed"), [(1.5, 2), (2.5, 1)])
def test_a_quick_first_run_is_run_again_once_in_a_process(monkeypatch, first, timed):
    suite = RatioSuite(("small_uniform",), ("fifo",), 1, ("mixed",), jobs=3, rounds=4)
    (group,) = ratio_groups([suite])
    reference = work.prove(group.optimum.payload, None)
    (task,) = group.policies
    times: list[int] = []
    run_cell = work.run_cell

    def timing(*given):
        times.append(len(times) + 1)
        cell, run = run_cell(*given)
        return replace(cell, seconds=first if len(times) == 1 else float(len(times))), run

    monkeypatch.setattr(work, "run_cell", timing)
    monkeypatch.setattr(work, "_STARTED", set())
    found = work.compete(task.payload, reference)
    assert len(times) == timed
    assert found["seconds"]["run"] == (2 if timed == 2 else first)
    work.compete(task.payload, reference)
    assert len(times) == timed + 1
