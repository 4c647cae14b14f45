"""Jobs in continuous time at prices over time, against a fine search and the plain Python."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hadaropt.kernels.pricing.one_pool import least_with_preemption, least_without_preemption

SHIFT = 10


def drawn(seed: int) -> tuple[np.ndarray, ...]:
    draw = random.Random(seed)
    jobs = [(draw.randint(0, 30), draw.randint(0, 12), draw.randint(1, 4)) for _ in range(6)]
    edges = sorted({0, *(draw.randint(1, 60) for _ in range(6))} | {61})
    price = [draw.choice([0, 100, 700, 5000]) for _ in edges[1:]]
    release, service, gang = (np.array(column, np.int64) for column in zip(*jobs, strict=True))
    return release, service, gang, np.array(edges, np.int64), np.array(price, np.int64)


def price_at(edges: np.ndarray, price: np.ndarray, time: int) -> float:
    if time >= edges[-1]:
        return 0.0
    return float(price[np.searchsorted(edges, time, side="right") - 1]) / 2**SHIFT


@pytest.mark.parametrize("seed", range(12))
def test_one_piece_is_the_least_over_all_whole_starts(seed: int) -> None:
    release, service, gang, edges, price = drawn(seed)
    least, used = least_without_preemption(release, service, gang, edges, price, np.int64(SHIFT))
    for a, p, w, found in zip(release, service, gang, least, strict=True):
        every = [
            s + p + w * sum(price_at(edges, price, t) for t in range(s, s + p))
            for s in range(a, 80)
        ]
        assert min(every) - 1 <= found / 2 <= min(every)
    assert used.sum() <= (service * gang).sum()


@pytest.mark.parametrize("seed", range(12))
def test_pausing_fills_the_cheapest_time(seed: int) -> None:
    release, service, gang, edges, price = drawn(seed)
    least, _ = least_with_preemption(release, service, gang, edges, price, np.int64(SHIFT))
    for a, p, w, found in zip(release, service, gang, least, strict=True):
        if p == 0:
            assert found == 2 * a
            continue
        # Unit pieces at their middles: the integral of t over whole units is exact.
        cost = sorted((t + 0.5) / p + w * price_at(edges, price, t) for t in range(a, 120))
        whole = sum(cost[:p]) + p / 2
        assert found / 2 <= whole + 1e-9
        assert found / 2 >= whole - 3 - p / 2  # units that may be cut, and rents rounded down


@pytest.mark.parametrize("rule", [least_with_preemption, least_without_preemption])
def test_plain_python_agrees(rule) -> None:  # type: ignore[no-untyped-def]
    given = drawn(3)
    for ours, theirs in zip(
        rule(*given, np.int64(SHIFT)), rule.py_func(*given, np.int64(SHIFT)), strict=True
    ):
        assert (ours == theirs).all()


def test_prices_beyond_64_bits_are_far_and_not_wrapped() -> None:
    one = np.array([0], np.int64)
    work = np.array([2**26], np.int64)
    edges, price = np.array([0, 10], np.int64), np.array([2**40], np.int64)
    least, _ = least_with_preemption(one, work, one + 4, edges, price, np.int64(0))
    assert least[0] == 2 * (10 + 2**26)  # it waits until the price is 0
