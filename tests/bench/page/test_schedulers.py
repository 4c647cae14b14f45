"""Round schedulers on the page."""

from __future__ import annotations

import json

import pytest

from hadaropt.bench.page.build import build_page
from hadaropt.bench.page.results import read_results
from tests.bench.page.reader import Reader
from tests.bench.page.samples import MANIFEST, frame

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")


def test_scheduler_rows_are_a_table(tmp_path):
    rows = [{"scheduler": "yarn", "family": "gavel_like", "seed": 0, "jct_s.mean": 12345.678}]
    rows[0]["common_jct_s.mean"] = 7200.0
    rows.append({**rows[0], "scheduler": "hadar", "common_jct_s.mean": 3600.0})
    results = read_results(frame(rows, tmp_path / "x"))
    assert results.cells == ()
    found = build_page(results)
    assert "<td>3.43</td>" in found  # hours of 12345.678 s
    assert "<td>1</td><td>0.5</td>" in found  # hours, and the ratio to yarn
    assert [a["id"] for a in Reader(found).all("section")] == ["run", "schedulers"]
    summary = found.partition('id="schedulers"')[2].partition("</table>")[0]
    assert "against yarn" in summary
    assert "<td>1</td><td>0.500</td><td>-</td><td>0</td><td>1</td>" in summary
    assert len(Reader(found).all("figure")) == 1


def test_schedulers_are_compared_with_themselves_without_parameters(tmp_path):
    rows = [
        {"scheduler": name, "family": "gavel_like", "seed": seed, "common_jct_s.mean": jct}
        for seed in (0, 1)
        for name, jct in (("srtf", 100.0), ("srtf[iterations=2]", 150.0), ("yarn", 400.0))
    ]
    place = frame(rows, tmp_path / "x")
    definition = {"kind": "schedulers", "baseline": "itself"}
    (place / "manifest.json").write_text(json.dumps({**MANIFEST, "definition": definition}))
    found = build_page(read_results(place)).partition('id="schedulers"')[2]
    assert "JCT over that of the same scheduler without [ ]" in found
    summary = found.partition("</table>")[0]
    assert "1.500..1.500" in summary and "yarn" not in summary
