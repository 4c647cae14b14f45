"""Limits of time and of work, and what is left of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hadaropt.kernels import compile_events
from hadaropt.kernels import compile_time as compilation
from hadaropt.offline import clock as clock_module
from hadaropt.offline.clock import PER_SECOND, UNIT, Clock


def test_work_is_counted_in_parts_as_well() -> None:
    clock = Clock(work_limit=10)
    part = clock.part(0.004)
    part.spend(3 * 10**6)
    assert not part.over() and part.most(10**5) == 10
    part.spend(10**6)
    assert part.over() and not clock.over()
    assert clock.most(10**6) == 6 and part.most(1) == 0
    clock.spend(6 * 10**6)
    assert clock.over() and clock.reached() == "work_limit"
    assert not clock.part(0.0, least=1.0).over()


def test_seconds_pass_where_no_work_is_counted() -> None:
    clock = Clock(time_limit=0)
    assert clock.over() and clock.reached() == "time_limit" and clock.most(1) is None
    assert not Clock().limited and not Clock().over()
    assert Clock(1).limited and Clock(work_limit=3).limited


def test_compilation_uses_up_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba import njit

    compile_events.watch()  # as the first kernel does
    told: list[str] = []
    compilation.when_compiling(lambda: told.append("compiling"))
    before = compilation.compiling_seconds()

    def twice(x):  # type: ignore[no-untyped-def]
        return x + x

    twice = njit(twice)
    assert twice(1) == 2 and twice(1.5) == 3.0
    assert told == ["compiling"]
    assert compilation.compiling_seconds() > before

    now = [100.0, 0.0]
    monkeypatch.setattr(clock_module.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(clock_module, "compiling_seconds", lambda: now[1])
    clock = Clock(time_limit=5)
    now[:] = [120.0, 19.0]
    assert clock.left() == 4.0 and not clock.over()
    now[:] = [125.0, 19.0]
    assert clock.over()


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of day, which the test sets."""
    own = [100.0]
    monkeypatch.setattr(clock_module, "_seconds", lambda: own[0])
    return own


def test_shares_of_a_limit_end_when_so_much_of_it_has_passed(now: list[float]) -> None:
    clock = Clock(time_limit=40)
    now[0] = 110.0
    assert (clock.seconds(), clock.left(), clock.left(0.5), clock.spent()) == (10, 30, 10, 0.25)
    assert clock.left(0.2) == 0 and clock.machine_seconds() == 30
    now[0] = 140.0
    assert clock.over() and clock.spent() == 1 and clock.reached() == "time_limit"


def test_a_part_ends_with_the_whole_unless_it_is_given_more(now: list[float]) -> None:
    clock = Clock(time_limit=40)
    now[0] = 130.0
    assert clock.part(5).left() == 5
    assert clock.part(50).left() == 10
    assert clock.part(50, least=25).left() == 25
    now[0] = 150.0
    assert clock.part(5).over() and clock.part(5, least=2).left() == 2


def test_with_both_limits_whichever_is_reached_first_ends_it(now: list[float]) -> None:
    clock = Clock(time_limit=40, work_limit=10)
    assert clock.machine_seconds() == 40
    now[0] = 140.0
    assert clock.over() and clock.left() == 0 and clock.reached() == "time_limit"
    other = Clock(time_limit=40, work_limit=10)
    other.spend(10 * UNIT)
    assert other.over() and other.reached() == "work_limit"


@given(st.integers(1, 50), st.lists(st.tuples(st.booleans(), st.integers(0, 10**7)), max_size=8))
def test_what_is_spent_and_what_is_left_make_the_limit(limit, spent) -> None:
    """In operations, of the whole and of a part, whichever of the two they are told to."""
    whole = Clock(work_limit=limit)
    part = whole.part(limit * UNIT / PER_SECOND / 2)
    total = 0
    for to_part, operations in spent:
        (part if to_part else whole).spend(operations)
        total += operations
        assert whole.most(1) == pytest.approx(max(0, limit * UNIT - total), abs=2)
        assert part.most(1) == pytest.approx(max(0, limit * UNIT // 2 - total), abs=2)
        assert whole.over() == (total >= limit * UNIT)


@pytest.mark.parametrize("bad", [-1, -0.001, float("nan")])
def test_a_limit_of_time_is_not_negative(bad: float) -> None:
    with pytest.raises(ValueError, match=r"time_limit = .*, must be >= 0 or None"):
        Clock(bad)


def test_whole_numbers_of_numpy_are_limits() -> None:
    assert Clock(np.int64(2)).limited
    clock = Clock(work_limit=np.int32(5))
    assert clock.most(1) == Clock(work_limit=5).most(1)


@pytest.mark.parametrize(("bad", "kind"), [(-1, ValueError), (2.5, TypeError), (True, TypeError)])
def test_a_limit_of_work_is_a_whole_number(bad, kind) -> None:
    with pytest.raises(kind, match=r"work_limit = .*, must be"):
        Clock(None, bad)
