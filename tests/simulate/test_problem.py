"""Problems in rounds."""

import pytest

from hadaropt.errors import InstanceError
from hadaropt.simulate.problem import RoundProblem
from tests.simulate.small import workload


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"round_seconds": 0}, "round_seconds = 0, must be > 0"),
        ({"restart_seconds": 360}, "restart_seconds = 360, must be less than"),
        ({"restart_seconds": -1}, "restart_seconds"),
        ({"objective": "speed"}, 'objective = "speed", must be one of'),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(InstanceError, match=message):
        RoundProblem.of_workload(workload("fast=1"), **options)
