"""What was run, what failed, and the worst cells."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hadaropt.bench.page.build import build_page
from hadaropt.bench.page.results import read_results
from tests.bench.page.samples import MANIFEST, cells, folder, frame, record, starve

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")


def test_parts_of_a_trace_stand_apart_and_no_command_generates_them(tmp_path):
    own = cells(1)
    parts = [
        replace(cell, family=f"whole, horizon {horizon}")
        for horizon in ("FIFO 95 %", "half of it")
        for cell in own
    ]
    found = build_page(read_results(folder(tmp_path / "trace", parts)))
    assert "policy (mixed (whole, horizon FIFO 95 %))" in found
    worst = found.partition('id="worst"')[2]
    assert "hadaropt bench ratio --trace FILE" in worst and "hadaropt generate" not in worst


def test_starved_cells_are_listed_apart(tmp_path):
    own = cells(1)
    place = folder(tmp_path / "x", [*own[:-1], starve(own[-1])])
    worst = build_page(read_results(place)).partition('id="worst"')[2]
    finite, nothing = worst.split("<table")[1:3]
    assert "5 of 5 cells, the worst first" in finite and ">inf<" not in finite
    assert "1 of 1 cells with P = 0" in nothing and ">inf<" in nothing


def test_failed_cells_and_manifest_are_shown(tmp_path):
    rows = [record(cell) for cell in cells(1)]
    failed = {"status": "timeout", "reason": "stopped after 5 s", "family": "gavel_like"}
    place = frame([*rows, failed], tmp_path / "x")
    document = {**MANIFEST, "code": {"numpy": "2.1"}, "seeds": [0, 1], "results": [["a", "b"]] * 50}
    (place / "manifest.json").write_text(json.dumps(document))
    results = read_results(place)
    assert len(results.failures) == 1 and results.missing == ()
    found = build_page(results)
    for words in ("stopped after 5 s", "code.numpy", "0, 1", "50 entries"):
        assert words in found
