"""Policies as text."""

from __future__ import annotations

import pytest

from hadaropt.errors import InstanceError
from hadaropt.online.policy_text import policy_from_text


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 5000 + ".5", "٣", "²"])
def test_a_number_is_ascii_and_short(number: str) -> None:
    for text in (f"primal_dual:zero_start[U={number}]", f"random[seed={number}]"):
        with pytest.raises(InstanceError, match=r"U|seed"):
            policy_from_text(text)
