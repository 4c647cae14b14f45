"""One cell, checked."""

from dataclasses import replace

import pytest

from hadaropt.bench.ratio import cells as cells_module
from hadaropt.bench.ratio.cells import run_cell
from hadaropt.bench.ratio.reference import prove_optimum
from hadaropt.errors import InvariantError
from hadaropt.policies import make_policy
from tests.bench.ratio.small import SMALL


def test_a_certificate_below_a_value_is_a_contradiction():
    instance = SMALL.instance("small_uniform", 0, "mixed")
    known = prove_optimum(instance, 10)
    high = replace(known, value=known.value * 1000, bound=known.bound * 1000)
    with pytest.raises(InvariantError, match="below the feasible value"):
        run_cell(instance, "", "small_uniform", 0, make_policy("fifo"), high)


def test_a_guarantee_above_the_spread_is_vacuous():
    assert cells_module.VACUOUS == 1000
    instance = SMALL.instance("adversarial_price", 0, "mixed")
    known = prove_optimum(instance, 10)
    cell, run = run_cell(
        instance, "", "adversarial_price", 0, make_policy("primal_dual:zero_start"), known
    )
    assert run.theorem is not None
    assert cell.vacuous == (cell.guarantee > min(1000, run.theorem.spread))
