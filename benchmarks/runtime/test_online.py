"""P7 and P12: jobs decided online, and certificates verified, without a peer that can do either."""

from __future__ import annotations

from functools import cache

import pytest

from . import online_pass, verify_certificate

NAMES = {"six-class": "six_class", "measured-rates": "measured_rates"}


@cache
def warm():
    for name in NAMES.values():
        online_pass.measure(name, 50, 0.8)


@pytest.mark.row(
    "P7",
    "online pass, T = 1000, load 0.8",
    quick=[200, 500, 1000],
    small=[300, 1000, 3000],
    full=[10**3, 10**4, 10**5],
)
def test_online(record, family, size):
    warm()
    record(
        lambda: online_pass.measure(NAMES[family], size, 0.8),
        rounds=1 if size > 10**4 else 3,
        own=lambda result: result[0],
        facts=lambda result: {"jobs_per_second": size / result[0]},
    )


@pytest.mark.row(
    "P12",
    "verify a certificate, T = 100",
    quick=[50, 100, 200],
    small=[100, 300, 1000],
    full=[10**2, 10**3, 10**4],
)
def test_verify(record, family, size):
    """In a fresh process, which shows that it loads neither numba nor a solver."""
    record(
        lambda: verify_certificate.measure(NAMES[family], size),
        rounds=1,
        own=lambda result: result["verify"],
    )
