"""P1: the compact model, built by arrays and by modelling layers."""

from __future__ import annotations

import importlib
from functools import cache

import pytest

from hadaropt.modes.plans import job_plans

from . import build_model
from .families import make

NEEDS = {"linopy": "linopy", "PuLP, models.offline_ilp": "models", "PuLP, lists of pairs": "pulp"}


@cache
def program(family, size, rounds):
    instance = make(family, size, rounds, seed=1)
    plans = job_plans(instance, "hall")
    return plans, instance, build_model.by_arrays(plans, instance)[2]


@pytest.mark.row(
    "P1",
    "build the compact model",
    quick=[60, 120, 240],
    small=[60, 120, 240],
    full=[125, 250, 500],
)
@pytest.mark.parametrize("way", build_model.WAYS)
def test_build(record, family, size, way, full):
    if way in NEEDS:
        try:
            importlib.import_module(NEEDS[way])
        except ImportError:
            pytest.skip(f"{NEEDS[way]} is not at hand")
    plans, instance, expected = program(family, size, 100 if full else 50)
    _, _, found = record(
        lambda: build_model.WAYS[way](plans, instance),
        way="hadaropt" if way == "arrays" else way,
        rounds=9 if way == "arrays" else 3,
        own=lambda result: result[0],
    )
    assert build_model.same(found, expected)
