"""Manifests of results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


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
