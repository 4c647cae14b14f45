"""Cells that fail are rows, with what reproduces them; the others go on."""

from __future__ import annotations

import json

import polars


def test_failing_cells_are_rows_and_exit_1(bench, package, tmp_path):
    out = tmp_path / "out"
    options = (
        "ratio", "--families=small_uniform", "--policies=fifo,lazy,hangs,dies,raises", "--seeds=1",
        "--parallelism=mixed", "--jobs=3", "--rounds=3", "--cell-time-limit=6", "--workers=1",
        f"--out={out}",
    )  # fmt: skip
    code, document, _ = bench(*options)
    assert code == 1
    assert {cell["policy"] for cell in document["cells"]} == {"fifo", "lazy"}
    found = {failure["cell"].split()[0]: failure for failure in document["failures"]}
    assert found["hangs"]["reason"] == "stopped at its limit of 6 s"
    assert found["dies"]["reason"] == "its process died (signal SIGSEGV), 3 times"
    assert found["raises"]["reason"] == "ZeroDivisionError: ratio"
    rows = polars.read_parquet(out / "cells.parquet")
    status = dict(rows.select("policy", "status").iter_rows())
    assert status == {
        "fifo": "done", "lazy": "done", "hangs": "timeout", "dies": "crash", "raises": "error",
    }  # fmt: skip
    cells = [json.loads(file.read_text()) for file in out.glob("failures/*/cell.json")]
    assert {cell["payload"]["policy"] for cell in cells} == {"hangs", "dies", "raises"}
    assert any("ZeroDivisionError" in cell["detail"] for cell in cells)
    assert len(list(out.glob("failures/*/instance-*.json"))) == 3


def test_a_failure_stays_until_it_is_retried_or_the_package_changes(
    bench, package, tmp_path, monkeypatch
):
    options = (
        "ratio", "--families=small_uniform", "--policies=fifo,raises", "--seeds=1",
        "--parallelism=mixed", "--jobs=3", "--rounds=3", "--workers=1", f"--out={tmp_path / 'out'}",
    )  # fmt: skip
    assert bench(*options)[0] == 1
    monkeypatch.setenv("MENDED", "1")
    assert bench(*options)[0] == 1
    code, document, _ = bench(*options, "--retry")
    assert (code, len(document["cells"]), document["failures"]) == (0, 2, [])
    monkeypatch.delenv("MENDED")
    assert bench(*options)[0] == 0
    package.write_text(package.read_text() + "# another version")
    assert bench(*options)[0] == 1
