"""The report in a real browser, headless, at the widths of a desk and of a phone, and printed."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hadaropt.bench.page.build import build_page
from hadaropt.bench.page.results import read_results
from tests.bench.page.samples import cells, evil, folder

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="module")
def browser():
    found = os.environ.get("HADAROPT_BROWSER") or next(
        filter(None, map(shutil.which, BROWSERS)), None
    )
    with playwright.sync_playwright() as started:
        try:
            # Root, as in containers, has no sandbox.
            opened = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        except playwright.Error as absent:
            pytest.skip(f"no browser can be started: {str(absent).splitlines()[0]}")
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("results") / "x"
    hostile = [evil(cell) for cell in cells(1)]
    file = folder(place, [*cells(2), *hostile]) / "report.html"
    file.write_text(build_page(read_results(place)), encoding="utf-8")
    return file


def visit(browser, report, width, height):
    """Open the page; return it with what it asked for and what the console said."""
    page = browser.new_page(viewport={"width": width, "height": height})
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("dialog", lambda dialog: said.append(f"dialog {dialog.message}"))
    page.goto(report.as_uri())
    return page, [url for url in asked if not url.startswith("data:")], said


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844), (320, 568)])
def test_it_opens_offline_and_nothing_overflows(browser, report, width, height, tmp_path):
    page, asked, said = visit(browser, report, width, height)
    assert asked == [report.as_uri()]
    assert said == []  # no script ran, no policy was breached
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 0)")
    assert page.evaluate("document.images.length") > 8
    size = page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")
    assert size >= 15
    narrow = page.evaluate(
        "Math.min(...[...document.images].map(i => i.getBoundingClientRect().width))"
    )
    assert narrow >= min(290, width * 0.9)
    page.screenshot(path=tmp_path / "page.png", full_page=True)
    assert (tmp_path / "page.png").stat().st_size > 50_000
    page.close()


def test_figures_stand_side_by_side_where_there_is_room(browser, report):
    def lefts(width):
        page, _, _ = visit(browser, report, width, 900)
        script = "[...document.querySelectorAll('#ratios figure')].map(f => f.offsetLeft)"
        found = set(page.evaluate(script))
        page.close()
        return found

    assert len(lefts(1280)) == 2
    assert len(lefts(390)) == 1


def test_numbers_are_downloaded(browser, report):
    page, _, _ = visit(browser, report, 1280, 900)
    with page.expect_download() as waiting:
        page.click("a[download='cells.csv']")
    rows = Path(waiting.value.path()).read_text().splitlines()
    assert len(rows) == 1 + len(cells(2)) + len(cells(1))
    page.close()


def test_it_prints(browser, report, tmp_path):
    page, _, _ = visit(browser, report, 794, 1123)  # A4 at 96 dots per inch
    page.pdf(path=tmp_path / "page.pdf", format="A4")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    page.emulate_media(media="print")
    assert not page.is_visible("nav") and not page.is_visible(".numbers")
    assert page.is_visible("#ratios figure")
    assert page.evaluate("document.documentElement.scrollWidth") <= 794
    page.close()


LONGEST = "rolling_horizon[iterations=unknown]"


@pytest.fixture(scope="module")
def long_names(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("long") / "x"
    named = [replace(cell, policy=LONGEST) for cell in cells(1) if cell.policy == "fifo"]
    file = folder(place, [*cells(1), *named]) / "report.html"
    file.write_text(build_page(read_results(place)), encoding="utf-8")
    return file


def test_ratio_tables_fit_a_desk_and_names_a_phone(browser, long_names):
    page, _, _ = visit(browser, long_names, 1280, 900)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    wide = "[...document.querySelectorAll('.scroll')].filter(d => d.scrollWidth > d.clientWidth)"
    assert page.evaluate(f"{wide}.length") == 0
    page.close()
    page, _, _ = visit(browser, long_names, 390, 844)
    cell = page.locator("#ratios tbody th", has_text=LONGEST).first.bounding_box()
    assert 100 < cell["width"] < 200
    assert cell["height"] < 100  # a few lines, not a letter in each
    page.close()


def test_what_is_folded_is_printed(browser, report):
    page, _, _ = visit(browser, report, 794, 1123)
    inside = page.locator("#ratios details table").first
    assert not inside.is_visible()
    page.emulate_media(media="print")
    if page.evaluate("CSS.supports('selector(::details-content)')"):
        assert inside.is_visible()
    page.close()
