"""Nodes of the tree: the limits of both branches, and the document of a certificate."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hadaropt.offline.colgen.column_generation import Proof
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.colgen.pricing_problem import Limits, Pricing
from hadaropt.offline.tree.nodes import Decision, Node, restrict, tree_document
from tests.offline.support import duel


def setting() -> tuple[Space, Pricing, Limits]:
    space = Space.of(duel())
    pricing = Pricing(space, 1)
    return space, pricing, pricing.no_limits()


def test_a_completion_round_limits_one_branch_from_above_and_one_from_below() -> None:
    space, pricing, limits = setting()
    base = pricing.round_at.tolist()
    yes = restrict(space, limits, base, Decision("completion", 1, 0), True)
    no = restrict(space, limits, base, Decision("completion", 1, 0), False)
    assert yes.must[1] and yes.end[1] == 0 and not no.must[1] and no.begin[1] == 1
    assert not limits.must.any() and limits.begin[1] == 0  # those of the parent stay


def test_progress_in_a_round_limits_its_options() -> None:
    space, pricing, limits = setting()
    base = pricing.round_at.tolist()
    yes = restrict(space, limits, base, Decision("progress", 0, 1, 1), True)
    no = restrict(space, limits, base, Decision("progress", 0, 1, 1), False)
    assert yes.low[base[0] + 1] == 1 and yes.begin[0] == 1
    assert no.high[base[0] + 1] == 0 and no.begin[0] == 0


def test_gpus_of_a_cell_limit_what_a_job_holds_there() -> None:
    space, pricing, limits = setting()
    base = pricing.round_at.tolist()
    decision = Decision("held", 0, 0, 1, 0)
    yes = restrict(space, limits, base, decision, True)
    no = restrict(space, limits, base, decision, False)
    assert yes.cells[0, 0] == {0: (1, 1)} and no.cells[0, 0] == {0: (0, 0)}
    assert limits.cells == {}


@pytest.mark.parametrize("bound", [None, Fraction(5)])
def test_the_document_lists_branches_and_leaves_with_shared_prices(bound: Fraction | None) -> None:
    space, pricing, limits = setting()
    base = pricing.round_at.tolist()
    prices = np.array([[1], [0]], np.int64)
    root = Node(0, limits, Proof(prices, (), 2, Fraction(7)))
    decision = Decision("completion", 0, 0)
    root.yes = Node(1, restrict(space, limits, base, decision, True), root.proof, 1)
    other = Proof(prices.copy(), (), 2, bound)
    root.no = Node(2, restrict(space, limits, base, decision, False), other, 1)
    root.decision = decision
    document = tree_document(space, [], root)
    branch = {"job": "a", "kind": "completion", "round": 0}
    assert document["price_vectors"] == [[{"round": 0, "type": "V100", "price": "1/2"}]]
    assert document["nodes"] == [
        {"branch": branch, "yes": 1, "no": 2},
        {"prices": 0, "cuts": [], "bound": "7"},
        {"prices": 0, "cuts": [], "bound": "0" if bound is None else "5"},
    ]
    assert root.no.order() == (-1 if bound is None else 5)
