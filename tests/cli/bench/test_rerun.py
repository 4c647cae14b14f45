"""``hadaropt bench run`` and ``rerun``: a folder that resumes, and what differs."""

from __future__ import annotations

import json

SMALL = """
title = "small"
baseline = "fifo"
families = ["small-uniform"]
policies = ["fifo", "primal_dual:zero_start[U=1/2]"]
parallelism = ["mixed"]
seeds = 2
jobs = 4

[vary]
rounds = [4, 5]
"""


def test_a_file_runs_resumes_and_runs_again(bench, tmp_path):
    file, out = tmp_path / "small.toml", tmp_path / "out"
    file.write_text(SMALL)
    code, document, _ = bench("run", file, "--workers=1", f"--out={out}")
    assert code == 0
    assert document["complete"]
    assert len(document["cells"]) == 8
    assert [row["label"] for row in document["paired"]] == ["rounds=4", "rounds=5"]
    assert {cell["policy"] for cell in document["cells"]} == {
        "fifo", "primal_dual:zero_start[U*1/2]",
    }  # fmt: skip
    assert {cell["family"] for cell in document["cells"]} == {
        "small_uniform rounds=4", "small_uniform rounds=5",
    }  # fmt: skip
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["complete"]
    assert manifest["cells"] == {"done": 8}
    assert len(manifest["instances"]) == 4
    assert set(manifest["code"]["versions"]) >= {"python", "numpy", "numba", "highspy"}
    assert manifest["solver"]["options"]["threads"] == 1
    assert set(manifest["seconds"]) >= {"compile", "build", "prove", "solve", "run", "wall"}
    # The same command again computes nothing: no process is started.
    code, again, _ = bench("run", file, "--workers=1", f"--out={out}")
    assert code == 0
    assert again["cells"] == document["cells"]
    # Another experiment does not enter the folder.
    code, refused, _ = bench("run", file, "--seeds=1", "--workers=1", f"--out={out}")
    assert code == 2
    assert "another experiment" in refused["error"]["message"]
    # The manifest reproduces it, not where its results are, and says what is not the same.
    for own in (out, out / "manifest.json"):
        code, refused, _ = bench("rerun", own, "--workers=1", f"--out={out}")
        assert code == 2
        assert "with which they would be compared" in refused["error"]["message"]
    code, rerun, _ = bench("rerun", out, "--workers=1")
    assert (code, rerun["same_cells"], rerun["different_cells"]) == (0, 8, [])
    assert rerun["different_facts"] == []
    manifest["results"][0][1] = "P = 7"
    manifest["code"]["versions"]["numpy"] = "1.0"
    (out / "manifest.json").write_text(json.dumps(manifest))
    code, rerun, _ = bench("rerun", out / "manifest.json", "--workers=1")
    assert (code, rerun["same_cells"], len(rerun["different_cells"])) == (1, 7, 1)
    assert rerun["different_cells"][0]["then"] == "P = 7"
    assert [row["fact"] for row in rerun["different_facts"]] == ["code.versions.numpy"]
    assert rerun["different_instances"] == []
    manifest["instances"][0][3] = "0" * 64
    (out / "manifest.json").write_text(json.dumps(manifest))
    code, rerun, _ = bench("rerun", out / "manifest.json", "--workers=1")
    assert code == 1
    assert [row["then"] for row in rerun["different_instances"]] == ["0" * 64]
