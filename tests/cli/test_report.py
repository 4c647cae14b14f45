"""hadaropt report."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")

from tests.bench.page.samples import cells, folder


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return folder(tmp_path_factory.mktemp("results") / "mine", cells(1))


def test_the_page_stands_beside_the_results(run, results) -> None:
    outcome = run("report", str(results))
    assert outcome.code == 0
    assert "there is no manifest.json" in outcome.out
    assert (results / "report.html").read_text().startswith("<!doctype html>")


def test_json_names_the_file(run, results, tmp_path) -> None:
    outcome = run("report", str(results), "-o", str(tmp_path / "page.html"), "--json")
    assert outcome.document["files"] == {"report": str(tmp_path / "page.html")}
    assert outcome.document["cells"] == 6
    assert (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "RESULTS nowhere: is no folder"),
        ([".", "-o", "page.html"], "holds no cells.parquet"),
        (["{results}", "-o", "no/such/page.html"], "there is no folder"),
        (["{results}", "--run", "a:0:mixed:fifo"], "is none of the cells"),
    ],
)
def test_usage(run, results, tmp_path, monkeypatch, arguments, message) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("report", *(text.format(results=results) for text in arguments))
    assert outcome.code == 2
    assert message in outcome.err


@pytest.mark.parametrize("name", ["cells.parquet", "manifest.json", "store/a.json", "link.html"])
def test_results_are_not_overwritten(run, tmp_path, name) -> None:
    mine = folder(tmp_path / "mine", cells(1))
    (mine / "manifest.json").write_text("{}")
    (mine / "store").mkdir()
    (mine / "store" / "a.json").write_text("{}")
    (mine / "link.html").symlink_to("cells.parquet")
    before = {path: path.read_bytes() for path in mine.rglob("*") if path.is_file()}
    outcome = run("report", str(mine), "-o", str(mine / name))
    assert outcome.code == 2
    assert f"--out {mine / name}: is also an input of this command" in outcome.err
    assert before == {path: path.read_bytes() for path in mine.rglob("*") if path.is_file()}


def test_a_page_is_written_again(run, tmp_path) -> None:
    mine = folder(tmp_path / "mine", cells(1))
    page = mine / "page.html"
    page.write_text("old")
    assert run("report", str(mine), "-o", str(page)).code == 0
    assert page.read_text() != "old"


@pytest.mark.parametrize("content", ['{"format": "hadaropt-manifest/1"}', "{}"])
def test_an_empty_manifest_is_refused(run, tmp_path, content) -> None:
    mine = folder(tmp_path / "mine", cells(1))
    (mine / "manifest.json").write_text(content)
    outcome = run("report", str(mine))
    assert outcome.code == 4
    assert "manifest.json." in outcome.err
    assert not (mine / "report.html").exists()
