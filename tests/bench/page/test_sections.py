"""Ratios, profiles and run times."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hadaropt.bench.page.build import build_page
from hadaropt.bench.page.results import read_results
from hadaropt.bench.page.sections import runtime_section
from tests.bench.page.samples import cells, folder

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")


def test_several_sizes_have_growth_exponents(tmp_path):
    place = folder(tmp_path / "x", cells(1, (3, 6)))
    found = build_page(read_results(place))
    assert "growth exponent" in found and "All instances have" not in found
    assert ">1.00<" in found  # the samples take time in proportion to their jobs


def test_what_varies_is_not_pooled(varied):
    """Tables, curves and profiles of each load stand apart, each with its own numbers."""
    found = build_page(read_results(varied))
    ratios = found.partition('id="ratios"')[2].partition("</section>")[0]
    profiles = found.partition('id="profiles"')[2].partition("</section>")[0]
    for load in ("0.5", "0.6"):
        assert f"policy (mixed (load={load} utilities=linear,step))" in ratios
        assert f"mixed (load={load} utilities=linear,step): cumulative" in ratios
        assert f"profile-mixed-load-{load}-utilities-linear-step.csv" in profiles
    assert ratios.count("<table") == 4 and profiles.count("<figure") == 2


def test_what_is_open_is_said_only_where_something_is(tmp_path):
    own = cells(1)
    assert all(cell.closed for cell in own)
    assert "every optimum proved" in build_page(read_results(folder(tmp_path / "x", own)))
    some = [replace(cell, bound=cell.bound + 1) for cell in own]
    assert "proved, the others open" in build_page(read_results(folder(tmp_path / "y", some)))


def test_no_growth_is_shown_of_sizes_that_are_nearly_equal():
    own = cells(1)
    close = [*own, *(replace(cell, jobs=own[0].jobs + 1) for cell in own)]
    assert "how time grows is not in these results" in runtime_section(close).html()
    apart = [*own, *(replace(cell, jobs=2 * own[0].jobs) for cell in own)]
    assert "growth exponent" in runtime_section(apart).html()
