"""The families of measured classes."""

from __future__ import annotations

import numpy as np

from hadaropt.generate import generate


def test_six_class_has_twenty_units_a_round_in_one_order():
    instance = generate("six_class", seed=1)
    for j in range(len(instance.jobs)):
        fast, middle, slow = instance.progress(j)
        assert fast == 20 * 18
        assert fast > middle > slow
        assert instance.jobs[j].iterations % 18 == 0


def test_measured_rates_order_types_differently():
    instance = generate("measured_rates", seed=0)
    orders = {tuple(np.argsort(instance.progress(j))) for j in range(len(instance.jobs))}
    assert len(orders) > 1
