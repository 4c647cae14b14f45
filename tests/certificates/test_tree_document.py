"""Trees of a document."""

from __future__ import annotations

from fractions import Fraction

from hadaropt.certificates import coq_tree
from hadaropt.certificates.tree_document import Decision, parse_tree
from tests.certificates.samples import branched, crowd, with_tree


def test_the_parsed_tree_lists_its_numbers_and_names_its_decisions() -> None:
    instance, tree = crowd(3, 2), branched()
    tree["price_vectors"] = [[{"round": 0, "type": "V100", "price": "1/9"}]]
    del tree["nodes"][2]["bound"]
    parsed = parse_tree(instance, with_tree(instance, tree, Fraction(14)))
    assert sorted(parsed.numbers()) == sorted(Fraction(x) for x in ("1/9", 10, 4, 14, 10, 4))
    assert parsed.order == (0, 1, 2)
    assert parsed.branches == {0: (Decision("completion", 0, 0, 0), 1, 2)}
    assert coq_tree.decision_term(Decision("completion", 1, 2, 0)) == "(Completes 1%nat 2%nat)"
    assert coq_tree.decision_term(Decision("progress", 1, 2, 3)) == "(Progresses 1%nat 2%nat 3)"
    held = "(Holds 1%nat 2%nat None 0%nat 3)"
    assert coq_tree.decision_term(Decision("held", 1, 2, 3, (0,))) == held
    held = "(Holds 1%nat 2%nat (Some 4%nat) 0%nat 3)"
    assert coq_tree.decision_term(Decision("held", 1, 2, 3, (4, 0))) == held
