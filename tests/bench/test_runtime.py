"""The runtime table: medians, growth, peers; wrong selections say what is wrong."""

from __future__ import annotations

import json
import math
import subprocess

import pytest

from hadaropt.bench import runtime
from tests.bench.measured import FOUND


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "found.json"
    path.write_text(json.dumps({"benchmarks": FOUND}))
    return path


def test_lines_hold_sizes_growth_and_facts(file):
    own, peer, other = runtime.read_suite(file)
    assert (own.row, own.way, peer.way, other.row) == ("P1", "hadaropt", "peer", "P8")
    assert own.seconds == {40: 16.0, 10: 1.0, 20: 4.0}
    assert own.exponent == pytest.approx(2.0)
    assert own.facts == {"gap_percent": {40: 0.0, 10: 1.5, 20: None}}
    assert peer.seconds == {10: 2.0, 20: 10.0}
    assert math.isnan(peer.exponent)


def test_what_failed_before_its_place_was_noted_is_left_out(file):
    document = json.loads(file.read_text())
    document["benchmarks"].append({"extra_info": {}, "stats": {"median": 1.0}})
    kept = runtime.read_suite(file)
    file.write_text(json.dumps(document))
    assert runtime.read_suite(file) == kept


def test_the_table_compares_at_the_largest_shared_size(file):
    rows = runtime.runtime_rows(runtime.read_suite(file))
    assert rows[0][4:] == (
        "10 / 20 / 40",
        "1.00 / 4.00 / 16.00",
        "n^2.00",
        "",
        "gap % 1.5 / none / 0",
    )
    assert rows[1][4:] == ("10 / 20", "2.00 / 10.00", "", "2.5x", "")
    assert rows[2][7] == ""
    for line in (limited := runtime.read_suite(file)):
        line.row = "P3"
    assert {(row[6], row[7]) for row in runtime.runtime_rows(limited)} == {("", "")}
    text = runtime.markdown(rows).splitlines()
    assert text[0].startswith("| row | work |")
    assert {line.count("|") for line in text} == {10}


def test_options_kept_for_other_tests_do_not_reach_the_suite(tmp_path, monkeypatch):
    pytest.importorskip("pytest_benchmark", reason="the extra bench is not installed")
    monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only")
    asked = {}

    def seen(command, env, **others):
        asked.update(env)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", seen)
    assert runtime.run_suite(tmp_path / "found.json", rows=["P13"]) == 0
    assert asked["PYTEST_ADDOPTS"] == ""


def test_settings_of_the_checkout_do_not_reach_the_suite(tmp_path, monkeypatch):
    """pyproject.toml has a setting of pytest-timeout, which the extra ``bench`` does not bring."""
    pytest.importorskip("pytest_benchmark", reason="the extra bench is not installed")
    seen = []

    def collected(command, env, **others):
        seen.append(
            run([*command, "-p", "no:timeout", "--co"], env=env, capture_output=True, text=True)
        )
        return seen[0]

    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", collected)
    code = runtime.run_suite(tmp_path / "found.json", rows=["P13"])
    assert code == 0, seen[0].stdout + seen[0].stderr
    assert "test_start_up[" in seen[0].stdout
