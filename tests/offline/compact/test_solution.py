"""From points to schedules and back, in every form."""

from __future__ import annotations

import numpy as np
import pytest

from hadaropt.errors import SolverError
from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM
from hadaropt.offline.compact.formulation import assemble
from hadaropt.offline.compact.solution import rounded, schedule_of, start_of
from hadaropt.offline.first_schedule import first_schedule
from hadaropt.schedule import check_schedule


@pytest.mark.parametrize("parallelism", PARALLELISM)
@pytest.mark.parametrize("spread", ["1", "1/2"])
def test_a_schedule_and_its_point_are_worth_the_same(parallelism: str, spread: str) -> None:
    instance = generate(
        "small_uniform",
        seed=2,
        num_jobs=6,
        num_rounds=6,
        parallelism=parallelism,
        spread_factor=spread,
    )  # type: ignore[arg-type]
    schedule = first_schedule(instance)
    value = check_schedule(instance, schedule).value
    assert value > 0
    model = assemble(instance)
    x = start_of(model, schedule)
    assert (model.linear.row_upper - model.linear.matrix @ x >= -1e-9).all()
    assert float(model.linear.cost @ x) == pytest.approx(float(value))
    assert check_schedule(instance, schedule_of(instance, model, x)).value == value


def test_integers_are_rounded_and_anything_else_is_refused() -> None:
    assert rounded(np.array([0.9999999, 2.0000001, -0.0])).tolist() == [1, 2, 0]
    with pytest.raises(SolverError, match=r"off by 0\.4 from an integer"):
        rounded(np.array([1.0, 0.6]))
    with pytest.raises(SolverError):
        rounded(np.array([np.nan]))
