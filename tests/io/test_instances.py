"""Files: every way to be wrong is refused by name, and what is right survives the round trip."""

from __future__ import annotations

import copy
import gzip
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.io import (
    canonical_instance,
    instance_from_document,
    instance_sha256,
    instance_to_document,
    read_instance,
    write_instance,
)
from tests import oracle
from tests.instances_strategy import scaled, tiny_instances, to_text
from tests.io.documents import EXAMPLE, J0, MISSING, Path_, changed, refused
from tests.oracle import Json

U0: Path_ = ("jobs", 0, "utility")
BAD: list[tuple[Path_, Any, str]] = [
    # format
    (("format",), "hadaropt-instance/2", 'format = "hadaropt-instance/2", is version 2, but'),
    (("format",), "hadaropt-schedule/1", 'must be "hadaropt-instance/1"'),
    (("format",), 1, 'must be "hadaropt-instance/1"'),
    (("format",), MISSING, "format, is missing"),
    # missing and unknown fields, at each level
    *[
        ((name,), MISSING, f"{name}, is missing")
        for name in ("round_seconds", "num_rounds", "accelerators", "nodes", "jobs")
    ],
    *[
        ((*J0, name), MISSING, f"jobs[0].{name}, is missing")
        for name in ("name", "release", "gang_size", "iterations", "throughput", "utility")
    ],
    (("nodes", 1, "name"), MISSING, "nodes[1].name, is missing"),
    (("nodes", 1, "gpus"), MISSING, "nodes[1].gpus, is missing"),
    ((*U0, "kind"), MISSING, "jobs[0].utility.kind, is missing"),
    ((*U0, "decay"), MISSING, "jobs[0].utility.decay, is missing"),
    (("horizon",), 3, "horizon, is an unknown field"),
    ((*J0, "weight"), 3, "jobs[0].weight, is an unknown field"),
    (("nodes", 0, "rack"), "r", "nodes[0].rack, is an unknown field"),
    ((*U0, "deadline"), 3, "jobs[0].utility.deadline, is an unknown field"),
    (("nodes", 0, "gpus", "T4"), 1, "nodes[0].gpus.T4, is an unknown field"),
    ((*J0, "throughput", "T4"), 1, "jobs[0].throughput.T4, is an unknown field"),
    ((*J0, "throughput", "T4"), 0, "jobs[0].throughput.T4, is an unknown field"),
    # duplicate names
    (("jobs", 1, "name"), "a", 'jobs[1].name = "a", is a duplicate of jobs[0].name'),
    (("nodes", 1, "name"), "n0", 'nodes[1].name = "n0", is a duplicate of nodes[0].name'),
    (("accelerators", 2), "V100", 'accelerators[2] = "V100", is a duplicate of accelerators[0]'),
    # NaN and infinite, as text
    *[
        ((*J0, "throughput", "V100"), text, "jobs[0].throughput.V100 = ")
        for text in ("NaN", "inf", "-Infinity")
    ],
    # negative
    ((*J0, "release"), -1, "jobs[0].release = -1, must be >= 0"),
    ((*J0, "throughput", "V100"), Decimal("-0.1"), "jobs[0].throughput.V100 = -1/10, must be >= 0"),
    (("nodes", 0, "gpus", "V100"), -1, "nodes[0].gpus.V100 = -1, must be >= 0"),
    (("consolidation_seconds",), -1, "consolidation_seconds = -1, must be >= 0"),
    (("round_seconds",), -1, "round_seconds = -1, must be > 0"),
    (("round_seconds",), 0, "round_seconds = 0, must be > 0"),
    # too small, or out of range
    ((*J0, "gang_size"), 0, "jobs[0].gang_size = 0, must be >= 1"),
    ((*J0, "iterations"), 0, "jobs[0].iterations = 0, must be >= 1"),
    (("num_rounds",), 0, "num_rounds = 0, must be >= 1"),
    ((*J0, "max_copies"), 0, "jobs[0].max_copies = 0, must be >= 1"),
    ((*J0, "spread_factor"), 0, "jobs[0].spread_factor = 0, must be > 0 and <= 1"),
    ((*J0, "spread_factor"), "3/2", "jobs[0].spread_factor = 3/2, must be > 0 and <= 1"),
    (("nodes",), [], "nodes = [], must have at least one node"),
    (("parallelism",), "Mixed", 'parallelism = "Mixed", must be one of single_type, mixed, forked'),
    # fractions where integers are meant
    ((*J0, "release"), Decimal("0.5"), "jobs[0].release = 1/2, must be an integer"),
    ((*J0, "gang_size"), "3/2", "jobs[0].gang_size = 3/2, must be an integer"),
    (("nodes", 0, "gpus", "V100"), Decimal("1.5"), "nodes[0].gpus.V100 = 3/2, must be an integer"),
    # utilities
    (U0, {"kind": "cubic"}, "jobs[0].utility.kind = "),
    ((*U0, "peak"), -1, "jobs[0].utility.peak = -1, must be >= 0"),
    ((*U0, "decay"), -1, "jobs[0].utility.decay = -1, must be >= 0"),  # would increase
    (
        U0,
        {"kind": "sigmoid", "peak": 1, "steepness": -1, "deadline": 1},
        "jobs[0].utility.steepness = -1, must be >= 0",
    ),
    (
        U0,
        {"kind": "table", "values": [1, 2]},
        "jobs[0].utility.values[1] = 2, must not increase (values[0] = 1)",
    ),
    (U0, {"kind": "table", "values": [-1]}, "jobs[0].utility.values[0] = -1, must be >= 0"),
    (U0, {"kind": "table", "values": 3}, "jobs[0].utility.values = "),
    (U0, {"kind": "table"}, "jobs[0].utility.values, is missing"),
    # overflow
    ((*J0, "gang_size"), 2**31, "jobs[0].gang_size = 2147483648, must be <= 2147483647 (overflow)"),
    ((*J0, "iterations"), 2**63, "jobs[0].iterations = 9223372036854775808, must be <="),
    ((*J0, "release"), 2**31, "(overflow)"),
    (("num_rounds",), 2**31, "(overflow)"),
    (("nodes", 0, "gpus", "V100"), 2**31, "(overflow)"),
    (("round_seconds",), Decimal("1e999"), "must have an exponent within +-400"),
    (("round_seconds",), "9" * 401, "must have at most 400 digits"),
    (("round_seconds",), "1e400", "must have at most 400 digits"),
    # the grammar
    *[
        ((*J0, "throughput", "V100"), text, "jobs[0].throughput.V100 = ")
        for text in ("", " 1", "1 ", "1_0", "0x1", "1.", ".5", "1/-2", "1/2/3", "1.5/2", "٤", "½")
    ],
    ((*J0, "throughput", "V100"), "1/0", "must have a non-zero denominator"),
    # wrong kinds of values
    ((*J0, "release"), True, "jobs[0].release = True, must be a number"),
    ((*J0, "release"), None, "jobs[0].release = None, must be a number"),
    ((*J0, "release"), [1], "jobs[0].release = "),
    ((*J0, "max_copies"), None, "jobs[0].max_copies = null, must be a number"),
    ((*J0, "name"), 3, "must be a string"),
    ((*J0, "name"), "", "must be a non-empty string"),
    ((*J0, "throughput"), [], "jobs[0].throughput = [], must be an object"),
    (U0, None, "jobs[0].utility = None, must be an object"),
    (J0, 1, "must be an object"),
    (("jobs",), {}, "jobs = {}, must be a list"),
    (("nodes", 0), [], "nodes[0] = [], must be an object"),
    (("accelerators", 0), 3, "must be a string"),
    (("parallelism",), None, "parallelism = None, must be a string"),
    (("name",), 3, "must be a string"),
]


@pytest.mark.parametrize(("place", "value", "text"), BAD)
def test_bad_input(place: Path_, value: Any, text: str, tmp_path: Path) -> None:
    document = changed(EXAMPLE, place, value)
    assert text in refused(to_text(document), tmp_path, read_instance)


def test_the_index_of_the_job_is_the_one_in_the_file(tmp_path: Path) -> None:
    document = changed(EXAMPLE, ("jobs", 1, "gang_size"), 0)
    message = refused(to_text(document), tmp_path, read_instance)
    assert message == "jobs[1].gang_size = 0, must be >= 1"


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_instance(tmp_path / "none.json")


# ---------------------------------------------------------------- what is legal


def test_the_example_reads_as_it_is_meant() -> None:
    instance = instance_from_document(EXAMPLE)
    assert instance.name == "tiny"
    assert instance.num_rounds == 12
    assert instance.round_seconds == 360
    assert instance.cluster.capacity == ((2, 0), (0, 2))
    assert instance.throughput == ((Fraction(4), Fraction(3, 2)),) * 2
    assert instance.value(0, 2) == 92


def test_defaults() -> None:
    short = copy.deepcopy(EXAMPLE)
    for name in ("name", "parallelism", "consolidation_seconds"):
        del short[name]
    for job in short["jobs"]:
        del job["spread_factor"], job["max_copies"]
    instance = instance_from_document(short)
    assert (instance.name, instance.parallelism) == ("", "mixed")
    assert instance.consolidation_seconds == 0
    assert instance.jobs[0].spread_factor == 1
    assert instance.with_parallelism("forked").max_copies(0) == 2
    assert instance_sha256(instance) == instance_sha256(instance_from_document(EXAMPLE))


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (("jobs",), [], None),
        ((*J0, "gang_size"), 5, "exceeds"),
        ((*J0, "throughput"), {}, "zero"),
        ((*J0, "throughput"), {"V100": 0, "P100": "0.0"}, "zero"),
        ((*J0, "release"), 12, "horizon"),
        ((*J0, "max_copies"), 9, None),
        ((*U0, "peak"), 0, None),
        (U0, {"kind": "table", "values": []}, None),
        (U0, {"kind": "step", "peak": 1, "deadline": "5/2"}, None),
        (U0, {"kind": "completion", "weight": 1, "horizon": Decimal("2.5")}, None),
        (("consolidation_seconds",), 1000, None),
        (("nodes", 0, "gpus"), {}, None),
    ],
)
def test_legal_oddities(place: Path_, value: Any, reason: str | None) -> None:
    instance = instance_from_document(changed(EXAMPLE, place, value))
    if reason:
        assert reason in str(instance.unschedulable(0))
    elif instance.jobs:
        assert instance.unschedulable(0) is None


# ---------------------------------------------------------------- round trip and identity


@settings(deadline=None, max_examples=200)
@given(tiny_instances(max_scale=1000))
def test_canonical_form_equals_the_oracle(document: Json) -> None:
    instance = instance_from_document(document)
    assert canonical_instance(instance).decode() == oracle.canonical(document)
    assert instance_sha256(instance) == oracle.instance_sha256(document)


@settings(deadline=None, max_examples=100)
@given(document=tiny_instances(max_scale=1000), compressed=st.booleans())
def test_round_trip(
    document: Json, compressed: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("trip")
    path = folder / ("x.json.gz" if compressed else "x.json")
    text = to_text(document, indent=2).encode()
    path.write_bytes(gzip.compress(text) if compressed else text)
    instance = read_instance(path)
    assert instance == instance_from_document(document)
    write_instance(instance, path)
    assert read_instance(path) == instance
    again = path.read_bytes()
    write_instance(read_instance(path), path)
    assert path.read_bytes() == again
    assert [p.name for p in folder.iterdir()] == [path.name]  # no temporary file is left


def respelt(x: Any) -> Any:
    """The same document with fields in reverse order and numbers in another spelling."""
    if isinstance(x, dict):
        return {k: v if k in ("name", "kind") else respelt(v) for k, v in reversed(x.items())}
    if isinstance(x, list):
        return [respelt(v) for v in x]
    try:
        value = oracle.number(x)
    except (TypeError, ValueError):
        return x
    return f"{value.numerator * 7}/{value.denominator * 7}"


@settings(deadline=None, max_examples=100)
@given(document=tiny_instances(), indent=st.sampled_from([None, 0, 3]))
def test_hash_ignores_spelling(
    document: Json, indent: int | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("spelling") / "x.json"
    path.write_text(to_text({**respelt(document), "name": "other"}, indent), encoding="utf-8")
    assert instance_sha256(read_instance(path)) == instance_sha256(instance_from_document(document))


MEANINGS: list[tuple[Path_, Any]] = [
    (("round_seconds",), "361"),
    (("num_rounds",), 13),
    (("parallelism",), "forked"),
    (("consolidation_seconds",), "1/1000"),
    (("accelerators",), ["P100", "V100"]),
    (("accelerators",), ["V100", "P100", "K80"]),
    (("nodes", 0, "name"), "m0"),
    (("nodes", 0, "gpus", "V100"), 3),
    (("nodes", 0, "gpus", "P100"), 1),
    (("nodes",), EXAMPLE["nodes"][::-1]),
    (("jobs",), EXAMPLE["jobs"][::-1]),
    (("jobs",), EXAMPLE["jobs"][:1]),
    ((*J0, "name"), "c"),
    ((*J0, "release"), 1),
    ((*J0, "gang_size"), 1),
    ((*J0, "iterations"), 4001),
    ((*J0, "throughput", "V100"), "4.0000000000000000000001"),
    ((*J0, "throughput", "P100"), 0),
    ((*J0, "spread_factor"), "0.99"),
    ((*J0, "max_copies"), 1),
    ((*U0, "peak"), 101),
    ((*U0, "decay"), "4.01"),
    (U0, {"kind": "step", "peak": 100, "deadline": 4}),
]


def test_every_change_of_meaning_changes_the_hash() -> None:
    hashes = {
        instance_sha256(instance_from_document(changed(EXAMPLE, place, value)))
        for place, value in MEANINGS
    }
    hashes.add(instance_sha256(instance_from_document(EXAMPLE)))
    assert len(hashes) == len(MEANINGS) + 1


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("name",), "another"),
        (("round_seconds",), "720/2"),
        ((*J0, "throughput", "V100"), Decimal("4.000")),
        (("nodes", 0, "gpus", "P100"), 0),
        ((*J0, "max_copies"), MISSING),
        ((*J0, "spread_factor"), MISSING),
        (("consolidation_seconds",), "0/5"),
    ],
)
def test_no_change_of_meaning_keeps_the_hash(place: Path_, value: Any) -> None:
    same = instance_from_document(changed(EXAMPLE, place, value))
    assert instance_sha256(same) == instance_sha256(instance_from_document(EXAMPLE))


def test_document_of_an_instance_is_json() -> None:
    document = instance_to_document(instance_from_document(EXAMPLE))
    assert instance_from_document(json.loads(json.dumps(document))) == instance_from_document(
        EXAMPLE
    )


def test_scaled_literals_keep_their_kind() -> None:
    assert [scaled(x, 3) for x in (2, "1/3", Decimal("0.1"))] == [6, "1", Decimal("0.3")]
