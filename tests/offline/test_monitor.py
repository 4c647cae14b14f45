"""The monitor: the best of both sides, in order of time, and when to stop."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from hadaropt import read_instance, read_schedule
from hadaropt.errors import InvariantError, ScheduleError
from hadaropt.offline import monitor as module
from hadaropt.offline.clock import Clock
from hadaropt.offline.contradiction import is_foreign
from hadaropt.offline.known import zero_prices
from hadaropt.offline.monitor import Monitor, Progress, says_stop
from hadaropt.schedule import Allocation, Schedule
from tests.offline.support import duel

FIRST = (Allocation(0, ((0, 0, 1),)),)
SECOND = (Allocation(1, ((0, 0, 1),)),)
BEST, WORSE = Schedule((FIRST, SECOND)), Schedule((FIRST, ()))
PRICES = zero_prices(duel())


def monitor(target=0.0, callback=None, *, display=False, clock=None) -> Monitor:
    return Monitor(duel(), Clock() if clock is None else clock, target, callback, display)


def test_only_what_is_better_is_kept_and_enters_the_history() -> None:
    own = monitor()
    assert (own.value, own.bound, own.progress().gap) == (0, None, math.inf)
    own.prove(Fraction(8), PRICES)
    own.offer(WORSE)
    own.offer(Schedule(((), SECOND)))
    own.prove(Fraction(9), PRICES, tree="worse")
    own.prove(Fraction(7), PRICES, tree="tree")
    assert not own.proved and own.tree == "tree"
    own.offer(BEST)
    assert own.proved and own.done() and own.schedule == BEST
    assert [fact[1:] for fact in own.history] == [(0, 8), (4, 8), (4, 7), (7, 7)]
    seconds = [fact[0] for fact in own.history]
    assert seconds == sorted(seconds)


def test_announced_figures_show_but_prove_nothing() -> None:
    own = monitor()
    own.announce(Fraction(7), Fraction(7))
    assert (own.progress().value, own.progress().bound, own.progress().gap) == (7, 7, 0)
    assert own.value == 0 and own.bound is None and not own.proved
    own.announce(Fraction(5), Fraction(9))  # they never get worse
    assert (own.progress().value, own.progress().bound) == (7, 7)


@pytest.mark.parametrize(
    ("target", "close"), [(0, False), (1 / 7 - 1e-9, False), (1 / 7 + 1e-9, True)]
)
def test_the_target_is_a_gap_relative_to_the_value(target: float, close: bool) -> None:
    own = monitor(target)
    own.prove(Fraction(8), PRICES)
    own.offer(BEST)
    assert own.progress().gap == pytest.approx(1 / 7)
    assert own.close == own.done() == close


def test_it_is_done_when_the_clock_is_over() -> None:
    assert monitor(clock=Clock(0)).done()
    clock = Clock(work_limit=1)
    own = monitor(clock=clock)
    assert not own.done() and own.left(0.5) == own.left() / 2
    clock.spend(10**6)
    assert own.done()


@pytest.mark.parametrize("stop", [True, np.True_])
def test_a_callback_sees_each_step_and_stops(stop: object) -> None:
    seen: list[Progress] = []

    def callback(progress: Progress) -> object:
        seen.append(progress)
        return stop if progress.value else None

    own = monitor(callback=callback)
    own.phase = "search"
    own.prove(Fraction(8), PRICES)
    assert not own.stopped
    own.offer(WORSE)
    assert own.stopped and own.done()
    assert [(p.phase, p.value, p.bound) for p in seen] == [("search", 0, 8), ("search", 4, 8)]
    own.mute()
    own.offer(BEST)
    assert len(seen) == 2 and own.value == 7


@pytest.mark.parametrize("odd", [1, "stop", [True], 0.0])
def test_what_a_callback_may_not_return_is_named(odd: object) -> None:
    with pytest.raises(TypeError, match="must be True, False or None") as caught:
        says_stop(lambda: odd)
    assert is_foreign(caught.value)


def test_what_a_callback_raises_is_its_own() -> None:
    def callback(progress: Progress) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        monitor(callback=callback).report()
    assert is_foreign(caught.value)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def reproduced(error: InvariantError) -> Schedule:
    instance, schedule = error.files
    assert read_instance(instance) == duel()
    return Schedule(read_schedule(schedule, duel()).jobs)


def test_a_schedule_above_the_bound_refutes_the_bound(folder: Path) -> None:
    own = monitor()
    own.prove(Fraction(6), PRICES)
    with pytest.raises(InvariantError, match="the value 7 exceeds the bound 6") as caught:
        own.offer(BEST)
    assert (own.value, own.bound, own.progress().bound) == (7, None, None)
    assert reproduced(caught.value) == BEST


def test_a_bound_below_the_best_value_is_refused(folder: Path) -> None:
    own = monitor()
    own.offer(BEST)
    with pytest.raises(InvariantError, match="the bound 13/2 is below the value 7") as caught:
        own.prove(Fraction(13, 2), PRICES)
    assert own.bound is None and reproduced(caught.value) == BEST


def test_an_infeasible_schedule_is_refused() -> None:
    own = monitor()
    with pytest.raises(ScheduleError):
        own.offer(Schedule((FIRST, FIRST)))
    assert own.value == 0 and own.history == []


def test_lines_are_shown_on_standard_error_at_most_once_a_second(monkeypatch, capsys) -> None:
    now = [50.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
    own = monitor(display=True)
    own.phase = "build"
    own.offer(WORSE)
    now[0] = 50.5
    own.prove(Fraction(8), PRICES)
    now[0] = 51.0
    own.offer(BEST)
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 2
    assert "build    value 4  bound -  gap -" in err
    assert "1.0 s  build    value 7  bound 8  gap 14.3 %" in err
