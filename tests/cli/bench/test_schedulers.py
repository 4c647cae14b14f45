"""``hadaropt bench schedulers``."""

from __future__ import annotations

import polars


def test_schedulers_on_the_same_workloads(bench, package, tmp_path):
    out = tmp_path / "out"
    code, document, _ = bench(
        "schedulers", "--schedulers=yarn,backwards", "--families=gavel-like", "--seeds=2",
        "--jobs=5", "--workers=1", f"--out={out}",
    )  # fmt: skip
    assert code == 0
    assert document["baseline"] == "yarn"
    jct = {(c["scheduler"], c["seed"]): c["jct_s.mean"] for c in document["cells"]}
    assert len(jct) == 4
    assert jct["yarn", 0] == jct["backwards", 0] > 0
    assert polars.read_parquet(out / "cells.parquet").height == 4
    code, rerun, _ = bench("rerun", out, "--workers=1")
    assert (code, rerun["different_cells"]) == (0, [])
