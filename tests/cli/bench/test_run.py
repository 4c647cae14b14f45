"""What the sweeps of ``hadaropt bench`` share."""

import sys

import pytest

from hadaropt.cli.bench.run import check_writers, make_experiment
from hadaropt.cli.common.options import UsageError
from hadaropt.errors import MissingExtraError


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


@pytest.mark.parametrize("absent", ["polars", "matplotlib"])
def test_what_cannot_be_written_is_said_before_the_work(tmp_path, monkeypatch, absent):
    monkeypatch.setitem(sys.modules, absent, None)
    check_writers(None)
    with pytest.raises(MissingExtraError, match=rf"{absent} is not installed: .*bench"):
        check_writers(tmp_path / "out")
