"""The runtime table: medians, growth, peers; wrong selections say what is wrong."""

from __future__ import annotations

import json
import math

import pytest

from hadaropt.bench import runtime
from hadaropt.cli import main


def measured(row, way, size, median, family="six-class", **facts):
    info = {"row": row, "work": "work", "family": family, "size": size, "way": way, **facts}
    return {"stats": {"median": median}, "extra_info": info}


FOUND = [
    measured("P8", "peer", 10, 0.5),
    measured("P1", "hadaropt", 40, 16.0, gap_percent=0.0),
    measured("P1", "hadaropt", 10, 1.0, gap_percent=1.5),
    measured("P1", "hadaropt", 20, 4.0, gap_percent=None),
    measured("P1", "peer", 10, 2.0),
    measured("P1", "peer", 20, 99.0, seconds=10.0),
]


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


@pytest.fixture
def bench(capsys, monkeypatch):
    asked = []

    def fake(file, rows, families, sizes):
        asked.append((rows, families, sizes))
        file.write_text(json.dumps({"benchmarks": FOUND}))
        return 1

    monkeypatch.setattr(runtime, "run_suite", fake)

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(["bench", "runtime", *map(str, arguments)])
        return stop.value.code, capsys.readouterr(), asked

    return call


def test_a_failed_assertion_of_the_suite_is_exit_1(bench, tmp_path):
    out = tmp_path / "out"
    code, printed, asked = bench("--rows=P1,P8", "--families=six-class", f"--out={out}")
    assert code == 1
    assert asked == [(("P1", "P8"), ("six-class",), "quick")]
    assert "an assertion failed" in printed.out
    assert "n^2.00" in (out / "runtime.md").read_text()
    assert json.loads((out / "manifest.json").read_text())["definition"]["rows"] == ["P1", "P8"]
    assert bench("--rows=P1", f"--out={out}")[0] == 2
    assert bench("--rows=P1", "--full")[2][-1][2] == "full"
    code, printed, _ = bench("--rows=P1", "--json")
    document = json.loads(printed.out)
    assert (code, document["right"]) == (1, False)
    assert document["lines"][0]["seconds"] == {"10": 1.0, "20": 4.0, "40": 16.0}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rows=P99",), "must be one of P1, P2"),
        (("--rows=,",), "selects nothing"),
        (("--families=six-clas",), "did you mean six-class?"),
        (("--sizes=huge",), "huge"),
        (("--sizes=small", "--full"), "--sizes small: contradicts --full"),
    ],
)
def test_wrong_selections(bench, arguments, said):
    code, printed, asked = bench(*arguments)
    assert (code, asked) == (2, [])
    assert said in printed.err
