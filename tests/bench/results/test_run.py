"""Experiments that run, resume and run again."""

from __future__ import annotations

import dataclasses
import json

import polars

from hadaropt.bench.ratio.suite import RatioSuite
from hadaropt.bench.ratio.sweep import ratio_groups, sweep_ratio
from hadaropt.bench.results.experiment import experiment
from hadaropt.certificates import verify
from hadaropt.certificates.format import certificate_from_document
from hadaropt.sweep import Store

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
    # The manifest reproduces it, and says what is not the same.
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


def test_optima_are_computed_once_and_their_certificates_verify():
    suite = RatioSuite(("small_uniform",), ("fifo", "random"), 1, ("forked",), 4, 4)
    store = Store(None)
    (found,) = sweep_ratio([suite], store)
    (group,) = ratio_groups([suite])
    assert len(store) == 3
    instance = suite.instance(*found.place)
    document = store.certificate(group.optimum.key)
    verified = verify(instance, certificate_from_document(document, instance))
    assert verified.value == found.cells[0].best
    assert verified.proved
    again = dataclasses.replace(suite, policies=("fifo", "random", "greedy_density"))
    (more,) = sweep_ratio([again], store)
    assert len(store) == 4
    assert [cell.policy for cell in more.cells] == list(again.policies)


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


def test_each_against_itself(bench):
    names = "yarn,srtf,srtf[iterations=unknown]"
    found = experiment({"policies": ["fifo", "fifo[iterations=2]"], "baseline": "itself"})
    assert (found.compares, found.baseline) == (True, "itself")
    arguments = ("--policies=fifo,fifo[iterations=2]", "--baseline=itself", "--families=six_class")
    sizes = ("--seeds=2", "--jobs=4", "--rounds=4", "--parallelism=mixed", "--workers=1")
    code, document, _ = bench("ratio", *arguments, *sizes)
    assert code == 0
    assert [row["name"] for row in document["paired"]] == ["fifo[iterations*2]"]
    code, document, _ = bench(
        "schedulers", f"--schedulers={names}", "--seeds=1", "--jobs=6", "--workers=1"
    )
    assert code == 0
    assert {cell["scheduler"] for cell in document["cells"]} == set(names.split(","))
