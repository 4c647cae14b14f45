"""Loads and nodes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import InstanceError
from hadaropt.generate import FAMILIES, generate, offered_load
from tests.generate.families import seeds

LOADED = sorted(name for name, family in FAMILIES.items() if family.load is not None)


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


def test_nodes_hold_so_many_gpus():
    wide = generate("six_class", seed=0, gpus_per_node=8)
    narrow = generate("six_class", seed=0, gpus_per_node=3)
    assert wide.jobs == narrow.jobs
    assert wide.cluster.pooled_capacity == narrow.cluster.pooled_capacity
    assert max(max(row) for row in narrow.cluster.capacity) == 3
    assert max(max(row) for row in wide.cluster.capacity) == 8
