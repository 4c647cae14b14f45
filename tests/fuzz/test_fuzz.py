"""A short run with fixed seeds; and a fuzzer that would notice."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from hadaropt.errors import InstanceError, ScheduleError
from tests.fuzz.mutate import mutate, mutate_document, places, to_bytes
from tests.fuzz.run import fuzz
from tests.fuzz.targets import TARGETS, FoundError, Target, seed_bytes, try_bytes


@pytest.mark.parametrize("name", TARGETS)
def test_readers_refuse_or_read_what_they_can_write(name: str, tmp_path: Path) -> None:
    report = fuzz(TARGETS[name], 1, tmp_path, lambda tried: tried < 250)
    assert report.finds == {}
    assert sum(report.verdicts.values()) == 250
    assert report.verdicts["accepted"] >= 3 and report.verdicts["refused"] >= 100


@pytest.mark.parametrize("name", TARGETS)
def test_the_seeds_are_accepted(name: str, tmp_path: Path) -> None:
    for data in seed_bytes(TARGETS[name]):
        assert try_bytes(TARGETS[name], data, tmp_path) == "accepted"
        assert try_bytes(TARGETS[name], gzip.compress(data), tmp_path) == "accepted"


def test_runs_are_reproducible(tmp_path: Path) -> None:
    def inputs() -> list[bytes]:
        seen: list[bytes] = []
        target = Target("t", ({"a": [1, {"b": "2"}]},), lambda p: seen.append(p.read_bytes()))
        fuzz(target, 7, tmp_path, lambda tried: tried < 50)
        return seen

    first = inputs()
    assert first == inputs()
    assert len(set(first)) > 30


def test_a_crash_and_a_wrong_refusal_are_found_once_each(tmp_path: Path) -> None:
    def judge(path: Path) -> None:
        document = json.loads(path.read_bytes())
        if len(document["a"]) > 1:
            raise ScheduleError("a", "is long")
        raise InstanceError("a", "is short")

    target = Target("instance", ({"a": "x"}, {"a": "yy"}), judge)
    report = fuzz(target, 0, tmp_path, lambda tried: tried < 200)
    kinds = {name.split()[0] for name in report.finds}
    assert {"FoundError", "KeyError", "JSONDecodeError"} <= kinds
    assert report.verdicts["refused"] > 0
    files = report.save(tmp_path / "finds")
    assert [file.read_bytes() for file in files] == list(report.finds.values())


def test_a_slow_verdict_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.targets.MOST_SECONDS", -1.0)
    with pytest.raises(FoundError, match="took"):
        try_bytes(TARGETS["workload"], b"{}", tmp_path)


def test_mutations_reach_numbers_that_json_objects_cannot_hold() -> None:
    rng = random.Random(0)
    seen = {to_bytes(mutate_document({"a": 1}, rng)) for _ in range(2000)}
    for text in (b'{"a": 1e400}', b'{"a": NaN}', b'{"a": {"a": 1, "a": 2}}', b"{}", b'{"a": 01}'):
        assert text in seen
    assert {type(json.loads(s)) for s in seen if s.startswith(b'{"a": "')} == {dict}


def test_mutations_never_fail() -> None:
    rng = random.Random(1)
    data = b'{"a": [1, "1/3", {"b": null}], "c": true}'
    for _ in range(3000):
        data = mutate(data, rng)[:4000] or b"[]"


def test_places_are_all_values() -> None:
    assert sorted(str(key) for _, key in places({"a": [1, {"b": 2}], "c": 3})) == [
        "0", "1", "a", "b", "c",
    ]  # fmt: skip
