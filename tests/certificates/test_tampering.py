"""Certificates that are tampered with are rejected, each with its reason, never a traceback."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from hadaropt import Instance, verify, write_instance
from hadaropt.certificates import read_certificate
from hadaropt.certificates.format import certificate_from_document
from hadaropt.cli import main
from hadaropt.errors import CertificateError, shown
from tests.certificates.samples import crowd, cut, pair, true_documents

Json = dict[str, Any]
TRUE = true_documents()
Change = Callable[[Json], None]


def put(*path: Any, value: Any) -> Change:
    """Return a change that sets the value at a path."""

    def change(document: Json) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return change


def drop(*path: Any) -> Change:
    def change(document: Json) -> None:
        for step in path[:-1]:
            document = document[step]
        del document[path[-1]]

    return change


def add(*path: Any, value: str) -> Change:
    """Return a change that adds to the number at a path."""

    def change(document: Json) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = str(Fraction(document[path[-1]]) + Fraction(value))

    return change


def both(*changes: Change) -> Change:
    def change(document: Json) -> None:
        for one in changes:
            one(document)

    return change


def deep(depth: int) -> Any:
    value: Any = "1"
    for _ in range(depth):
        value = [value]
    return value


tree, leaf = ("tree", "nodes"), ("tree", "nodes", 1)
leaf_cut = (*leaf, "cuts", 0)

REJECTED: list[tuple[str, Change, str, str]] = [
    # claims that are not true
    ("L0", put("value", value="127"), "value", "must be 253/2, the exact value"),
    ("L1", put("value", value="126"), "value", "must be 253/2"),
    ("L2", put("value", value="15"), "value", "must be 14"),
    ("L1", add("bound", value="-1/1000000"), "bound", "must be "),
    ("L1", add("bound", value="1"), "bound", "the sum of the payoffs"),
    ("L1 by node", add("bound", value="-1"), "bound", "the sum of the payoffs"),
    ("L2", put("bound", value="13"), "bound", "must be 14, the largest"),
    ("L2", put("bound", value="15"), "bound", "must be 14"),
    ("L1", put("upper_payoffs", value={}), "upper_payoffs.a", "must be at least "),
    ("L1", add("upper_payoffs", "a", value="-1/9"), "upper_payoffs.a", "must be at least "),
    ("L1", both(add("upper_payoffs", "a", value="-1"), add("bound", value="-1")),
     "upper_payoffs.a", "payoff of its best schedule"),
    ("L1", put("slack", value="-1"), "slack", "must be at least 0"),
    ("L1", both(add("upper_payoffs", "a", value="5"), add("bound", value="5"),
                put("slack", value="4")), "slack", "must be at least 5"),
    # prices
    ("L1", put("prices", 0, "price", value="-1/2"), "prices[0].price", "must be >= 0"),
    ("L1", add("prices", 0, "price", value="1"), "bound", "must be "),
    ("L1", drop("prices", 1), "upper_payoffs.a", "must be at least "),
    ("L1", put("prices", 1, "type", value="K80"), "prices[1].type", "is not in the instance"),
    ("L1", put("prices", 1, "round", value=6), "prices[1].round", "must be <= 5"),
    ("L1", put("prices", 1, "round", value=-1), "prices[1].round", "must be >= 0"),
    ("L1", put("prices", 1, "round", value="1/2"), "prices[1].round", "must be an integer"),
    ("L1", put("prices", 1, "node", value="n0"), "prices[1].node", "is an unknown field"),
    ("L1", drop("prices", 1, "type"), "prices[1].type", "is missing"),
    ("L1 by node", put("prices", 0, "node", value="n9"), "prices[0].node", "is not in the inst"),
    ("L1 by node", drop("prices", 0, "node"), "prices[0].node", "is missing"),
    ("L1", put("prices", 1, value={"round": 0, "type": "V100", "price": "9"}), "prices[1]",
     "must price each place once"),
    ("L1", put("prices", value={}), "prices", "must be a list"),
    ("L1", put("prices", 0, value=3), "prices[0]", "must be an object"),
    ("L1", put("prices", 1, "type", value=["V100"]), "prices[1].type", "must be a string"),
    ("L1 by node", put("prices", 0, "node", value={}), "prices[0].node", "must be a string"),
    ("L1", put("pool", value="node"), "prices[0].node", "is missing"),
    ("L1", put("pool", value="rack"), "pool", "must be one of type, node"),
    # numbers
    ("L1", put("bound", value="NaN"), "bound", "must be a"),
    ("L1", put("bound", value=150), "bound", "must be a string"),
    ("L1", put("bound", value=True), "bound", "must be a string"),
    ("L1", put("value", value="1/0"), "value", "must"),
    ("L1", put("value", value="1e9999999"), "value", "must"),
    ("L1", put("bound", value="9" * 100_000), "bound", "must have at most"),
    ("L1", put("prices", 0, "price", value="1/" + "7" * 100_000), "prices[0].price", "at most"),
    ("L1", put("upper_payoffs", "a", value="inf"), "upper_payoffs.a", "must be a"),
    ("L1", put("slack", value="NaN"), "slack", "must be a"),
    ("L1", put("slack", value=[]), "slack", "must be a string"),
    # fields
    ("L1", put("extra", value=1), "extra", "is an unknown field"),
    ("L1", put("upper_payoffs", "z", value="1"), "upper_payoffs.z", "is an unknown field"),
    ("L1", drop("schedule"), "schedule", "is missing"),
    ("L1", drop("value"), "value", "is missing"),
    ("L1", drop("instance_sha256"), "instance_sha256", "is missing"),
    ("L1", drop("format"), "format", "is missing"),
    ("L1", put("format", value="hadaropt-certificate/3"), "format", "is version 3"),
    ("L1", put("format", value="hadaropt-schedule/1"), "format", "must be"),
    ("L1", put("schedule", value=None), "schedule", "must be an object"),
    ("L1", put("theorem", value=[]), "theorem", "must be an object"),
    ("L1", put("upper_payoffs", value=[]), "upper_payoffs", "must be an object"),
    # levels and models
    ("L1", put("level", value="L3"), "level", "must be one of L0, L1, L2"),
    ("L1", put("level", value="L2"), "tree", "must be given at level L2"),
    ("L2", put("level", value="L1"), "tree", "must be given at level L2, and only there"),
    ("L0", put("level", value="L1"), "bound", "must be given at level L1"),
    ("L2", put("tree", value=None), "tree", "must be given at level L2"),
    ("L2", put("tree", value=[]), "tree", "must be an object"),
    ("L1", drop("bound"), "bound", "must be given at level L1"),
    ("L1", put("parallelism", value="forked"), "parallelism", "must be mixed"),
    ("L1", put("parallelism", value=1), "parallelism", "must be a string"),
    # other instances
    ("L1", put("instance_sha256", value="0" * 64), "instance_sha256", "the hash of this instance"),
    ("L1", put("instance_sha256", value=7), "instance_sha256", "must be a string"),
    ("L1", put("schedule", "instance_sha256", value="0" * 64), "schedule", "is refused"),
    # schedules
    ("L1", put("schedule", "jobs", 0, "rounds", 0, "gpus", "n0", "V100", value=3), "schedule",
     "is refused"),
    ("L1", drop("schedule", "jobs", 0, "rounds", 0), "schedule", "is refused"),
    ("L1", put("schedule", "jobs", 0, "completion", value=1), "schedule", "is refused"),
    ("L1", put("schedule", "objective", value="200"), "schedule", "is refused"),
    ("L1", put("schedule", "jobs", 1, "rounds", 0, "gpus", value={"n0": {"V100": 2}}), "schedule",
     "is refused"),
    # trees
    ("L2", drop(*leaf, "cuts"), "tree.nodes[1].bound", "must be at least 30"),
    ("L2", put(*leaf, "bound", value="13"), "tree.nodes[1].bound", "must be at least 14"),
    ("L2", drop(*leaf, "bound"), "tree.nodes[1].bound", "must be at least 14"),
    ("L2", put(*leaf, "bound", value="NaN"), "tree.nodes[1].bound", "must be a"),
    ("L2", put(*leaf, "extra", value=1), "tree.nodes[1].extra", "is an unknown field"),
    ("L2", put(*leaf, value=7), "tree.nodes[1]", "must be an object"),
    ("L2", put(*leaf, "prices", value=1), "tree.nodes[1].prices", "must be <= 0"),
    ("L2", put(*leaf_cut, "price", value="-1/2"), "tree.nodes[1].cuts[0].price", "must be >= 0"),
    ("L2", put(*leaf_cut, "price", value="9"), "tree.nodes[1].bound", "must be at least 16"),
    ("L2", put(*leaf_cut, "rhs", value=0), "cut 0 of the tree", "some reach 1"),
    ("L2", put(*leaf_cut, "rhs", value=-1), "tree.nodes[1].cuts[0].rhs", "must be >= 0"),
    ("L2", put(*leaf_cut, "coefficients", "a", value=2), "cut 0 of the tree", "some reach 2"),
    ("L2", put(*leaf_cut, "coefficients", "a", value=-1), "tree.nodes[1].cuts[0].coefficients.a",
     "must be >= 0"),
    ("L2", put(*leaf_cut, "coefficients", "z", value=1), "tree.nodes[1].cuts[0].coefficients.z",
     "is not a job"),
    ("L2", put(*leaf_cut, "coefficients", value=[]), "tree.nodes[1].cuts[0].coefficients",
     "must be an object"),
    ("L2", put(*leaf_cut, "types", value=["K80"]), "tree.nodes[1].cuts[0].types[0]", "is not in"),
    ("L2", put(*leaf_cut, "types", value="V100"), "tree.nodes[1].cuts[0].types", "must be a list"),
    ("L2", put(*leaf_cut, "types", value=[["V100"]]), "tree.nodes[1].cuts[0].types[0]",
     "must be a string"),
    ("L2", put(*leaf_cut, "round", value=2), "tree.nodes[1].cuts[0].round", "must be <= 1"),
    ("L2", put(*leaf_cut, value=[]), "tree.nodes[1].cuts[0]", "must be an object"),
    ("L2", put(*leaf_cut, "more_terms", value={}), "tree.nodes[1].cuts[0].more_terms",
     "must be a list"),
    ("L2", put(*leaf_cut, "more_terms", value=[1]), "tree.nodes[1].cuts[0].more_terms[0]",
     "must be an object"),
    ("L2", put(*leaf_cut, "more_terms", value=[{"types": ["V100"]}]),
     "tree.nodes[1].cuts[0].more_terms[0].coefficients", "is missing"),
    ("L2", put(*leaf_cut, "more_terms", value=[{"types": ["K80"], "coefficients": {}}]),
     "tree.nodes[1].cuts[0].more_terms[0].types[0]", "is not in the instance"),
    ("L2", put(*leaf_cut, "more_terms", value=[{"types": ["V100"], "coefficients": {"b": 1}}]),
     "cut 0 of the tree", "some reach 2 > 1"),
    ("L2", put(*leaf, "cuts", value={}), "tree.nodes[1].cuts", "must be a list"),
    ("L2", drop(*tree, 2), "tree.nodes[2]", "is missing"),
    ("L2", put(*tree, value=[]), "tree.nodes[0]", "is missing"),
    ("L2", put(*tree, value={}), "tree.nodes", "must be a list"),
    ("L2", put(*tree, 0, "no", value=1), "tree.nodes[0]", "must not lead to node 1 again"),
    ("L2", put(*tree, 0, "yes", value=0), "tree.nodes[0]", "must not lead to node 0 again"),
    ("L2", put(*tree, 0, "yes", value=-1), "tree.nodes[0].yes", "must be >= 0"),
    ("L2", drop(*tree, 0, "yes"), "tree.nodes[0].yes", "is missing"),
    ("L2", put(*tree, 0, value={"prices": 0, "bound": "100"}), "tree.nodes[1]",
     "must be reachable"),
    ("L2", put(*tree, 0, "branch", "job", value="z"), "tree.nodes[0].branch.job", "is not a job"),
    ("L2", put(*tree, 0, "branch", "job", value=["a"]), "tree.nodes[0].branch.job",
     "must be a string"),
    ("L2", put(*tree, 0, "branch", "kind", value="luck"), "tree.nodes[0].branch.kind",
     "must be completion, progress or held"),
    ("L2", put(*tree, 0, "branch", value="a"), "tree.nodes[0].branch.kind", "must be completion"),
    ("L2", put(*tree, 0, "branch", "round", value=2), "tree.nodes[0].branch.round", "must be <= 1"),
    ("L2", put(*tree, 0, "branch", "at_least", value=1), "tree.nodes[0].branch.at_least",
     "is an unknown field"),
    ("L2", put(*tree, 0, "branch", "kind", value="progress"), "tree.nodes[0].branch.at_least",
     "is missing"),
    ("L2", put(*tree, 0, "branch", value={"job": "a", "kind": "held", "round": 0, "at_least": 1,
                                         "type": ["V100"]}),
     "tree.nodes[0].branch.type", "must be a string"),
    ("L2", put(*tree, 0, "branch", value={"job": "a", "kind": "held", "round": 0, "at_least": 1,
                                         "type": "K80"}),
     "tree.nodes[0].branch.type", "is not in the instance"),
    ("L2", put(*tree, 0, "branch", value={"job": "a", "kind": "held", "round": 0, "at_least": 1}),
     "tree.nodes[0].branch.type", "is missing"),
    ("L2", put("tree", "price_vectors", value=[]), "tree.nodes[1].prices", "must be <= -1"),
    ("L2", put("tree", "price_vectors", 0, value=[{"round": 0, "type": "V100", "price": "-1"}]),
     "tree.price_vectors[0][0].price", "must be >= 0"),
    ("L2", put("tree", "price_vectors", value={}), "tree.price_vectors", "must be a list"),
    ("L2", put("tree", "price_vectors", 0, value={}), "tree.price_vectors[0]", "must be a list"),
    ("L2", put("tree", "extra", value=1), "tree.extra", "is an unknown field"),
    ("L2", drop("tree", "nodes"), "tree.nodes", "is missing"),
    # nesting inside fields that may hold anything
    ("L1", put("bound", value=deep(50)), "bound", "must be a string"),
    ("L1", put("schedule", "jobs", value=deep(50)), "schedule", "is refused"),
    ("L2", put(*tree, 0, "branch", "job", value=deep(50)), "tree.nodes[0].branch.job",
     "must be a string"),
]  # fmt: skip


ABSENT = object()


def value_at(document: Any, path: str) -> Any:
    """Return what stands at a path such as ``tree.nodes[1].bound``, or ABSENT."""
    for step in re.findall(r"[^.\[\]]+", path):
        try:
            document = document[int(step) if isinstance(document, list) else step]
        except (KeyError, IndexError, TypeError, ValueError):
            return ABSENT
    return document


def tampered(level: str, change: Change) -> tuple[Instance, Json]:
    instance, document = TRUE[level]
    document = json.loads(json.dumps(document))
    change(document)
    return instance, document


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        assert isinstance(stop.value.code, int)
        return (stop.value.code, *capsys.readouterr())

    return call


@pytest.mark.parametrize("level", TRUE)
def test_the_true_ones_are_accepted(level: str) -> None:
    instance, document = TRUE[level]
    found = verify(instance, certificate_from_document(document, instance))
    assert found.level == level[:2]
    assert found.value == {"L2": 14}.get(level[:2], Fraction(253, 2))


@pytest.mark.parametrize(("level", "change", "path", "rule"), REJECTED)
def test_every_change_is_rejected_at_its_place(
    level: str, change: Change, path: str, rule: str
) -> None:
    instance, document = tampered(level, change)
    with pytest.raises(CertificateError) as rejection:
        verify(instance, certificate_from_document(document, instance))
    assert rejection.value.path == path
    assert rule in str(rejection.value)
    found = value_at(document, path)
    silent = (
        "is an unknown field",
        "is missing",
        "must price each",
        "must not lead",
        "must be reach",
    )
    if found is ABSENT or rejection.value.rule.startswith(silent) or path == "tree":
        return
    if rejection.value.rule.startswith("is not a job") and not isinstance(found, str):
        assert rejection.value.value == shown(path.rpartition(".")[2])
    elif isinstance(found, dict | list):
        assert rejection.value.value in (None, shown(found))
    else:
        null = found is None and rejection.value.value == "null"
        assert null or rejection.value.value in (shown(found), str(found))


@pytest.mark.parametrize(("level", "change", "path", "rule"), REJECTED)
def test_the_command_rejects_in_one_line(
    level: str, change: Change, path: str, rule: str, tmp_path: Path, run: Any
) -> None:
    instance, document = tampered(level, change)
    source, file = tmp_path / "i.json", tmp_path / "c.json"
    write_instance(instance, source)
    file.write_text(json.dumps(document))
    code, out, err = run("verify", source, file)
    said = out + err
    assert code in (1, 4)
    assert "Traceback" not in said and len(said.splitlines()) <= 2
    assert said.startswith(("rejected  ", "hadaropt: error: "))
    assert path in said


ACCEPTED: list[tuple[str, Change]] = [
    ("L1", both(add("upper_payoffs", "a", value="5"), add("bound", value="5"),
                put("slack", value="5"))),
    ("L1", both(put("upper_payoffs", "c", value="1"), add("bound", value="1"),
                put("slack", value="1"))),
    ("L1", put("slack", value="1000")),
    ("L2", put(*leaf, "bound", value="14")),
    ("L1", put("theorem", value={"id": "T99"})),
    ("L1", lambda document: document["prices"].append(
        {"round": 4, "type": "P100", "price": "0"})),
    ("L2", both(put(*leaf_cut, "cover", value=["a", "b"]),
                put(*leaf_cut, "lifting_order", value=["c"]))),
]  # fmt: skip


@pytest.mark.parametrize(("level", "change"), ACCEPTED)
def test_claims_larger_than_the_truth_are_valid_bounds(level: str, change: Change) -> None:
    instance, document = tampered(level, change)
    found = verify(instance, certificate_from_document(document, instance))
    assert found.bound is not None and found.bound >= found.value
    assert found.bound == Fraction(document["bound"])


def test_the_slack_reported_is_the_proven_one_not_the_claimed() -> None:
    changes = both(add("upper_payoffs", "a", value="5"), add("bound", value="5"),
                   put("slack", value="1000"))  # fmt: skip
    instance, document = tampered("L1", changes)
    assert verify(instance, certificate_from_document(document, instance)).slack == 5


def test_a_leaf_may_claim_more_and_the_bound_follows() -> None:
    changes = both(put(*leaf, "bound", value="35/2"), put("bound", value="16"))
    instance, document = tampered("L2", changes)
    assert verify(instance, certificate_from_document(document, instance)).bound == 16


@pytest.mark.parametrize(
    ("other", "level"),
    [
        (pair(num_rounds=7), "L1"),
        (pair(parallelism="single_type"), "L1"),
        (crowd(4, 2), "L2"),
        (pair(round_seconds=361), "L0"),
    ],
)
def test_another_instance_is_rejected(other: Instance, level: str) -> None:
    document = TRUE[level][1]
    reason = "as in the instance" if other.parallelism != "mixed" else "hash of this instance"
    with pytest.raises(CertificateError, match=reason):
        verify(other, certificate_from_document(document, other))


@pytest.mark.parametrize("level", TRUE)
def test_every_truncation_is_refused(level: str, tmp_path: Path) -> None:
    instance, document = TRUE[level]
    text, file = json.dumps(document), tmp_path / "c.json"
    for length in range(0, len(text), max(1, len(text) // 60)):
        file.write_text(text[:length])
        with pytest.raises(CertificateError, match=r"is not valid JSON|must be a JSON object"):
            read_certificate(file, instance)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"format": "hadaropt-certificate/1", "bound": NaN}', "finite numbers"),
        ('{"format": "hadaropt-certificate/1", "bound": -Infinity}', "finite numbers"),
        ('{"level": "L0", "level": "L1"}', '"level" twice'),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("[]", "must be a JSON object"),
        ("\x00", "is not valid JSON"),
        ("", "is not valid JSON"),
        ('{"level": "\\ud800"}', "half a character"),
    ],
)
def test_text_that_is_no_document_is_refused(
    text: str, reason: str, tmp_path: Path, run: Any
) -> None:
    source, file = tmp_path / "i.json", tmp_path / "c.json"
    write_instance(pair(), source)
    file.write_text(text)
    with pytest.raises(CertificateError, match=reason):
        read_certificate(file, pair())
    code, out, err = run("verify", source, file)
    assert (code, out) == (4, "")
    assert reason in err and len(err.splitlines()) == 1


def test_a_duplicate_key_deep_inside_is_refused(tmp_path: Path) -> None:
    instance, document = TRUE["L1"]
    file = tmp_path / "c.json"
    file.write_text(json.dumps(document).replace('"a": "', '"a": "0", "a": "', 1))
    with pytest.raises(CertificateError, match='"a" twice'):
        read_certificate(file, instance)


def test_cut_values_beyond_what_can_be_checked_are_refused() -> None:
    huge = 1_000_001
    for coefficients in (dict.fromkeys("abc", huge), {"a": 1, "b": huge, "c": 1}):
        entry = {**cut(), "coefficients": coefficients}
        instance, document = tampered("L2", put(*leaf, "cuts", value=[entry]))
        with pytest.raises(CertificateError, match="must have coefficients <= 1000000"):
            verify(instance, certificate_from_document(document, instance))
