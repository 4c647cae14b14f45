"""The report: complete, escaped, and honest about what is missing."""

from __future__ import annotations

import base64
import json
from xml.etree import ElementTree

import pytest

from hadaropt.bench.page.build import build_page
from hadaropt.bench.page.results import read_results
from tests.bench.page.reader import Reader
from tests.bench.page.samples import EVIL, MANIFEST, cells, evil, folder, frame, record

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")


def test_every_section_is_there_and_linked(text):
    reader = Reader(text)
    ids = [attributes["id"] for attributes in reader.all("section")]
    assert ids == [
        "run",
        "ratios",
        "profiles",
        "hardness",
        "certificates",
        "theorems",
        "runtime",
        "chosen",
        "worst",
    ]
    links = [a["href"] for a in reader.all("a") if "download" not in a]
    assert links[: len(ids)] == [f"#{name}" for name in ids]
    assert "Report: mine" in reader.words


def test_every_figure_has_its_numbers_and_a_description(text):
    reader = Reader(text)
    figures = len(reader.all("figure"))
    assert figures == len(reader.all("img")) == 15
    assert all(image["alt"] for image in reader.all("img"))
    for part in text.split("<figure")[1:]:
        assert 'download="' in part.partition("</figure>")[0]
    for link in (a for a in reader.all("a") if "download" in a):
        rows = reader.content(link["href"]).decode().splitlines()
        assert len(rows) >= 2 and link["download"].endswith(".csv")


def test_the_numbers_are_those_of_the_cells(text):
    reader = Reader(text)
    (link,) = (a for a in reader.all("a") if a.get("download") == "cells.csv")
    rows = reader.content(link["href"]).decode().splitlines()
    own = cells()
    assert len(rows) == 1 + len(own)
    assert rows[1].startswith(f"small_uniform,0,mixed,{own[0].policy},5,5,")
    assert f",{own[0].primal},{own[0].best},{own[0].bound}," in rows[1]


def test_nothing_is_loaded_and_nothing_runs(text):
    reader = Reader(text)
    assert not reader.all("script") and not reader.all("link") and not reader.all("iframe")
    for tag, attributes in reader.tags:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            if name in ("src", "href"):
                assert value.startswith(("data:", "#"))
    assert "url(" not in text and "@import" not in text
    (policy,) = (m["content"] for m in reader.all("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none'")
    assert any(m.get("name") == "viewport" for m in reader.all("meta"))


def test_pictures_are_sound_svg_and_hold_no_date(text):
    for image in Reader(text).all("img"):
        picture = base64.b64decode(image["src"].partition("base64,")[2])
        assert ElementTree.fromstring(picture).tag.endswith("svg")
        assert b"<dc:date>" not in picture and b"<script" not in picture


def test_hostile_names_are_text_everywhere(tmp_path):
    hostile = [evil(cell) for cell in cells()]
    rows = [record(cell) | {"status": "done", "reason": ""} for cell in hostile]
    rows.append({"status": EVIL, "reason": EVIL, "family": EVIL, "policy": EVIL})
    place = frame(rows, tmp_path / "results")
    (place / "manifest.json").write_text(json.dumps({**MANIFEST, EVIL: {EVIL: EVIL}}))
    found = build_page(read_results(place))
    assert "<script" not in found
    reader = Reader(found)
    assert any(EVIL in words for words in reader.words)
    for image in reader.all("img"):
        picture = reader.content(image["src"])
        assert b"<script" not in picture
        ElementTree.fromstring(picture)


def test_what_is_missing_is_said(tmp_path, text):
    assert "there is no manifest.json" in text
    assert "All instances have 5 jobs" in text
    strange = [evil(cell) for cell in cells(1)]
    found = " ".join(Reader(build_page(read_results(folder(tmp_path / "x", strange)))).words)
    assert "are not known" in found
    assert "no primal-dual run of these results can be run again" in found
