"""The driver of the paper's experiments: every end that an experiment can have, and the page."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from benchmarks.paper import _lookalikes
from benchmarks.paper.__main__ import main, share
from benchmarks.paper._samples import PHILLY
from benchmarks.paper.claims import Claim, SkippedError, data_folder
from benchmarks.paper.experiments import Outcome, names, perform
from benchmarks.paper.hadar_simulation import INSTEAD, settings_of, there
from benchmarks.paper.page import to_html, to_markdown
from benchmarks.paper.plan import planned, told
from hadaropt.traces import read_trace

SAMPLES = "tests.benchmarks.samples"


def outcome(name, tmp_path, minutes=1.0):
    return perform(name, False, tmp_path / name, minutes, SAMPLES)


def test_claims_come_back_and_the_folder_is_there(tmp_path):
    good = outcome("good", tmp_path)
    assert (good.reason, good.broken, len(good.claims)) == ("", False, 1)
    assert good.claims[0].ours == "full: False"
    assert good.about == "Sample <experiment>."
    assert (tmp_path / "good" / "table.csv").exists()
    assert good.files == ("good/table.csv",)


@pytest.mark.parametrize(
    ("name", "reason", "broken"),
    [
        ("broken", "failed: ValueError: gone wrong", True),
        ("dies", "died with exit code 7", True),
        ("empty", "returned no claim", True),
        ("idle", "has no run(full, out) yet; run it by itself", False),
        ("slow", "stopped after 0.05 minutes", True),
    ],
)
def test_every_other_end_has_its_reason(name, reason, broken, tmp_path):
    found = outcome(name, tmp_path, 0.05 if name == "slow" else 1.0)
    assert (found.reason, found.broken, found.claims) == (reason, broken, ())


def test_absent_data_are_skipped(tmp_path, monkeypatch):
    monkeypatch.setenv("HADAROPT_DATA", str(tmp_path))
    found = outcome("absent", tmp_path)
    assert not found.broken
    assert found.reason == (
        "skipped: no/such/entry is not in the folder of public data (HADAROPT_DATA)"
    )
    monkeypatch.setenv("HADAROPT_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(SkippedError, match="not here"):
        data_folder()


def test_the_plan_says_what_runs_and_what_is_not_here(tmp_path, monkeypatch):
    monkeypatch.setenv("HADAROPT_DATA", str(tmp_path))
    plans = [planned(name, SAMPLES) for name in ("good", "absent")]
    assert [plan.needs for plan in plans] == [(), ("no/such/entry",)]
    text = told(plans, "reduced size", 14.5, tmp_path)
    assert text.startswith("1 of 2 experiments will run: reduced size, at most 14.5 minutes in all")
    assert "  good    Sample <experiment>.\n" in text
    assert "SKIPPED: no/such/entry is not in the folder of public data (HADAROPT_DATA)" in text
    (tmp_path / "no/such/entry").mkdir(parents=True)
    found = told([planned("absent", SAMPLES)], "the sizes of the sources", None, tmp_path)
    assert found.startswith("1 of 1 experiments will run") and "no limit of time" in found
    assert "SKIPPED" not in found


def test_the_plan_says_what_runs_on_a_lookalike(tmp_path, monkeypatch):
    monkeypatch.setenv("HADAROPT_DATA", str(tmp_path))
    plan = planned("hadar_simulation")
    text = told([plan], "reduced size", 14.5, tmp_path)
    assert text.startswith("1 of 1 experiments will run") and "SKIPPED" not in text
    assert "on a GENERATED look-alike of the Philly trace: traces is not in the folder" in text


def test_a_lookalike_is_marked_and_reproducible(tmp_path, monkeypatch):
    monkeypatch.setenv("HADAROPT_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr(_lookalikes, "JOBS", 300)
    one, two = (_lookalikes.traces_or_lookalike(tmp_path / x, ["traces"], INSTEAD) for x in "ab")
    assert one.mark == f"on {INSTEAD}" and _lookalikes.SHOUTED in one.size("96 jobs")
    trace, again = (read_trace(own.data / "traces" / f"{PHILLY}.csv") for own in (one, two))
    assert trace == again and trace.format == "normalised" and len(trace.jobs) == 300
    assert one.label("Philly") == "Philly (generated look-alike)"
    assert one.cells(tmp_path) != tmp_path / "cells"
    (claim,) = one.marked([Claim("a", "b", "c", "d")])
    assert claim.ours.startswith("on a GENERATED look-alike") and one.marked([claim]) == [claim]
    assert set(there(settings_of(False, 96, "V100=1"), one.data)) == {
        "Philly, all at once",
        "Philly, continuous",
    }


def test_an_experiment_that_reads_data_says_so():
    for name in names():
        source = Path(importlib.util.find_spec(f"benchmarks.paper.{name}").origin).read_text()
        plan, instead = planned(name), "traces_or_lookalike(" in source
        assert ("data_folder(" in source or instead) == bool(plan.needs), name
        assert instead == bool(plan.instead), name


def test_a_row_says_all_four():
    with pytest.raises(ValueError, match="why is empty"):
        Claim("a", "b", "c", " ")


def test_pages_escape_what_they_show(tmp_path):
    outcomes = [
        outcome("good", tmp_path),
        Outcome("x", "", (), "failed: <b>", True, 1.0),
    ]
    html = to_html(outcomes, "head <i>")
    assert "<script" not in html
    assert "&lt;script&gt;" in html and "&lt;b&gt;" in html and "head &lt;i&gt;" in html
    text = to_markdown(outcomes, "head")
    assert (
        "| A \\| B \\<script>alert(1)\\</script> | 2x | full: False | \\*same\\* setting |" in text
    )


def test_pictures_are_shown_and_tables_linked():
    own = Outcome("x", "", (Claim("a", "b", "c", "d"),), "", False, 1.0, ("x/p_q.png", "x/t.md"))
    html, text = to_html([own], "head"), to_markdown([own], "head")
    assert '<img src="x/p_q.png" alt="p q.png">' in html and '<a href="x/t.md">t.md</a>' in html
    assert "\n![p q.png](x/p_q.png)\n" in text and "\n[t.md](x/t.md)\n" in text


def test_lines_of_a_cell_stay_lines():
    rows = (Claim("a", "b", "one\n  two", "c"),)
    text = to_markdown([Outcome("x", "", rows, "", False, 1.0)], "head")
    assert "| a | b | one<br>two | c |" in text


def test_the_experiments_are_found():
    assert "gavel_validation" in names()
    assert not {"claims", "page", "experiments", "__main__"} & set(names())


def test_unknown_names_are_refused(capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        main(["--only", "nosuch", "--out", str(tmp_path)])
    assert stop.value.code == 2
    assert "--only nosuch: must be among" in capsys.readouterr().err


def test_the_driver_writes_both_pages(monkeypatch, tmp_path, capsys):
    import benchmarks.paper.__main__ as driver

    monkeypatch.setattr(driver, "names", lambda: ["good", "dies"])
    monkeypatch.setattr(driver, "planned", lambda name: planned(name, SAMPLES))
    monkeypatch.setattr(driver, "perform", lambda *a: perform(*a, SAMPLES))
    assert main(["--out", str(tmp_path)]) == 1
    assert "full: False" in (tmp_path / "paper.md").read_text()
    assert "died with exit code 7" in (tmp_path / "paper.html").read_text()
    assert main(["--only", "good", "--full", "--out", str(tmp_path)]) == 0
    assert "full: True" in (tmp_path / "paper.md").read_text()
    assert capsys.readouterr().out.count("paper.html") == 2


def test_where_traces_are_lacking_they_are_fetched_unless_forbidden(monkeypatch, tmp_path, capsys):
    import benchmarks.paper.__main__ as driver

    asked = []

    def fetching(out, say):
        asked.append(out)
        (tmp_path / "data" / "no" / "such" / "entry").mkdir(parents=True)
        return tmp_path / "data"

    monkeypatch.setenv("HADAROPT_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr(driver, "names", lambda: ["absent"])
    monkeypatch.setattr(driver, "planned", lambda name: planned(name, SAMPLES))
    monkeypatch.setattr(driver, "lacking", lambda plans: True)
    monkeypatch.setattr(driver, "fetched", fetching)
    monkeypatch.setattr(driver, "perform", lambda *a: Outcome("absent", "", (), "so", False, 1.0))
    main(["--out", str(tmp_path / "out"), "--no-fetch"])
    said = capsys.readouterr().err
    assert said.startswith("No public traces are here, and --no-fetch forbids to fetch them.")
    assert "0 of 1 experiments will run" in said and not asked
    main(["--out", str(tmp_path / "out")])
    assert "1 of 1 experiments will run" in capsys.readouterr().err
    assert asked == [tmp_path / "out"]


def test_all_together_stay_within_the_minutes():
    for number in (1, 3, 6, 40):
        left = 14.5
        for i in range(number):
            limit = share(left, number - i)
            assert 0 < limit <= 5.0
            left -= limit
        assert left >= -1e-9
