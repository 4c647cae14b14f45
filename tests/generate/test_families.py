"""Every family makes valid instances of few digits, at the load asked for."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import instance_sha256, read_instance, solve_ilp, write_instance
from hadaropt.errors import InstanceError
from hadaropt.generate import FAMILIES, generate, offered_load
from hadaropt.generate.adversary import TRAPS
from hadaropt.instance import PARALLELISM
from hadaropt.utility import Sigmoid

NAMES = sorted(FAMILIES)
LOADED = sorted(name for name, family in FAMILIES.items() if family.load is not None)

seeds = st.integers(0, 2**64 - 1)


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
@given(st.sampled_from(LOADED), seeds, st.integers(5, 40), st.integers(1400, 1600))
def test_a_load_that_is_asked_for_is_met_or_refused(family, seed, jobs, thousandths):
    load = Fraction(thousandths, 1000)
    try:
        instance = generate(family, seed=seed, num_jobs=jobs, num_rounds=24, load=load)
    except InstanceError as refused:
        assert refused.path == "load"
        return
    assert abs(offered_load(instance) / load - 1) <= Fraction(5, 100)


@pytest.mark.parametrize("family", LOADED)
def test_a_load_that_is_asked_for_is_rarely_refused(family):
    refused = 0
    for seed in range(30):
        try:
            generate(family, seed=seed, num_jobs=40, num_rounds=24, load="1.5")
        except InstanceError:
            refused += 1
    assert refused <= 1


@pytest.mark.parametrize("family", LOADED)
def test_the_own_load_is_met_at_the_own_size(family):
    own = Fraction(FAMILIES[family].load)
    for seed in range(10):
        load = offered_load(generate(family, seed=seed))
        assert load <= own * Fraction(105, 100)
        assert load >= own * Fraction(6, 10)


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


def test_a_gang_larger_than_the_cluster_is_reported():
    instance = generate("philly_like", seed=0, num_jobs=2000, num_rounds=50, cluster="V100=1x4")
    large = [j for j, job in enumerate(instance.jobs) if job.gang_size > 4]
    assert large
    for j in large:
        assert "gang" in instance.unschedulable(j)
    without = generate("philly_like", seed=0, num_jobs=2000, num_rounds=50, cluster="V100=1x4")
    kept = tuple(job for job in without.jobs if job.gang_size <= 4)
    assert offered_load(instance) == offered_load(
        type(instance)(instance.cluster, kept, 50, instance.round_seconds)
    )


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


def test_nodes_hold_so_many_gpus():
    wide = generate("six_class", seed=0, gpus_per_node=8)
    narrow = generate("six_class", seed=0, gpus_per_node=3)
    assert wide.jobs == narrow.jobs
    assert wide.cluster.pooled_capacity == narrow.cluster.pooled_capacity
    assert max(max(row) for row in narrow.cluster.capacity) == 3
    assert max(max(row) for row in wide.cluster.capacity) == 8


@pytest.mark.parametrize("family", [n for n in NAMES if n != "adversarial_price"])
def test_spread_and_consolidation_reach_the_instance(family):
    given_ = {"spread_factor": "0.85", "consolidation_seconds": "12.5"}
    instance = generate(family, seed=0, **given_)
    assert {job.spread_factor for job in instance.jobs} == {Fraction(85, 100)}
    assert instance.consolidation_seconds == Fraction(25, 2)


def test_six_class_has_twenty_units_a_round_in_one_order():
    instance = generate("six_class", seed=1)
    for j in range(len(instance.jobs)):
        fast, middle, slow = instance.progress(j)
        assert fast == 20 * 18
        assert fast > middle > slow
        assert instance.jobs[j].iterations % 18 == 0


def test_measured_rates_order_types_differently():
    instance = generate("measured_rates", seed=0)
    orders = {tuple(np.argsort(instance.progress(j))) for j in range(len(instance.jobs))}
    assert len(orders) > 1


@pytest.mark.parametrize("trap", sorted(TRAPS))
def test_traps_offer_rising_densities_in_one_window(trap):
    instance = generate("adversarial_price", seed=0, traps=trap, num_jobs=8, num_rounds=8)
    for window in (0, 4):
        jobs = [job for job in instance.jobs if job.release == window]
        assert len(jobs) == 4
        densities = [Fraction(job.utility.peak, job.gang_size * 4) for job in jobs]
        assert densities == sorted(densities)
        assert 1 <= densities[0] < densities[-1] <= 64
        assert all(job.utility.deadline == 4 for job in jobs)
    if trap != "ladder":
        assert max(job.gang_size for job in instance.jobs) > 2


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
