"""Warming compiled kernels."""

import importlib
from dataclasses import replace

import pytest

import hadaropt.offline.nested
import hadaropt.online.run
from hadaropt.cli import warm
from hadaropt.generate import generate
from hadaropt.results import Termination
from hadaropt.simulate.registry import scheduler_names


def test_warming_runs_what_users_run(run, monkeypatch):
    """(To compile every kernel anew would take minutes: here they are kept already.)"""
    solved, ran, simulated = [], [], []
    monkeypatch.setattr(warm, "_solve", lambda instance: solved.append(instance.parallelism))
    monkeypatch.setattr(hadaropt.online.run, "run_online", lambda _, policy: ran.append(policy))
    monkeypatch.setattr(warm, "_simulate", lambda tell: simulated.append(tell("simulating")))
    compared, audited = [], []
    monkeypatch.setattr(warm, "_nested", lambda: compared.append(True))
    monkeypatch.setattr(warm, "_audit", lambda: audited.append(True))
    answer = run("doctor", "--warm", "--json")
    assert answer.code == 0
    assert {"single_type", "mixed", "forked"} == set(solved)
    assert ran and simulated and compared and audited
    assert "s: solving small_uniform, mixed" in answer.err
    (found,) = (check for check in answer.document["checks"] if check["check"] == "warming")
    assert found["well"] is True


def test_a_failure_to_warm_is_a_finding(run, monkeypatch):
    def fails(_):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(warm, "warm_kernels", fails)
    answer = run("doctor", "--warm")
    assert answer.code == 1
    assert "wrong: warming" in answer.out and "division by zero" in answer.out


def test_warming_names_schedulers_that_there_are():
    assert set(warm.SCHEDULERS) <= set(scheduler_names())


def test_warming_reaches_the_kernels_of_audits():
    """Those of a log on one pool of GPUs, which no solve uses."""
    from hadaropt.kernels.dispatch import always_compiled
    from hadaropt.kernels.pricing.one_pool import least_with_preemption, least_without_preemption

    with always_compiled():
        warm._audit()
    for bound in (least_with_preemption, least_without_preemption):
        assert bound.dispatcher.signatures


@pytest.mark.parametrize("solver", ["solve", "lagrangian.bound", "tree.branch_and_price"])
def test_a_solve_that_was_interrupted_ends_the_warming(monkeypatch, solver):
    """A solver answers Ctrl-C by what it has; whoever warms wants no answer."""
    module = importlib.import_module(f"hadaropt.offline.{solver}")
    name = {"solve": "solve", "lagrangian.bound": "lagrangian_bound"}.get(
        solver, "branch_and_price"
    )
    real = getattr(module, name)

    def interrupted(instance, **limits):
        return replace(real(instance, **limits), termination=Termination.INTERRUPTED)

    monkeypatch.setattr(module, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        warm._solve(generate("small_uniform", seed=0, num_jobs=warm.JOBS, num_rounds=warm.ROUNDS))


def test_a_comparison_of_models_that_was_interrupted_ends_the_warming(monkeypatch):
    real = hadaropt.offline.nested.solve

    def interrupted(problem, **limits):
        return replace(real(problem, **limits), termination=Termination.INTERRUPTED)

    monkeypatch.setattr(hadaropt.offline.nested, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        warm._nested()
