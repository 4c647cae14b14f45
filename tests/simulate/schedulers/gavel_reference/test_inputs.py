"""Jobs of the trace with their measured speeds."""

import pytest

from hadaropt.errors import TraceError


def test_a_model_that_was_not_measured_is_named(tiny):
    with pytest.raises(TraceError, match=r"trace\.csv job 0.*gang size 4"):
        tiny("0,0,M,4,1500,1,150\n", "0,0,1,,\n", {"v100": 4})
