"""A schedule before anything else is known, and a clock that does not count compilation."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings

import hadaropt
from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM, Cluster, Instance, Job
from hadaropt.offline import first_schedule as module
from hadaropt.offline.first_schedule import first_schedule
from hadaropt.offline.lns.ejection_chains import EjectionSearch
from hadaropt.utility import Linear
from tests.instances_strategy import contended_instances
from tests.offline.support import instance_of
from tests.oracle import Json

TINY = Path(__file__).parents[2] / "examples" / "tiny.json"


@settings(max_examples=60, deadline=None)
@given(document=contended_instances())
def test_feasible_in_every_model(document: Json) -> None:
    for parallelism in PARALLELISM:
        instance = instance_of(document).with_parallelism(parallelism)
        hadaropt.check_schedule(instance, first_schedule(instance))


@pytest.mark.parametrize("parallelism", PARALLELISM)
def test_an_answer_is_never_worth_less(parallelism: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where time is up before anything else is done."""
    instance = generate("measured_rates", seed=2, num_jobs=8, num_rounds=8, parallelism=parallelism)  # type: ignore[arg-type]
    least = hadaropt.check_schedule(instance, first_schedule(instance)).value
    assert least > 0
    monkeypatch.setattr(EjectionSearch, "greedy", lambda self: None)
    assert hadaropt.solve(instance, time_limit=0, cross_check=False).value >= least


def test_gangs_lie_within_a_node_where_spreading_slows_them() -> None:
    cluster = Cluster.of({"a": {"V100": 1}, "b": {"V100": 1}, "c": {"V100": 2}})
    job = Job("x", 0, 2, 4, {"V100": 2}, Linear(9, 1), spread_factor=Fraction(1, 2))
    instance = Instance(
        cluster,
        (job, job.__class__("y", 0, 2, 1, {"V100": 2}, Linear(9, 1), spread_factor=Fraction(1, 2))),
        4,
        1,
    )
    found = first_schedule(instance)
    assert {allocation.gpus for allocation in found.jobs[1]} == {((2, 0, 2),)}
    assert {allocation.gpus for allocation in found.jobs[0]} <= {
        ((0, 0, 1), (1, 0, 1)),
        ((2, 0, 2),),
    }
    assert hadaropt.check_schedule(instance, found).completion[0] is not None


def test_gangs_take_the_first_nodes_that_hold_them() -> None:
    """Job x fills node b, so y goes to c; z is spread over what the two have left."""
    cluster = Cluster.of({"a": {"V100": 1}, "b": {"V100": 2}, "c": {"V100": 3}})
    jobs = [
        Job(name, 0, gang, 1, {"V100": 2}, Linear(worth, 1))
        for name, gang, worth in (("x", 2, 90), ("y", 2, 80), ("z", 2, 70))
    ]
    found = first_schedule(Instance(cluster, jobs, 1, 1))
    assert [list(job[0].gpus) for job in found.jobs] == [
        [(1, 0, 2)],
        [(2, 0, 2)],
        [(0, 0, 1), (2, 0, 1)],
    ]


@pytest.mark.parametrize("parallelism", PARALLELISM)
def test_many_nodes_leave_no_job_out(parallelism: str) -> None:
    nodes = {f"n{h}": {"V100": 4} for h in range(12_500)}
    jobs = [Job(f"j{j}", 0, 2 + 6 * (j % 2), 1, {"V100": 2}, Linear(9, 1)) for j in range(50)]
    instance = Instance(Cluster.of(nodes), jobs, 3, 1, parallelism)
    found = first_schedule(instance)
    assert hadaropt.check_schedule(instance, found).completion == (0,) * 50


def test_many_jobs_are_not_left_out_whole() -> None:
    instance = generate("six_class", seed=0, num_jobs=6_000, num_rounds=30)
    assert hadaropt.check_schedule(instance, first_schedule(instance)).value > 0


def test_however_large_it_stops_after_some_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = generate("small_uniform", seed=1, num_jobs=60, num_rounds=20)
    looked = 0
    gang = module._gang

    def counted(*arguments: object) -> object:
        nonlocal looked
        looked += 1
        return gang(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_gang", counted)
    monkeypatch.setattr(module, "MOST_STEPS", 50)
    hadaropt.check_schedule(instance, first_schedule(instance))
    assert 0 < looked <= 50


def test_it_loads_no_compiled_code() -> None:
    code = (
        "import sys, hadaropt; from hadaropt.offline.first_schedule import first_schedule; "
        f"first_schedule(hadaropt.read_instance({str(TINY)!r})); "
        "assert 'numba' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
