"""The trace suite: cells against certified bounds, kept and completed like any sweep."""

from __future__ import annotations

import json

import polars
import pytest

from hadaropt.bench.ratio import trace
from hadaropt.cli import main
from hadaropt.generate import generate
from tests.interrupting import cut_short

TRACE = """job_id,submit_s,num_gpus,gpu_type,duration_s,status
a,0,1,,5400,PASS
b,600,2,,7200,PASS
c,1200,1,,3600,PASS
d,4000,1,,100000,PASS
"""


def bench(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main(["bench", "ratio", *map(str, arguments), "--json"])
    printed = capsys.readouterr()
    return stop.value.code, json.loads(printed.out)


def test_a_trace_is_swept_kept_and_not_swept_again(capsys, tmp_path):
    file, out = tmp_path / "small.csv", tmp_path / "out"
    file.write_text(TRACE)
    options = [f"--trace={file}", "--policies=fifo", "--workers=1", f"--out={out}"]
    code, document = bench(capsys, *options)
    assert code == 0
    assert len(document["cells"]) == 12
    assert {cell["seed"] for cell in document["cells"]} == {0, 1, 2}
    assert document["failures"] == []
    assert polars.read_parquet(out / "cells.parquet").height == 12
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["definition"]["kind"], manifest["complete"]) == ("trace", True)
    code, again = bench(capsys, *options)
    assert (code, again["cells"]) == (0, document["cells"])
    file.write_text(TRACE.replace("5400", "5500"))
    code, refused = bench(capsys, *options)
    assert code == 2
    assert "another experiment" in refused["error"]["message"]


def test_a_bound_that_ctrl_c_cuts_short_is_no_reference(monkeypatch):
    cut_short(monkeypatch, trace, "lagrangian_bound")
    with pytest.raises(KeyboardInterrupt):
        trace.reference(generate("small_uniform", seed=2, num_jobs=4, num_rounds=4), 5.0)
