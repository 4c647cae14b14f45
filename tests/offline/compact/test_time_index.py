"""The time axis: which pairs of job and round there are, and what the common rows say of a run."""

from __future__ import annotations

import numpy as np

from hadaropt import Cluster, Instance, Job
from hadaropt.modes.plans import job_plans
from hadaropt.offline.compact.hall import hall_model
from hadaropt.offline.compact.solution import start_of
from hadaropt.offline.compact.time_index import Windows
from hadaropt.schedule import Allocation, Schedule
from hadaropt.utility import Linear


def instance() -> Instance:
    """A job of two rounds released at 0, and one of one round released at 1; four rounds."""
    jobs = (
        Job("a", 0, 1, 2, {"V100": 1}, Linear(9, 2)),
        Job("b", 1, 1, 1, {"V100": 1}, Linear(5, 1)),
    )
    return Instance(Cluster.of({"n": {"V100": 1}}), jobs, 4, 1)


def test_pairs_begin_at_the_release_and_completions_where_they_are_possible() -> None:
    windows = Windows.of(job_plans(instance(), "hall"))
    assert (windows.pairs, windows.dones) == (4 + 3, 3 + 3)
    assert windows.round_of.tolist() == [0, 1, 2, 3, 1, 2, 3]
    assert windows.done_round.tolist() == [1, 2, 3, 1, 2, 3]
    assert windows.done_pair.tolist() == [1, 2, 3, 4, 5, 6]
    # U(f) - U(f + 1), and U itself in the last round: sums of them are the values.
    assert windows.done_cost.tolist() == [2, 2, 3, 1, 1, 3]
    assert sum(windows.row_counts) == len(windows.row_names()) == len(windows.row_limits())
    assert len(windows.column_names()) == windows.pairs + windows.dones


def test_a_schedule_satisfies_the_rows_and_a_run_after_completion_does_not() -> None:
    problem = instance()
    model = hall_model(problem)
    runs = [Allocation(t, ((0, 0, 1),)) for t in range(4)]
    x = start_of(model, Schedule(((runs[0], runs[1]), (runs[2],))))
    slack = model.linear.row_upper - model.linear.matrix @ x
    assert (slack >= 0).all()
    assert float(model.linear.cost @ x) == (9 - 2) + (5 - 1)
    late = model.linear.column_names().index("run_0_3_0")
    x[late] = 1
    broken = np.flatnonzero(model.linear.row_upper - model.linear.matrix @ x < 0)
    assert "active_0_3" in [model.linear.row_names()[row] for row in broken]
