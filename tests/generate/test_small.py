"""The small families."""

from __future__ import annotations

import pytest

from hadaropt import solve_ilp
from hadaropt.generate import generate


def test_small_uniform_has_every_kind_of_utility():
    kinds = {
        job.utility.kind for seed in range(5) for job in generate("small_uniform", seed=seed).jobs
    }
    assert len(kinds) == 6


@pytest.mark.parametrize("parallelism", ["single_type", "mixed"])
def test_small_uniform_is_solved_at_its_own_size(parallelism):
    for seed in range(3):
        instance = generate("small_uniform", seed=seed, parallelism=parallelism)
        assert solve_ilp(instance).status in ("proved", "solver_optimal")


def test_forking_is_worth_something_in_small_uniform():
    instance = generate("small_uniform", seed=3, num_jobs=6, num_rounds=8)
    mixed = solve_ilp(instance).value
    forked = solve_ilp(instance.with_parallelism("forked")).value
    assert forked > mixed


def test_mixing_is_worth_something_in_overloaded_tight():
    instance = generate("overloaded_tight", seed=0, num_jobs=8, num_rounds=8)
    mixed = solve_ilp(instance).value
    assert mixed > solve_ilp(instance.with_parallelism("single_type")).value
