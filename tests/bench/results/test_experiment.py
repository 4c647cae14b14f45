"""Experiments: checked before they run, kept in a folder, completed and run again."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import polars
import pytest

from hadaropt.bench.ratio.suite import RatioSuite
from hadaropt.bench.ratio.sweep import ratio_groups, sweep_ratio
from hadaropt.bench.results.experiment import experiment, experiment_names, find_experiment
from hadaropt.certificates import verify
from hadaropt.certificates.format import certificate_from_document
from hadaropt.errors import InstanceError
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


def test_those_that_come_with_hadaropt_are_sound():
    names = experiment_names()
    assert {"default", "misinformation", "load", "utility", "horizon", "ablation"} <= set(names)
    for name in names:
        found = find_experiment(name, {"seeds": 1})
        assert found.suites
        assert found.document["title"]
        assert experiment(json.loads(found.definition)) == found


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "ration"}, 'did you mean "ratio"'),
        ({"polices": []}, 'did you mean "policies"'),
        ({"policies": ["fifoo"]}, 'did you mean "fifo"'),
        ({"policies": []}, "selects nothing"),
        ({"policies": "fifo"}, "must be a list of names"),
        ({"policies": ["random[sed=1]"]}, 'did you mean "seed"'),
        ({"policies": ["random[seed=1"]}, "must be NAME or NAME"),
        (
            {"policies": ["fifo", "rolling_horizon", "rolling_horizon[time_limit=1]"]},
            "like another",
        ),
        ({"policies": ["fifo", "primal_dual:step[U=0]"]}, "must be > 0"),
        ({"families": ["gavel"]}, 'did you mean "gavel_like"'),
        ({"parallelism": ["fork"]}, 'did you mean "forked"'),
        ({"policies": ["fifo"], "baseline": "random"}, "baseline = .* must be one of fifo"),
        ({"seeds": 0}, "must be an integer >= 1"),
        ({"jobs": 1.5}, "must be an integer >= 1"),
        ({"time_limit": 0}, "must be a number > 0"),
        ({"vary": {"load": "0.7"}}, "vary.load = .* must be a list"),
        ({"vary": {"rounds": [0]}}, "vary.rounds = 0"),
        ({"vary": 3}, "must be a table"),
        ({"kind": "schedulers", "schedulers": ["tiresas"]}, 'did you mean "tiresias"'),
        ({"kind": "schedulers", "families": ["six_class"]}, "must be one of gavel_like"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(change, said):
    with pytest.raises(InstanceError, match=said):
        experiment(change)


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


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("run", "misinfo"), 4, 'did you mean "misinformation"'),
        (("run", "absent.toml"), 4, "absent.toml"),
        (("run", "load", "--workers=0"), 2, "--workers 0: must be >= 1"),
        (("run", "load", "--seeds=0"), 4, "load.toml.seeds = 0, must be an integer >= 1"),
        (("schedulers", "--schedulers=,"), 2, "selects nothing"),
        (("schedulers", "--schedulers=yarrn"), 2, "did you mean yarn?"),
        (("schedulers", "--families=six-class"), 2, "must be one of gavel_like, philly_like"),
        (("schedulers", "--jobs=0"), 2, "jobs = 0, must be an integer >= 1"),
        (("ratio", "--baseline=fifoo"), 2, 'did you mean "fifo"'),
        (("ratio", "--cell-time-limit=0"), 2, "--cell-time-limit 0.0: must be > 0"),
        (("ratio", "--seeds=1", "--dask=nonsense"), 2, "no Dask cluster answers at nonsense"),
        (("rerun", "absent"), 4, "absent"),
    ],
)
def test_wrong_commands_say_what(bench, arguments, code, said):
    found, document, _ = bench(*arguments)
    assert said in document["error"]["message"]
    assert found == code


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({}, "definition, is missing"),
        ({"definition": []}, "definition = [], must be an object"),
        ({"definition": {}, "instances": []}, "results, is missing"),
        ({"definition": {}, "results": "x", "instances": []}, 'results = "x", must be a list'),
        ({"definition": {}, "results": [["a", 1]], "instances": []}, "results[0] = ['a', 1], must"),
        ({"definition": {}, "results": []}, "instances, is missing"),
        ({"definition": {}, "results": [], "instances": [["a", 0, ""]]}, "instances[0] = ['a', 0"),
        ({"definition": {"seeds": 0}, "results": [], "instances": []}, "definition.seeds = 0"),
    ],
)
def test_a_manifest_is_checked(bench, tmp_path, content, said):
    file = tmp_path / "m.json"
    file.write_text(json.dumps({"format": "hadaropt-manifest/1", **content}))
    code, document, _ = bench("rerun", file)
    assert code == 4
    assert f"m.json.{said}" in document["error"]["message"]


def test_a_manifest_of_another_version_is_refused(bench, tmp_path):
    file = tmp_path / "manifest.json"
    file.write_text('{"format": "hadaropt-manifest/0"}')
    code, document, _ = bench("rerun", file)
    assert code == 2
    assert "has format hadaropt-manifest/0" in document["error"]["message"]
    file.write_text("no")
    assert "is no manifest" in bench("rerun", Path(file))[1]["error"]["message"]


def test_a_folder_of_the_name_of_an_experiment_does_not_hide_it(tmp_path, monkeypatch):
    """`bench run load --out load`, given again to complete it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "load").mkdir()
    assert find_experiment("load", {"seeds": 1}).kind == "ratio"


@pytest.mark.parametrize(
    ("kind", "names"),
    [("policies", ["fifo[iterations=2]", "random"]), ("schedulers", ["hadar", "yarn"])],
)
def test_itself_needs_something_to_compare(kind, names):
    document = {"kind": "ratio" if kind == "policies" else "schedulers", kind: names}
    with pytest.raises(InstanceError, match=f"needs one of {kind} with parameters"):
        experiment({**document, "baseline": "itself"})


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
