"""The instances behind the cells."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hadaropt.bench.page.build import build_page
from hadaropt.bench.page.results import read_results
from tests.bench.page.samples import MANIFEST, cells, folder

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")


def test_an_instance_that_is_not_the_same_any_more_is_not_shown(tmp_path):
    other = [replace(cell, instance_sha256="0" * 64) for cell in cells(1)]
    found = build_page(read_results(folder(tmp_path / "x", other)))
    assert "is not the instance of the results" in found
    name = "small_uniform:0:mixed:primal_dual:linear"
    found = build_page(read_results(folder(tmp_path / "y", other)), run=name)
    assert f"{name} is not shown" in found


def test_a_definition_that_cannot_be_read_changes_nothing_else(varied):
    (varied / "manifest.json").write_text(json.dumps({**MANIFEST, "definition": {"kind": "x"}}))
    found = build_page(read_results(varied))
    assert 'id="paired"' not in found
    assert "is no generated family" in found
