"""Long documents piece by piece: the same bytes, values and errors as in one piece."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import InstanceError
from hadaropt.frozen import OnDemand
from hadaropt.instance import Job
from hadaropt.io import instance_from_document, read_instance, streams
from hadaropt.io.documents import load_json, parse_json, save_json
from tests.io.documents import WHOLE

ATOMS = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(
    ATOMS, lambda some: st.lists(some) | st.dictionaries(st.text(), some), max_leaves=12
)


@settings(deadline=None, max_examples=30)
@given(st.dictionaries(st.text(), VALUES))
def test_pieces_are_the_text_of_a_document(document: dict[str, Any]) -> None:
    whole = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    assert "".join(streams.json_pieces(document)) == whole


@settings(deadline=None, max_examples=20)
@given(st.lists(VALUES), st.integers(0, 1))
def test_what_is_made_on_demand_is_written_as_a_list(entries: list[Any], depth: int) -> None:
    def inside(value: Any) -> dict[str, Any]:
        for _ in range(depth):
            value = {"a": value}
        return {"b": [1], "c": value}

    made = OnDemand(len(entries), lambda i: entries[i])
    assert list(streams.json_pieces(inside(made))) == list(streams.json_pieces(inside(entries)))


def test_a_packed_file_has_the_bytes_of_one_that_is_packed_at_once(tmp_path: Path) -> None:
    document = {"a": [{"b": str(i**5)} for i in range(999)]}
    save_json(tmp_path / "x.json", document)
    save_json(tmp_path / "x.json.gz", document)
    whole = (tmp_path / "x.json").read_bytes()
    assert (tmp_path / "x.json.gz").read_bytes() == gzip.compress(whole, mtime=0)


def seen(text: str, path: Path) -> object:
    """What a file of this text is read as, entry by entry, or how it is refused."""
    path.write_text(text, encoding="utf-8")
    takers = {("jobs",): lambda _: lambda entry: ["taken", entry]}
    try:
        return load_json(path, InstanceError, takers)
    except InstanceError as bad:
        return str(bad)


def expected(text: str) -> object:
    """The same, read at once."""
    try:
        document: dict[str, Any] = parse_json(text, "x.json", InstanceError)
    except InstanceError as bad:
        return str(bad)
    if isinstance(document.get("jobs"), list):
        document["jobs"] = [["taken", entry] for entry in document["jobs"]]
    return document


@pytest.mark.parametrize("chunk", [1, 7, 10_000])
def test_every_cut_is_refused_as_when_read_at_once(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "CHUNK", chunk)
    assert seen(WHOLE, tmp_path / "x.json") == expected(WHOLE)
    for end in range(0, len(WHOLE), 3 if chunk == 7 else 41):
        found = seen(WHOLE[:end], tmp_path / "x.json")
        assert found == expected(WHOLE[:end]) and "is not valid JSON" in str(found)


@pytest.mark.parametrize(
    "text",
    [
        '{"jobs": []}',
        '{"jobs": [] } \r\n\t',
        '{"jobs": [1, 23, 4.5e6], "x": {"jobs": [1]}}',
        '{"jobs": {"a": 1}, "b": 12}',
        '{"jobs": null}',
        '{"\\u006aobs": ["\\u00e9", {}]}',
        "{}",
        '{"jobs": [1,]}',
        '{"jobs": [1 2]}',
        '{"jobs": [1], }',
        '{"jobs": [1], "jobs": [2]}',
        '{"jobs": [{"a": 1, "a": 2}]}',
        '{"jobs": [NaN]}',
        '{"jobs": ["\x01"]}',
        '{"jobs": [1]} x',
        '{"jobs": [01]}',
        '{"jobs" [1]}',
        "{jobs: [1]}",
        "{1: [1]}",
        "[1]",
        '"jobs"',
        '{"jobs": [' + "[" * 20_000,
    ],
)
@pytest.mark.parametrize("chunk", [1, 10_000])
def test_a_text_means_what_it_means_when_read_at_once(
    text: str, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "CHUNK", chunk)
    assert seen(text, tmp_path / "x.json") == expected(text)


def test_jobs_are_made_as_they_are_read_wherever_they_stand(tmp_path: Path) -> None:
    document = json.loads(WHOLE)
    path = tmp_path / "x.json"
    for names in (list(document), sorted(document, reverse=True), sorted(document, key=len)):
        path.write_text(json.dumps({name: document[name] for name in names}), encoding="utf-8")
        plain = instance_from_document(
            parse_json(path.read_text(encoding="utf-8"), "x", InstanceError)
        )
        assert read_instance(path) == plain


def test_equal_speeds_of_jobs_that_are_read_are_one_object(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(WHOLE, encoding="utf-8")
    first, second = read_instance(path).jobs
    assert isinstance(first, Job) and first.throughput is second.throughput


def test_a_bad_job_is_named_at_its_place_after_what_stands_before_it(tmp_path: Path) -> None:
    document = json.loads(WHOLE)
    document["jobs"][1]["gang_size"] = 0
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InstanceError, match=r"^jobs\[1\]\.gang_size = 0, must be >= 1"):
        read_instance(path)
    document["nodes"][0]["gpus"]["V100"] = -1
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InstanceError, match=r"^nodes\[0\]\.gpus\.V100"):
        read_instance(path)
