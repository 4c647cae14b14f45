"""Pages of sample results."""

from __future__ import annotations

import json

import pytest

from hadaropt.bench.page.build import build_page
from hadaropt.bench.page.results import read_results
from hadaropt.bench.ratio.cells import run_cell
from hadaropt.bench.ratio.policy_text import policy_from_text
from hadaropt.bench.ratio.reference import prove_optimum
from hadaropt.bench.results.experiment import experiment
from hadaropt.io import instance_sha256
from tests.bench.page.samples import MANIFEST, folder


@pytest.fixture(scope="session")
def text(tmp_path_factory):
    return build_page(read_results(folder(tmp_path_factory.mktemp("results") / "mine")))


@pytest.fixture
def varied(tmp_path):
    """The results folder of a small experiment in which the load varies."""
    found = experiment(
        {
            "families": ["six_class"],
            "policies": ["fifo", "greedy_density"],
            "parallelism": ["mixed"],
            "baseline": "fifo",
            "seeds": 2,
            "jobs": 6,
            "rounds": 6,
            "vary": {"load": ["0.5", "0.6"], "utilities": [["linear", "step"]]},
        }
    )
    rows = []
    for suite in found.suites:
        for family, seed, model in suite.tasks():
            instance = suite.instance(family, seed, model)
            sha, known = instance_sha256(instance), prove_optimum(instance, 5.0)
            for name in suite.policies:
                made = policy_from_text(name)
                cell, _ = run_cell(instance, sha, suite.named(family), seed, made, known)
                rows.append(cell)
    place = folder(tmp_path / "varied", rows)
    (place / "manifest.json").write_text(json.dumps({**MANIFEST, "definition": found.document}))
    return place
