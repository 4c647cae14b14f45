"""A tree that is proved in parts: the same verdicts, and nothing that no part proves."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from hadaropt.certificates import Certificate, coq_parts
from hadaropt.certificates.coq import coq_terms
from hadaropt.certificates.coq_check import judge_parts
from hadaropt.certificates.coq_library import find_coq
from hadaropt.certificates.coq_parts import Files, export_parts, owners
from hadaropt.certificates.tree_document import Tree
from hadaropt.errors import CertificateError, CoqError
from hadaropt.instance import Instance
from tests.certificates.coq_checker import library, needs_coq
from tests.certificates.test_coq_tree import branching, crowd, one_by_one, tree_certificate


@pytest.fixture(scope="module")
def solved() -> tuple[Instance, Certificate]:
    """Three GPUs, gangs of two, two rounds: 10 + 4 is the best, proved at three leaves."""
    instance = crowd(3, 2)
    tree = branching()
    del tree["unused"]
    (root, yes, no), ask = tree["nodes"], {"job": "b", "kind": "completion", "round": 0}
    tree["nodes"] = [root, yes, {"branch": ask, "yes": 3, "no": 4}, no, {**no}]
    best = one_by_one(0, 1, None)
    return instance, tree_certificate(instance, Fraction(14), tree, best)


def exported(instance: Instance, certificate: Certificate, count: int = 2) -> Files:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coq_parts, "LEAST_CELLS", 1)
        files = export_parts(instance, coq_terms(instance, certificate), count)
    assert files is not None
    assert len(files.parts) == count
    return files


def proved(files: Files) -> tuple[str, ...]:
    return judge_parts(find_coq(), library(), files).theorems


def test_every_leaf_belongs_to_one_part_and_neighbours_stay_together() -> None:
    depth = 40  # a path with a leaf at each question
    branches = {2 * i: (("completion", 0, i, 0, ()), 2 * i + 1, 2 * i + 2) for i in range(depth)}
    leaves = dict.fromkeys([*range(1, 2 * depth, 2), 2 * depth])
    tree = Tree((), (), tuple(range(2 * depth + 1)), branches, leaves)  # type: ignore[arg-type]
    owner = owners(tree, 3, dict.fromkeys(leaves, 5))
    parts = [owner[i] for i in sorted(leaves)]
    assert parts == sorted(parts, key=str)
    assert [parts.count(p) for p in range(3)] == [14, 13, 14]
    assert owner[0] is None
    assert owner[2 * depth - 2] == 2
    heavy = owners(tree, 2, {i: depth if i == 1 else 1 for i in leaves})
    assert [heavy[i] for i in sorted(leaves)] == [0] + [1] * depth


def test_small_trees_and_one_core_stay_one_file(solved: tuple[Instance, Certificate]) -> None:
    terms = coq_terms(*solved)
    assert export_parts(solved[0], terms, 8) is None  # few leaves
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coq_parts, "LEAST_CELLS", 1)
        assert export_parts(solved[0], terms, 1) is None


@needs_coq
@pytest.mark.parametrize("count", [2, 3])
def test_parts_prove_what_the_whole_proves(
    solved: tuple[Instance, Certificate], count: int
) -> None:
    files = exported(*solved, count)
    assert proved(files) == ("bound_holds", "value_attained", "optimal")
    assert sum(text.count("Theorem bound_is_tight") for _, text in files.parts) == 1


@needs_coq
def test_a_bad_leaf_in_any_part_is_refused(solved: tuple[Instance, Certificate]) -> None:
    instance, certificate = solved
    files = exported(instance, certificate)
    for p, (name, text) in enumerate(files.parts):
        wrong = re.sub(r"\(Some \d+\)", "(Some 1)", text, count=1)
        assert wrong != text
        parts = tuple((name, wrong) if p == q else part for q, part in enumerate(files.parts))
        with pytest.raises(CertificateError, match="no: the bound does not follow"):
            proved(replace(files, parts=parts))


@needs_coq
def test_a_bound_too_low_or_too_high_is_refused(solved: tuple[Instance, Certificate]) -> None:
    instance, certificate = solved
    assert certificate.bound is not None
    for change, why in ((-1, "does not follow"), (1, "is larger than")):
        bound = certificate.bound + change * instance.value_unit
        with pytest.raises(CertificateError, match=why):
            proved(exported(instance, replace(certificate, bound=bound)))


@needs_coq
def test_what_no_part_proves_is_not_joined(solved: tuple[Instance, Certificate]) -> None:
    instance, certificate = solved
    files = exported(instance, certificate)
    with pytest.raises(CoqError, match="part_1"):
        proved(replace(files, parts=files.parts[:1]))
    assert certificate.bound is not None
    low = replace(certificate, bound=certificate.bound - instance.value_unit)
    with pytest.raises(CoqError, match="under_"):  # a joined file for another bound
        proved(replace(files, last=exported(instance, low).last))
    twice = (files.parts[0], ("part_1", files.parts[0][1]))
    with pytest.raises(CoqError, match="under_"):  # one half, twice
        proved(replace(files, parts=twice))
    name, text = files.last
    swapped = re.sub(r"(\S*under_\d+) (\S*under_\d+)\)", r"\2 \1)", text)
    assert swapped != text
    with pytest.raises(CoqError, match="under_"):  # yes for no
        proved(replace(files, last=(name, swapped)))
