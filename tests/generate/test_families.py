"""Every family makes valid instances of few digits, at the load asked for."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import instance_sha256, read_instance, write_instance
from hadaropt.generate import FAMILIES, generate, offered_load
from hadaropt.instance import PARALLELISM
from hadaropt.utility import Sigmoid
from tests.generate.families import seeds

NAMES = sorted(FAMILIES)


def digits(number: object) -> int:
    """Significant digits of a decimal; fails for a number that is none."""
    scaled = Fraction(number) * 10**30
    assert scaled.denominator == 1, f"{number} is no decimal of few places"
    return len(str(scaled.numerator).rstrip("0"))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(NAMES), seeds, st.integers(0, 20), st.integers(1, 30))
def test_instances_are_valid_and_of_few_digits(family, seed, jobs, rounds):
    instance = generate(family, seed=seed, num_jobs=jobs, num_rounds=rounds)
    assert len(instance.jobs) == jobs
    assert instance.num_rounds == rounds
    assert instance.name == f"{family}-{seed}"
    assert digits(instance.round_seconds) <= 3
    for j, job in enumerate(instance.jobs):
        assert 0 <= job.release < rounds
        assert job.throughput
        for speed in job.throughput.values():
            assert digits(speed) <= 8
        values = instance.utility_values(j)
        assert values[0] > 0 or isinstance(job.utility, Sigmoid)
        for parameter in vars(job.utility).values():
            numbers = parameter if isinstance(parameter, tuple) else (parameter,)
            assert all(digits(number) <= 6 for number in numbers)
    releases = [job.release for job in instance.jobs]
    assert releases == sorted(releases)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(NAMES), seeds)
def test_parallelism_changes_nothing_else(family, seed):
    mixed = generate(family, seed=seed)
    for parallelism in PARALLELISM:
        other = generate(family, seed=seed, parallelism=parallelism)
        assert other == mixed.with_parallelism(parallelism)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([n for n in NAMES if n not in ("gavel_like", "philly_like")]), seeds)
def test_every_gang_fits_on_one_type_that_it_runs_on(family, seed):
    instance = generate(family, seed=seed)
    counts = dict(zip(instance.cluster.accelerators, instance.cluster.pooled_capacity, strict=True))
    for job in instance.jobs:
        fits = [counts[r] >= job.gang_size for r in job.throughput]
        # small_uniform has 3 K80: a gang of 4 that runs on nothing else must mix or wait.
        assert any(fits) or (family == "small_uniform" and set(job.throughput) == {"K80"})


@pytest.mark.parametrize("family", NAMES)
def test_no_jobs_are_legal(family):
    instance = generate(family, seed=3, num_jobs=0)
    assert instance.jobs == ()
    assert offered_load(instance) == 0


@pytest.mark.parametrize("family", NAMES)
def test_instances_survive_a_file(family, tmp_path):
    instance = generate(family, seed=7)
    write_instance(instance, tmp_path / "x.json.gz")
    assert read_instance(tmp_path / "x.json.gz") == instance


@pytest.mark.parametrize("family", [n for n in NAMES if n != "adversarial_price"])
def test_spread_and_consolidation_reach_the_instance(family):
    given_ = {"spread_factor": "0.85", "consolidation_seconds": "12.5"}
    instance = generate(family, seed=0, **given_)
    assert {job.spread_factor for job in instance.jobs} == {Fraction(85, 100)}
    assert instance.consolidation_seconds == Fraction(25, 2)


def test_values_of_the_ladders_are_whole():
    for family in ("adversarial_price", "overloaded_tight"):
        instance = generate(family, seed=2)
        for j in range(len(instance.jobs)):
            assert all(value.denominator == 1 for value in instance.utility_values(j))


def test_generating_changes_nothing_outside():
    np.random.seed(1)
    before = np.random.get_state()[1].tolist()
    first = instance_sha256(generate("gavel_like", seed=0))
    np.random.seed(1)
    assert np.random.get_state()[1].tolist() == before
    assert instance_sha256(generate("gavel_like", seed=0)) == first
