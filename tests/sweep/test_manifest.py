"""Manifests: what was used, without a name of the machine, and what differs."""

from __future__ import annotations

import json
import socket

import pytest

from hadaropt.errors import SweepError
from hadaropt.sweep.manifest import (
    FILE,
    FORMAT,
    common_facts,
    differences,
    machine_facts,
    read_manifest,
    write_manifest,
)


def test_what_is_written_is_read_back_from_the_file_or_its_folder(tmp_path):
    file = write_manifest(tmp_path, {"seeds": [0, 1]})
    assert file == tmp_path / FILE
    found = read_manifest(tmp_path)
    assert found == read_manifest(file) == json.loads(file.read_text())
    assert (found["format"], found["seeds"]) == (FORMAT, [0, 1])
    assert found | common_facts() == found


def test_the_machine_is_described_and_not_named():
    facts = machine_facts()
    assert set(facts) == {"cpu", "cores", "memory_gb", "system"}
    assert facts["cores"] >= 1 and facts["memory_gb"] > 0
    name = socket.gethostname()
    assert len(name) < 4 or name not in json.dumps(facts)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no manifest"),
        ("[]", "has format None, and this version reads hadaropt-manifest/1"),
        ("{}", "has format None"),
        ('{"format": "hadaropt-manifest/2"}', "has format hadaropt-manifest/2"),
    ],
)
def test_what_is_no_manifest_is_refused_with_its_file(tmp_path, text, said):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(SweepError, match=f"{FILE}: {said}"):
        read_manifest(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_manifest(tmp_path / "absent")


def test_a_manifest_holds_no_number_that_is_none(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_manifest(tmp_path, {"seconds": float("nan")})
    assert list(tmp_path.iterdir()) == []


def test_differences_are_told_by_name():
    old = {"code": {"versions": {"numpy": "1", "scipy": "2"}}, "machine": {"cores": 2}, "seeds": 1}
    new = {"code": {"versions": {"numpy": "1", "flint": "3"}}, "machine": {"cores": 4}, "seeds": 2}
    assert differences(old, new) == [
        ("code.versions.flint", "absent", "3"),
        ("code.versions.scipy", "2", "absent"),
        ("machine.cores", "2", "4"),
    ]
    assert differences(old, old) == []
