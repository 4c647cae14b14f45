"""The picture of an online run, and the record behind it."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import Cluster, Instance, Job, run_online, testing
from hadaropt.errors import MissingExtraError
from hadaropt.plot.trajectories import Trajectory, plot_trajectories, trajectory
from hadaropt.policies import PRICE_NAMES, PrimalDual
from hadaropt.utility import Linear

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")


def instance(jobs: int = 5) -> Instance:
    cluster = Cluster.of({"n0": {"V100": 2}, "n1": {"P100": 2}})
    made = tuple(
        Job(f"j{i}", i // 2, 1 + i % 2, 20, {"V100": 5, "P100": 2}, Linear(30 + i, 2))
        for i in range(jobs)
    )
    return Instance(cluster, made, 8, 1)


@given(st.data(), st.sampled_from(PRICE_NAMES))
@settings(max_examples=40, deadline=None)
def test_the_trajectory_ends_where_the_run_ends(data: st.DataObject, price: str) -> None:
    problem, policy = data.draw(testing.instances()), PrimalDual(price)
    path, run = trajectory(problem, policy), run_online(problem, policy)
    assert path.primal[-1] == run.value
    if path.arrivals:
        assert path.dual[-1] == run.online_dual
        assert run.prices is not None
        np.testing.assert_array_equal(path.arrivals[-1].after.units, run.prices.units)
        assert len(path.prices) == len(path.primal) == len(path.arrivals) + 1
    decided = {arrival.job: arrival.best.payoff for arrival in path.arrivals}
    for j, payoff in enumerate(run.payoffs):
        assert max(Fraction(0), decided.get(j, Fraction(0))) == payoff


def test_each_step_starts_at_the_prices_at_which_the_last_one_ended() -> None:
    arrivals = trajectory(instance(), PrimalDual("linear")).arrivals
    assert [arrival.job for arrival in arrivals] == [0, 1, 2, 3, 4]
    for earlier, later in pairwise(arrivals):
        np.testing.assert_array_equal(earlier.after.units, later.before.units)
        assert (later.free <= earlier.free).all()
    assert (arrivals[-1].after.units > arrivals[0].before.units).any()


def test_panels_show_values_and_one_type_each() -> None:
    panels = plot_trajectories(instance(), PrimalDual("zero_start"))
    titles = [axes.get_title() for axes in panels]
    assert titles == ["", "price of a GPU: V100 (2)", "price of a GPU: P100 (2)"]
    values, v100 = panels[:2]
    labels = [text.get_text() for text in values.get_legend().get_texts()]
    accepted = sum(arrival.best.payoff > 0 for arrival in trajectory_of().arrivals)
    assert labels[2:] == [f"accepted ({accepted})", f"rejected ({5 - accepted})"]
    assert v100.collections[0].get_array().shape == (8, 6)


def trajectory_of() -> Trajectory:
    return trajectory(instance(), PrimalDual("zero_start"))


def test_the_drawn_price_of_a_type_is_the_mean_over_its_gpus() -> None:
    cluster = Cluster.of({"n0": {"V100": 1}, "n1": {"V100": 3}})
    job = Job("a", 0, 1, 1, {"V100": 1}, Linear(10, 1))
    path = trajectory(Instance(cluster, (job,), 2, 1), PrimalDual("linear", pool="node"))
    units = path.arrivals[0].after.units[0, :, 0] / float(path.arrivals[0].after.scale)
    assert path.prices[1, 0, 0] == pytest.approx((units[0] + 3 * units[1]) / 4)
    assert units.max() > 0


@pytest.mark.parametrize("jobs", [0, 1])
def test_runs_of_few_jobs_are_drawn(jobs: int) -> None:
    plot_trajectories(instance(jobs), PrimalDual())[0].figure.draw_without_rendering()


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hadaropt\[plot\]'"):
        plot_trajectories(instance(), PrimalDual())
