"""No text of a certificate or an instance reaches a Coq file: only integers do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import pytest

from hadaropt import Cluster, Instance, Job, run_online
from hadaropt.certificates import Certificate, certify
from hadaropt.certificates.coq import coq_terms, export_coq
from hadaropt.certificates.format import certificate_from_document, certificate_to_document
from hadaropt.errors import CertificateError, OtherInstanceError, ScheduleError
from hadaropt.policies import PrimalDual
from hadaropt.utility import Linear
from tests.certificates.samples import crowd, true_documents

Json = dict[str, Any]
POISON = 'x *) Notation "check_l1 i c" := true (* x'
WORDS = {
    "parallelism num_rounds num_nodes num_types capacity round_seconds consolidation_seconds jobs",
    "release gang_size iterations throughput spread_factor max_copies utility nat",
    "SingleType Mixed Forked PerType PerNode Idle Gang Copies cells true false None Some",
    "per_type per_node pairs triples rows",
    "Priced Leaf Branch NoHint Coarse Fine Completes Progresses Holds cut_node cut_terms",
    "cut_sets rhs",
    "l1_prices l1_price_unit l1_divisors l1_payoffs l1_unit l1_bound",
    "l2_prices l2_cuts l2_divisors l2_worths l2_unit l2_trees l2_bound",
    "run_tables run_kinds run_places run_unit run_payoffs",
    "run_t1 run_t2 run_t run_density run_additive",
    "table_prices table_charges kind_table kind_cap kind_bundle",
    "unit_node unit_type unit_constant unit_best",
}
CONSTRUCTORS = "|".join(sorted(" ".join(WORDS).split(), key=len)[::-1])
TOKENS = re.compile(r"0x0[0-9abc]*%digits|[\s0-9(){}|;:=,%\[\]-]|" + CONSTRUCTORS)


def only_tokens(text: str) -> bool:
    return not TOKENS.sub("", text)


def strings_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every string, keys of objects included (as paths that end in "key")."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key, "key")
            yield from strings_in(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from strings_in(item, (*path, i))


def poisoned(document: Json, path: tuple[Any, ...]) -> Json:
    document = json.loads(json.dumps(document))
    place: Any = document
    key = path[-1] == "key"
    for step in path[: -2 if key else -1]:
        place = place[step]
    if key:
        place[POISON] = place.pop(path[-2])
    else:
        place[path[-1]] = POISON
    return document


PLANTS = [
    (name, path)
    for name, (_, document) in true_documents().items()
    if name != "L0"
    for path in strings_in({**document, "theorem": {"id": "T7", "constant": "1"}})
]


@pytest.mark.parametrize(("name", "path"), PLANTS, ids=str)
def test_text_in_any_field_is_refused_or_never_exported(name: str, path: tuple[Any, ...]) -> None:
    instance, document = true_documents()[name]
    document = {**document, "theorem": {"id": "T7", "constant": "1"}}
    try:
        claim = certificate_from_document(poisoned(document, path), instance)
        text = export_coq(instance, claim)
    except (CertificateError, ScheduleError):
        return
    assert path[0] in ("theorem", "tree")  # the theorem is no part of the proof; cuts hold remarks
    assert 'Notation "check' not in text
    assert text == export_coq(instance, certificate_from_document(document, instance))


@pytest.mark.parametrize("name", ["L1", "L1 by node", "L2", "L2 on GPUs"])
def test_terms_hold_nothing_but_integers_and_constructors(name: str) -> None:
    instance, document = true_documents()[name]
    found = coq_terms(instance, certificate_from_document(document, instance))
    for text in (found.instance, found.certificate, found.schedule):
        assert only_tokens(text)
    assert not only_tokens(found.instance + "Notation")


def run_document() -> tuple[Instance, Json]:
    """A run whose prices are posted, with charges of its own."""
    instance = crowd(3)
    made = certify(instance, run_online(instance, PrimalDual("telescoped")), posted=True)
    assert made.posted is not None
    return instance, certificate_to_document(instance, made)


RUN_PLANTS = [path for path in strings_in(run_document()[1]) if path[0] in ("posted", "theorem")]


@pytest.mark.parametrize("path", RUN_PLANTS, ids=str)
def test_text_in_the_prices_of_a_run_is_refused(path: tuple[Any, ...]) -> None:
    instance, document = run_document()
    with pytest.raises(CertificateError):
        export_coq(instance, certificate_from_document(poisoned(document, path), instance))


def test_terms_of_runs_hold_nothing_but_integers_and_constructors() -> None:
    instance, document = run_document()
    found = coq_terms(instance, certificate_from_document(document, instance))
    assert found.run is not None
    assert only_tokens(found.run)


def test_the_hash_is_compared_before_anything_else() -> None:
    instance, document = true_documents()["L1"]
    good = certificate_from_document(document, instance)
    for sha in (POISON, "0" * 64, ""):
        for claim in (
            replace(good, instance_sha256=sha),
            replace(good, instance_sha256=sha, level=POISON),
        ):
            with pytest.raises(OtherInstanceError):
                export_coq(instance, claim)
    with pytest.raises(CertificateError, match="parallelism"):
        export_coq(instance, replace(good, parallelism=POISON))


def test_names_of_the_instance_are_not_exported() -> None:
    cluster = Cluster.of({POISON: {POISON: 1}, "n": {"V100": 1}})
    jobs = (Job(POISON, 0, 1, 3, {POISON: 1, "V100": 2}, Linear(9, 1)),)
    instance = Instance(cluster, jobs, 3, 1, name=POISON)
    text = export_coq(instance, certify(instance, {(0, 0): Fraction(1)}))
    assert POISON not in text


@pytest.mark.parametrize("field", [f.name for f in fields(Certificate)])
def test_certificates_built_by_hand_hold_no_text_either(field: str) -> None:
    instance, document = true_documents()["L1"]
    good = certificate_from_document(document, instance)
    claim = replace(good, **{field: POISON})
    if field in ("slack", "theorem", "tree", "guarantee"):
        assert POISON not in export_coq(instance, claim)
    else:
        with pytest.raises(Exception):  # noqa: B017 - what matters is that nothing is exported
            export_coq(instance, claim)


def test_divisors_are_integers() -> None:
    instance, document = true_documents()["L1"]
    good = certificate_from_document(document, instance)
    with pytest.raises(TypeError, match="only integers"):
        export_coq(instance, good, {"a": POISON})  # type: ignore[dict-item]
