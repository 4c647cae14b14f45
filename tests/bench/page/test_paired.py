"""Paired differences."""

from __future__ import annotations

import pytest

from hadaropt.bench.page.build import build_page
from hadaropt.bench.page.results import read_results
from tests.bench.page.reader import Reader

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")


def test_what_varies_is_known_from_the_manifest(varied):
    found = build_page(read_results(varied))
    assert "are not known" not in found
    ids = [attributes["id"] for attributes in Reader(found).all("section")]
    assert ids[1:3] == ["ratios", "paired"]
    paired = found.partition('id="paired"')[2].partition("</section>")[0]
    assert "against fifo" in paired and "load=0.5 utilities=linear,step" in paired
    worst = found.partition('id="worst"')[2]
    command = "hadaropt generate six_class --seed 0 --jobs 6 --rounds 6 --parallelism mixed"
    assert f"{command} --load 0.5 --set utilities=linear,step -o worst.json" in worst
