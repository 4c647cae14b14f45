"""``hadaropt bench runtime``: what it measures, and wrong selections."""

from __future__ import annotations

import json

import pytest

from hadaropt.bench import runtime
from hadaropt.cli import main
from tests.bench.measured import FOUND


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
