"""A claim as definitions for Coq."""

from __future__ import annotations

from hadaropt.certificates.coq_claim import Claim


def test_a_claim_is_one_term_or_many_definitions() -> None:
    parts = {"prices_1": ("priced", "P [1; 2]"), "leaf_10": ("tree", "Leaf 0 [(1, 2, 3)]")}
    claim = Claim("T [prices_1] (Branch leaf_10 leaf_10) [1; 2]", parts)
    leaf = "(Leaf 0 [(1, 2, 3)])"
    assert claim.inline == f"T [(P [1; 2])] (Branch {leaf} {leaf}) [1; 2]"
    assert claim.definitions("c", "l2").splitlines() == [
        "Definition prices_1 : priced := P [1; 2].",
        "Definition leaf_10 : tree := Leaf 0 [(1, 2, 3)].",
        "Definition c : l2 := T [prices_1] (Branch leaf_10 leaf_10) [1; 2].",
    ]
    assert Claim("[4; 5]").definitions("c", "l1") == "Definition c : l1 := [4; 5].\n"
