"""Recorded allocations instead of solved ones."""

import pytest

from hadaropt.errors import TraceError


def test_an_instant_without_record_is_an_error(tiny):
    with pytest.raises(TraceError, match=r"no allocation at time_s = 5\.0"):
        tiny("0,5,M,1,1500,1,150\n", "0,0,1,,\n", {"v100": 1})
