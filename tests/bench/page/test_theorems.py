"""Theorems on the page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hadaropt import theorems
from hadaropt.bench.page.theorems import theorem_section
from tests.bench.page.reader import Reader
from tests.bench.page.samples import cells

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")


def test_a_guarantee_leads_to_what_its_theorem_says(text):
    reader = Reader(text)
    stated = {table["id"] for table in reader.all("table") if "id" in table}
    assert stated == {f"theorem-{cell.theorem}" for cell in cells() if cell.theorem} != set()
    links = {a["href"] for a in reader.all("a") if a.get("href", "").startswith("#theorem-")}
    assert links == {f"#{name}" for name in stated}
    for id in (cell.theorem for cell in cells() if cell.theorem):
        for said in (theorems[id].statement, theorems[id].proof, f"hadaropt theorem {id}"):
            assert said in reader.words
    assert any(word.endswith("(vacuous)") for word in reader.words)


def test_theorems_are_stated_once_and_unknown_ones_are_said_to_be_so():
    known = next(cell for cell in cells() if cell.theorem)
    odd = [known, replace(known, seed=9), replace(known, theorem='T0"<')]
    section = theorem_section(odd)
    assert section is not None
    html = section.html()
    assert html.count("<table") == 3
    assert html.count("<details><summary>Symbols of the theorems</summary>") == 1
    for symbol, _ in theorems[known.theorem].symbols:
        assert html.count(f'<th scope="row">{symbol}</th>') == 1
    assert f"2, the constant vacuous in {2 * known.vacuous}" in html
    assert 'id="theorem-T0&quot;&lt;"' in html and "is not among the theorems" in html
    assert theorem_section([replace(known, theorem="")]) is None
