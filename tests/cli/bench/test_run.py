"""What the sweeps of ``hadaropt bench`` share."""

import pytest

from hadaropt.cli.bench.run import make_experiment
from hadaropt.cli.common.options import UsageError


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"baseline": "none"}, r'^--baseline = "none", must be one of primal_dual:zero_start'),
        ({"cell_seconds": 0}, "^--cell-time-limit = 0, must be a number > 0"),
        ({"time_limit": 0}, "^--time-limit = 0, must be a number > 0"),
        (
            {"kind": "schedulers", "schedulers": ["hadar[no_such=1]"]},
            '^--schedulers hadar = "no_such", must be PARAMETER=VALUE',
        ),
    ],
)
def test_errors_name_the_option_and_leave_the_rest(document, says):
    with pytest.raises(UsageError, match=says):
        make_experiment(document)
