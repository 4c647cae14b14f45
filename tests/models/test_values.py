"""Values of the programs: two solvers, the library, strong duality, the configuration LP."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pulp
import pytest
from hypothesis import given, settings

from hadaropt import check_schedule, read_schedule, solve_dual, solve_ilp, solve_lp
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.io import schedule_from_document, write_instance
from hadaropt.utility import Linear
from models import configuration_lp, dual_lp, forked_ilp, offline_ilp, primal_lp
from models.files import solve
from tests.instances_strategy import contended_instances
from tests.offline.support import instance_of
from tests.oracle import Json

ROOT = Path(__file__).parents[2]
few = settings(deadline=None, max_examples=12)
close = 1e-5  # CBC prints eight digits


def near(a: float, b: float) -> bool:
    return abs(a - b) <= close * (1 + abs(b))


@few
@given(contended_instances(max_rounds=3))
def test_integer_programs(document: Json) -> None:
    instance = instance_of(document)
    if instance.parallelism == "forked":
        program = forked_ilp.build(instance)
        answer = forked_ilp.schedule
    else:
        program = offline_ilp.build(instance, "node")
        answer = offline_ilp.schedule
    expected = solve_ilp(instance).value
    # CBC is compared on values only, and never trusted for feasibility.
    assert near(solve(program.problem, "PULP_CBC_CMD"), float(expected))
    assert near(solve(program.problem, "HiGHS"), float(expected))
    schedule = schedule_from_document(answer(instance, program), instance)
    assert check_schedule(instance, schedule).value == expected


@few
@given(contended_instances(parallelism="mixed", spreads=(1,), max_rounds=3))
def test_relaxations(document: Json) -> None:
    """OPT <= configuration LP <= compact LP = its dual, in both forms."""
    instance = instance_of(document)
    compact = solve(primal_lp.build(instance).problem)
    assert near(compact, solve_lp(instance).relaxation_value)
    assert near(solve(dual_lp.build(instance).problem), compact)
    assert near(solve_dual(instance).relaxation_value, compact)
    nodes = solve(primal_lp.build(instance, "node").problem)
    assert near(nodes, solve_lp(instance, form="node").relaxation_value)
    assert near(solve_dual(instance, form="node").relaxation_value, nodes)
    configuration = solve(configuration_lp.build(instance).problem)
    assert configuration <= compact + close
    assert configuration <= nodes + close
    assert solve_ilp(instance).value <= configuration + close
    assert solve_ilp(instance).value <= solve_lp(instance).bound <= compact + close


@few
@given(contended_instances(max_rounds=3))
def test_configuration_lp_bounds_every_model(document: Json) -> None:
    instance = instance_of(document)
    configuration = solve(configuration_lp.build(instance).problem)
    assert solve_ilp(instance).value <= configuration + close
    assert configuration <= solve_lp(instance).relaxation_value + close


@pytest.mark.parametrize("solver", ["HiGHS", "PULP_CBC_CMD"])
def test_prices_have_one_sign(solver: str) -> None:
    """Two jobs on one GPU for one round: its price is the value of the job left out."""
    jobs = [Job(n, 0, 1, 1, {"V100": 1}, Linear(v, 0)) for n, v in (("a", 5), ("b", 3))]
    instance = Instance(Cluster.of({"n": {"V100": 1}}), tuple(jobs), 1, 1)
    program = primal_lp.build(instance)
    solve(program.problem, solver)
    prices = primal_lp.prices(program.problem)
    assert min(prices.values()) >= 0
    assert 3 - close <= prices["capacity_0_0"] <= 5 + close
    limits = {"capacity_0_0": 1, "once_0": 1, "once_1": 1}
    assert near(sum(prices[row] * limit for row, limit in limits.items()), 5)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    jobs = [
        Job("a", 0, 2, 2000, {"V100": 4, "P100": "1.5"}, Linear(100, 4)),
        Job("b", 1, 3, 1000, {"V100": 4, "P100": "1.5"}, Linear(100, 4)),
    ]
    nodes = {"n0": {"V100": 2}, "n1": {"P100": 2}}
    path = tmp_path / "instance.json"
    write_instance(Instance(Cluster.of(nodes), tuple(jobs), 5), path)
    return path


@pytest.mark.parametrize(
    "program",
    ["offline_ilp", "primal_lp", "dual_lp", "configuration_lp", "forked_ilp"],
)
def test_runs_alone(program: str, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command = [sys.executable, "-m", f"models.{program}", str(file), "-o", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    document = json.loads(out.read_text())
    from hadaropt import read_instance

    instance = read_instance(file)
    if document.get("format") == "hadaropt-schedule/1":
        checked = check_schedule(instance, read_schedule(out, instance))
        assert checked.value == solve_ilp(instance).value
    else:
        assert document["objective"] >= float(solve_ilp(instance).value) - close
        assert document["values"]


def test_programs_are_short() -> None:
    for path in (ROOT / "models").glob("*.py"):
        assert len(path.read_text().splitlines()) <= 150, path.name


def test_solver_names_are_pulps() -> None:
    assert "HiGHS" in pulp.listSolvers(onlyAvailable=True)
