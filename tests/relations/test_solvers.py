"""The relations between the solvers, on fixed examples; the long run is by hand."""

from __future__ import annotations

import random

import pytest

from tests.relations import solvers


@pytest.mark.parametrize("seed", range(12))
def test_solvers_agree_with_each_other_and_with_the_oracle(seed: int) -> None:
    solvers.check_one(random.Random(seed))
