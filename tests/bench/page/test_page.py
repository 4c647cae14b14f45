"""The report: complete, escaped, and honest about what is missing."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from hadaropt import Allocation, Cluster, Instance, Job, Schedule, solve, theorems
from hadaropt.bench.page.build import build_page
from hadaropt.bench.page.html import Numbers, Section, Table, Text, page
from hadaropt.bench.page.results import ResultsError, read_results
from hadaropt.bench.page.schedules import schedule_figure
from hadaropt.bench.page.sections import runtime_section
from hadaropt.bench.page.theorems import theorem_section
from hadaropt.bench.ratio.contestants import run_contestant
from hadaropt.bench.ratio.policy_text import policy_from_text
from hadaropt.bench.ratio.reference import prove_optimum
from hadaropt.bench.results.cells import run_cell
from hadaropt.bench.results.experiment import experiment
from hadaropt.generate import generate
from hadaropt.io import instance_sha256
from hadaropt.utility import Linear
from tests.bench.page.samples import EVIL, cells, evil, folder, frame, record, starve

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")

MANIFEST = {"format": "hadaropt-manifest/1", "definition": {}}


class Reader(HTMLParser):
    """Collects what matters of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def content(self, uri: str) -> bytes:
        return base64.b64decode(uri.partition("base64,")[2])


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return build_page(read_results(folder(tmp_path_factory.mktemp("results") / "mine")))


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


def test_cells_turn_into_rows_and_a_frame(tmp_path):
    results = read_results(folder(tmp_path / "mine"))
    rows, frame = results.to_rows(), results.to_frame()
    assert len(rows) == len(cells()) == len(frame)
    assert [row["policy"] for row in rows] == frame["policy"].to_list()
    assert rows[0]["primal"] == str(cells()[0].primal) and "ratio_low" in frame.columns
    assert len(replace(results, cells=()).to_frame()) == 0


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


def test_characters_that_hide_or_reverse_text_are_shown_by_their_codes():
    name = "a\0b\n\N{RIGHT-TO-LEFT OVERRIDE}c\ud800"
    numbers = Numbers(name, (name,), [(name,)])
    table = Table((name, name), [(name, name)], numbers, caption=name)
    found = page(name, name, [Section("x", name, [table, Text(name)])])
    found.encode()
    assert "a\\x00b\\n\\u202ec\\ud800" in found
    assert not set("\0\N{RIGHT-TO-LEFT OVERRIDE}\ud800") & set(found)


def test_hostile_job_and_node_names_are_text_in_the_schedule():
    cluster = Cluster.of({EVIL: {"<b>": 1}})
    instance = Instance(cluster, (Job(EVIL, 0, 1, 1, {"<b>": 1}, Linear(5, 1)),), 2, 1)
    schedule = Schedule(((Allocation(0, ((0, 0, 1),)),),))
    figure = schedule_figure(instance, schedule, "schedule", EVIL)
    found = page(EVIL, EVIL, [Section("x", EVIL, [figure])])
    assert "<script" not in found
    picture = Reader(found).content(Reader(found).all("img")[0]["src"]).decode()
    assert "<script" not in picture and "&lt;script&gt;" in picture
    ElementTree.fromstring(picture)


def test_what_is_missing_is_said(tmp_path, text):
    assert "there is no manifest.json" in text
    assert "All instances have 5 jobs" in text
    strange = [evil(cell) for cell in cells(1)]
    found = " ".join(Reader(build_page(read_results(folder(tmp_path / "x", strange)))).words)
    assert "are not known" in found
    assert "no primal-dual run of these results can be run again" in found


def test_an_instance_that_is_not_the_same_any_more_is_not_shown(tmp_path):
    other = [replace(cell, instance_sha256="0" * 64) for cell in cells(1)]
    found = build_page(read_results(folder(tmp_path / "x", other)))
    assert "is not the instance of the results" in found
    name = "small_uniform:0:mixed:primal_dual:linear"
    found = build_page(read_results(folder(tmp_path / "y", other)), run=name)
    assert f"{name} is not shown" in found


def test_several_sizes_have_growth_exponents(tmp_path):
    place = folder(tmp_path / "x", cells(1, (3, 6)))
    found = build_page(read_results(place))
    assert "growth exponent" in found and "All instances have" not in found
    assert ">1.00<" in found  # the samples take time in proportion to their jobs


def test_a_run_is_chosen_by_name_and_compared(tmp_path):
    own = cells(1)
    results = read_results(folder(tmp_path / "x", own))
    found = build_page(results, run="small_uniform:0:forked:fifo")
    assert "fifo has no prices to show" in found and "chosen by name" in found
    with pytest.raises(ResultsError, match="is none of the cells"):
        build_page(results, run="small_uniform:9:forked:fifo")
    changed = [replace(cell, primal=cell.primal / 2) for cell in own]
    found = build_page(read_results(folder(tmp_path / "y", changed)))
    assert "Run again it collects" in found


def test_the_optimum_of_the_run_is_drawn_beside_it(tmp_path):
    place = folder(tmp_path / "x", cells(1))
    chosen = build_page(read_results(place)).partition('id="chosen"')[2].partition("</section>")[0]
    files = [a["download"] for a in Reader(chosen).all("a")]
    names = ("trajectories.csv", "schedule.csv", "solve.csv", "prices.csv", "optimum.csv")
    assert sorted(files) == sorted(names)
    instance = generate("small_uniform", seed=0, num_jobs=5, num_rounds=5)
    name = "small_uniform:0:mixed:fifo"
    found = build_page(read_results(place), run=name)
    assert f"solved again for this page: {float(solve(instance).value):.6g}." in found
    assert "Prices by round: dual prices of the solver" in found


def test_a_run_with_parameters_is_run_again(tmp_path):
    drawn = generate("small_uniform", seed=0, num_jobs=5, num_rounds=5)
    policy = policy_from_text("primal_dual:linear[iterations=2]")
    run = run_contestant(drawn, policy)
    own = [c for c in cells(1) if c.parallelism == "mixed"]
    told = replace(own[0], policy=policy.name, primal=run.value, theorem="")
    place = folder(tmp_path / "x", [*own, told])
    found = build_page(read_results(place), run=f"small_uniform:0:mixed:{policy.name}")
    assert "Run again it collects" not in found
    assert "the policy&#x27;s and those of the optimum" in found


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


def test_a_definition_that_cannot_be_read_changes_nothing_else(varied):
    (varied / "manifest.json").write_text(json.dumps({**MANIFEST, "definition": {"kind": "x"}}))
    found = build_page(read_results(varied))
    assert 'id="paired"' not in found
    assert "is no generated family" in found


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


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda place: place.mkdir(), "holds no cells.parquet"),
        (lambda place: place.write_text("x"), "is no results folder"),
        (lambda place: frame([], place), "holds no row"),
        (lambda place: frame([{"policy": "fifo"}], place), "row 0: has no family"),
        (
            lambda place: frame([record(cells(1)[0]) | {"primal": "1/x"}], place),
            "primal = '1/x', must be an exact number",
        ),
        (
            lambda place: (place.mkdir(), (place / "cells.parquet").write_text("no")),
            "is no parquet file",
        ),
        (
            lambda place: (folder(place), (place / "manifest.json").write_text("{")),
            "is no JSON file",
        ),
        (
            lambda place: (folder(place), (place / "manifest.json").write_text("[]")),
            "must hold one object",
        ),
    ],
)
def test_bad_folders(make, message, tmp_path):
    make(tmp_path / "x")
    with pytest.raises(ResultsError, match=re.escape(message)):
        read_results(tmp_path / "x")


def test_numbers_quote_what_needs_it():
    assert Numbers("n", ("a", "b"), [('x,"y"', 1)]).text() == 'a,b\n"x,""y""",1\n'
