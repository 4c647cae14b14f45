"""The page of an audit."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hadaropt import __version__, audit
from hadaropt.auditing.sentences import headline
from hadaropt.bench.page.audit import POINTS, _sampled, write_page
from tests.auditing.logs import trace
from tests.bench.page.reader import Reader

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")

ROWS = [(0, [(0, 3600)], 1), (0, [(3600, 7200)], 1)]


def page(found, tmp_path, **options):
    file = write_page(found, tmp_path / "audit.html", **options)
    text = file.read_text(encoding="utf-8")
    return text, Reader(text)


def test_the_answer_comes_first_and_every_figure_has_its_numbers(tmp_path):
    found = audit(trace(ROWS), "GPU=2")
    _, reader = page(found, tmp_path)
    ids = [a["id"] for a in reader.all("section")]
    assert ids[0] == "answer" and {"picture", "schedules", "log", "assumptions"} <= set(ids)
    words = " ".join(reader.words)
    assert headline(found) in words
    assert len(reader.all("figure")) == 1 == len(reader.all("img"))
    (numbers,) = [a for a in reader.all("a") if a.get("download") == "jobs-over-time.csv"]
    rows = reader.content(numbers["href"]).decode().splitlines()
    assert rows[0] == "schedule,seconds,jobs" and rows[1] == "recorded,0.0,2"
    assert {row.split(",")[0] for row in rows[1:]} >= {"recorded", "proven least"}


def test_nothing_is_loaded_and_names_are_hidden_unless_asked_for(tmp_path):
    found = audit(trace(ROWS, queue="<b>secret</b>", user="someone"), "GPU=2")
    text, reader = page(found, tmp_path)
    assert not reader.all("script") and "secret" not in text and "someone" not in text
    text, reader = page(found, tmp_path, names=True)
    assert "&lt;b&gt;secret" in text and "<b>secret" not in text and "someone" not in text


def test_the_page_says_when_by_what_and_that_names_are_pseudonyms(tmp_path):
    dated = replace(trace(ROWS, queue="secret"), origin_seconds=Fraction(86400), calendar="UTC")
    found = audit(dated, "GPU=2", changes=["add=GPU:1x1"])
    text, reader = page(found, tmp_path, command="hadaropt audit <log>")
    words = " ".join(reader.words)
    assert "1970-01-02 00:00:00 (UTC)" in words and "1970-01-02 02:00:00 (UTC)" in words
    assert f"Made by hadaropt {__version__}: hadaropt audit &lt;log&gt;" in text
    assert "pseudonyms" in words and "no change" in words
    assert "has no meaning" not in words
    named, _ = page(found, tmp_path, names=True)
    assert "pseudonyms" not in named and f"Made by hadaropt {__version__}<" in named
    fast = audit(trace(ROWS, gpu_type="A"), "A=2", changes=["load=2"], relative_speeds={"A": 1})
    assert "Waiting has no meaning where jobs may run on any type" in page(fast, tmp_path)[0]


def test_a_record_that_does_not_fit_is_said(tmp_path):
    text, _ = page(audit(trace([*ROWS, (0, [(0, 3600)], 2)]), "GPU=2"), tmp_path)
    assert "does not fit the cluster" in text


@pytest.mark.parametrize("count", [1, POINTS, POINTS + 1, 5000])
def test_a_step_curve_keeps_its_values_and_its_end(count):
    times, counts = list(range(0, 3 * count, 3)), [7 * i % 11 for i in range(count)]
    end = times[-1] + 10
    xs, ys = _sampled(times, counts, end)
    assert len(xs) == len(ys) <= POINTS + 1 and xs[0] == 0 and xs[-1] == end
    for x, y in zip(xs, ys, strict=True):
        assert y == counts[max(i for i, t in enumerate(times) if t <= x)]
