"""Mutated files of every format, fixed examples; more of them by hand."""

from __future__ import annotations

import random

import pytest

from tests.relations.loaders import check


@pytest.mark.parametrize("seed", range(10))
def test_a_mutated_file_is_refused_or_every_row_is_kept_or_counted(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        check(rng)
