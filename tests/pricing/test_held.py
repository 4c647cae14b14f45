"""What a job holds in each round of a priced schedule, and its key."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from hadaropt.pricing import price_job
from hadaropt.pricing.held import RoundChoice
from tests import oracle
from tests.pricing.cases import SCALE, load, price_array, priced


@settings(deadline=None, max_examples=60)
@given(priced())
def test_every_choice_is_one_of_the_options_of_its_round(case):
    """Its progress is what the oracle says that these GPUs do."""
    document, drawn, per_node = case
    instance, prices = load(document), price_array(document, drawn, per_node)
    found = price_job(instance, 0, prices, scale=SCALE)
    job = document["jobs"][0]
    nodes = [node["name"] for node in document["nodes"]]
    types = document["accelerators"]
    options = oracle.round_options(document, job)
    for choice in found.rounds:
        use = np.array(choice.use)
        if use.ndim == 1:
            held = {r: int(count) for r, count in zip(types, use, strict=True) if count}
            same = [o for o in options if pooled(o) == held and not o.copies]
        else:
            held = {
                (nodes[h], types[r]): int(use[h, r]) for h, r in zip(*np.nonzero(use), strict=True)
            }
            same = [o for o in options if dict(o.use) == held and o.copies == choice.copies]
        assert any(o.progress == choice.progress for o in same), (choice, same)


def pooled(option):
    total = {}
    for (_, r), count in option.use:
        total[r] = total.get(r, 0) + count
    return total


def test_a_choice_is_a_value():
    one = RoundChoice(2, 5, (1, 0))
    assert one == RoundChoice(2, 5, (1, 0), copies=False) and len({one, one}) == 1
    assert one != RoundChoice(2, 5, ((1, 0),))
