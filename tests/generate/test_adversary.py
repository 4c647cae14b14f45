"""Traps for posted prices."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt.generate import generate
from hadaropt.generate.adversary import TRAPS


@pytest.mark.parametrize("trap", sorted(TRAPS))
def test_traps_offer_rising_densities_in_one_window(trap):
    instance = generate("adversarial_price", seed=0, traps=trap, num_jobs=8, num_rounds=8)
    for window in (0, 4):
        jobs = [job for job in instance.jobs if job.release == window]
        assert len(jobs) == 4
        densities = [Fraction(job.utility.peak, job.gang_size * 4) for job in jobs]
        assert densities == sorted(densities)
        assert 1 <= densities[0] < densities[-1] <= 64
        assert all(job.utility.deadline == 4 for job in jobs)
    if trap != "ladder":
        assert max(job.gang_size for job in instance.jobs) > 2
