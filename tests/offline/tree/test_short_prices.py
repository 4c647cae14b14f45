"""Prices of leaves have as few bits as still close them, and the tree proves what it did."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hadaropt.certificates import certify, verify
from hadaropt.certificates.tree_document import parse_tree
from hadaropt.generate import generate
from hadaropt.offline.colgen.column_generation import Proof, Relaxation
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.offline.tree.short_prices import BITS, shortened
from tests.offline.support import duel


def test_prices_are_rounded_as_far_as_the_proof_stays_good_enough() -> None:
    space = Space.of(duel())
    relaxation = Relaxation(space)
    limits = relaxation.pricing.no_limits()
    cells = np.full((space.instance.num_rounds, len(space.capacity)), 1 / 3)
    proof = relaxation.prove(cells, np.zeros(0), limits)
    assert proof.bound is not None
    room = proof.bound + Fraction(1, 10)
    short = shortened(relaxation, proof, limits, lambda p: p.bound is not None and p.bound <= room)
    assert short.bound is not None and short.bound <= room
    largest = Fraction(int(short.cells.max()), short.scale)
    unit = Fraction(int(np.gcd.reduce(short.cells, axis=None)), short.scale)
    assert largest / unit <= 2 ** BITS[0]
    assert shortened(relaxation, proof, limits, lambda p: False) is proof
    again = relaxation.prove(short.cells / short.scale, np.zeros(0), limits)
    assert again.bound == short.bound


def test_prices_of_nothing_feasible_and_prices_of_0_stay() -> None:
    space = Space.of(duel())
    relaxation = Relaxation(space)
    limits = relaxation.pricing.no_limits()
    nothing = np.zeros((space.instance.num_rounds, len(space.capacity)), np.int64)
    for bound in (None, Fraction(5)):
        proof = Proof(nothing, (), relaxation.scale, bound)
        assert shortened(relaxation, proof, limits, lambda p: True) is proof


@pytest.mark.parametrize("parallelism", ["mixed", "forked"])
def test_a_solved_tree_has_short_prices_and_verifies(parallelism: str) -> None:
    instance = generate("small_uniform", seed=2, parallelism=parallelism)
    result = branch_and_price(instance)
    certificate = certify(instance, result)
    assert certificate.level == "L2" and certificate.bound == result.value
    assert verify(instance, certificate).bound == result.bound
    tree = parse_tree(instance, certificate)
    short = 0
    for leaf in tree.leaves.values():
        assert leaf.bound is not None
        numbers = [*tree.price_vectors[leaf.prices].values(), *(k for *_, k in leaf.cuts)]
        unit = max((k.denominator for k in numbers), default=1)
        short += all(k * unit < 2 ** BITS[-1] for k in numbers)
    assert 2 * short >= len(tree.leaves)
