"""The first estimate of speeds."""

import pytest

from hadaropt.errors import InstanceError
from hadaropt.forking.planning.estimate import (
    Measurement,
    describe,
    fit_speeds,
    fitted,
    leave_one_out,
    measurements,
)


def test_the_form_is_recovered_from_its_own_data():
    exact = fit_speeds(
        Measurement("m", family, batch, 2.0, gpu, speed)
        for family, kappa in (("f", 3.0), ("g", 8.0))
        for batch in (1, 4, 16)
        for gpu, index, pcie in (
            ("V100", 1.0, 1.0),
            ("RTX 3090", (35.6 / 14 * 936 / 900) ** 0.5, 2.0),
        )
        for speed in [kappa * index * batch**-0.5 * pcie**0.25 / 2.0]
    )
    assert exact.unidentified == ()
    assert exact.batch_power == pytest.approx(-0.5)
    assert exact.pcie_power == pytest.approx(0.25)
    assert exact.speed("f", 4, 2.0, "V100") == pytest.approx(0.75)
    assert exact.speed("new", 1, 1.0, "V100") == pytest.approx((3.0 * 8.0) ** 0.5)


def test_the_fit_to_the_shipped_measurements():
    model = fitted()
    assert len(measurements()) == 78
    assert model.unidentified == ("p",)  # All three GPUs sit on PCIe 3.0 x16.
    assert model.batch_power == pytest.approx(-0.688, abs=0.001)
    by_gpu = leave_one_out(measurements(), lambda row: row.gpu)
    by_model = leave_one_out(measurements(), lambda row: row.model)
    assert by_gpu.typical_factor == pytest.approx(1.56, abs=0.01)
    assert by_gpu.rank_correlation == pytest.approx(0.895, abs=0.002)
    assert by_model.typical_factor == pytest.approx(4.88, abs=0.01)
    assert by_model.worst_factor > 100
    fast, slow = model.speeds("ResNet-50 (batch size 64)", ("V100", "K80"))
    assert fast > 3 * slow > 0


def test_names_of_the_table():
    assert describe("LM (batch size 5)") == ("LM", "LM", 5)
    assert describe("ResNet-18 (batch size 16)") == ("ResNet-18", "ResNet", 16)
    for size in ("0", "٣", "9" * 5000):  # no batch size: a part of the name
        assert describe(f"LM (batch size {size})")[2] == 1


def test_bad_input_of_the_estimate():
    with pytest.raises(InstanceError, match='gpu = "H100", must be one of K80'):
        fitted().speed("LM", 5, 1.0, "H100")
    with pytest.raises(InstanceError, match="batch = 0, must be >= 1"):
        fitted().speed("LM", 0, 1.0, "V100")
    with pytest.raises(InstanceError, match=r"complexity = nan, must be > 0"):
        fitted().speed("LM", 1, float("nan"), "V100")
    with pytest.raises(InstanceError, match="must not be empty"):
        fit_speeds([])
