"""A limit of work gives the same answer on every run, whatever the clock says."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from typing import Any

import pytest

import hadaropt
from benchmarks.runtime.equality import answer, differences
from hadaropt.errors import shown
from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM, Instance
from hadaropt.offline.colgen.configuration_lp import solve_configuration_lp
from hadaropt.offline.lagrangian.bound import lagrangian_bound
from hadaropt.offline.params import SolveParams
from hadaropt.offline.tree.branch_and_price import branch_and_price

AGAIN = """
import json, sys
from benchmarks.runtime.equality import answer
from hadaropt.generate import generate
found = {
    model: answer(generate("six_class", seed=3, num_jobs=8, num_rounds=8, parallelism=model), 60)
    for model in ("single_type", "mixed", "forked")
}
print(json.dumps(found, sort_keys=True))
"""


def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an hour pass whenever somebody looks at the clock."""
    hours = itertools.count(0.0, 3600.0)
    monkeypatch.setattr(time, "perf_counter", lambda: next(hours))


def hard(parallelism: str, jobs: int = 12, rounds: int = 12) -> Instance:
    return generate(
        "overloaded_tight", seed=1, num_jobs=jobs, num_rounds=rounds, parallelism=parallelism
    )  # type: ignore[arg-type]


@pytest.mark.parametrize("parallelism", PARALLELISM)
@pytest.mark.parametrize("search", [False, True])
def test_no_decision_looks_at_the_clock(
    parallelism: str, search: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Large instances are searched, without branch-and-price.
    params = SolveParams(small_jobs=0, medium_jobs=0) if search else SolveParams()
    instance = hard(parallelism)
    first = answer(instance, 120, params=params)
    with monkeypatch.context() as patch:
        hasty(patch)
        assert answer(instance, 120, params=params) == first


def test_the_order_of_sets_does_not_matter() -> None:
    runs = []
    for seed in ("1", "2"):
        command = [sys.executable, "-c", AGAIN]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        runs.append(json.loads(done.stdout))
    assert runs[0] == runs[1]


@pytest.mark.parametrize("method", ["branch_and_price", "configuration", "lagrangian"])
def test_parts_of_a_solve_keep_a_limit_of_work(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    solver: Any = {
        "branch_and_price": branch_and_price,
        "configuration": solve_configuration_lp,
        "lagrangian": lagrangian_bound,
    }[method]
    instance = hard("mixed", 30, 24)
    first = solver(instance, work_limit=1)
    assert first.termination == "work_limit"
    assert solver(instance, work_limit=200).bound <= first.bound
    hasty(monkeypatch)
    again = solver(instance, work_limit=1)
    assert (again.bound, again.termination) == (first.bound, first.termination)


def test_with_both_limits_the_first_one_ends_it() -> None:
    instance = hard("mixed", 30, 24)
    by_time = hadaropt.solve(instance, work_limit=10**6, time_limit=0)
    assert by_time.termination == "time_limit"
    by_work = hadaropt.solve(instance, work_limit=1, time_limit=10**6)
    assert by_work.termination == "work_limit"


@pytest.mark.parametrize("bad", [-1, -(10**30)])
def test_negative_work_is_refused(bad: int) -> None:
    with pytest.raises(ValueError, match=f"work_limit = {bad}, must be >= 0 or None"):
        hadaropt.solve(hard("mixed"), work_limit=bad)


@pytest.mark.parametrize("bad", [1.5, True, "3", float("nan")])
def test_a_limit_of_work_is_an_integer(bad: Any) -> None:
    with pytest.raises(TypeError) as caught:
        lagrangian_bound(hard("mixed"), work_limit=bad)
    assert str(caught.value) == f"work_limit = {shown(bad)}, must be an integer or None"


def test_a_record_of_answers_says_what_differs() -> None:
    before = {"a": {"value": "1", "bound": "2"}, "b": {"value": "3", "bound": "3"}}
    assert differences(before, before) == []
    after = {"a": {"value": "1", "bound": "3/2"}}
    assert differences(before, after) == [
        "a: bound was 2, is 3/2",
        "b: bound was 3, is None",
        "b: value was 3, is None",
    ]
