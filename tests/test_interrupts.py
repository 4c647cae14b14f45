"""Ctrl-C ends a block once; the next ones wait until the clean end is over."""

from __future__ import annotations

import signal
import threading
import time
from types import SimpleNamespace

import pytest

from hadaropt import interrupts
from hadaropt.interrupts import (
    Once,
    held,
    held_in_callbacks,
    held_while_workers_start,
    interrupted_once,
    quiet,
    uninterrupted,
)


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves."""
    now = [100.0]
    monkeypatch.setattr(interrupts.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture(autouse=True)
def as_in_a_terminal():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_second_interrupt_is_ignored_for_a_while(clock):
    with interrupted_once():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        clock[0] += interrupts.QUIET_SECONDS - 0.1
        signal.raise_signal(signal.SIGINT)  # nothing happens
        clock[0] += 0.2
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_answer_that_is_kept_is_not_disturbed(clock):
    with interrupted_once():
        quiet()
        signal.raise_signal(signal.SIGINT)
    quiet()  # where nothing handles Ctrl-C in this way, nothing changes
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_the_handler_goes_with_the_block_however_it_ends():
    with pytest.raises(ZeroDivisionError), interrupted_once():
        assert isinstance(signal.getsignal(signal.SIGINT), Once)
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_handler_and_another_thread_are_left_alone():
    def mine(number, frame):
        raise AssertionError

    signal.signal(signal.SIGINT, mine)
    with interrupted_once():
        assert signal.getsignal(signal.SIGINT) is mine
    signal.signal(signal.SIGINT, signal.default_int_handler)
    seen = []

    def work():
        with interrupted_once():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_an_answer_that_was_cut_short_is_ctrl_c_for_who_has_no_use_for_it():
    whole = SimpleNamespace(termination="optimal")
    assert uninterrupted(whole) is whole
    with pytest.raises(KeyboardInterrupt):
        uninterrupted(SimpleNamespace(termination="interrupted"))


def test_a_signal_waits_until_the_end_of_the_block():
    reached = []
    with pytest.raises(KeyboardInterrupt), interrupted_once():
        with held(), held():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            reached.append("inner")
        reached.append("outer")
    assert reached == ["inner"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_that_came_with_an_error_comes_after_it():
    with pytest.raises(KeyboardInterrupt) as caught, held():
        signal.raise_signal(signal.SIGINT)
        raise ZeroDivisionError
    assert isinstance(caught.value.__context__, ZeroDivisionError)


def test_what_ends_the_process_or_is_ignored_does_not_wait():
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with held():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_handler_that_is_set_in_the_block_stays():
    def mine(number, frame):
        raise AssertionError

    with held():
        signal.signal(signal.SIGINT, mine)
    assert signal.getsignal(signal.SIGINT) is mine


def test_in_another_thread_nothing_waits():
    seen = []

    def work():
        with held():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_an_answer_is_not_disturbed_after_the_end(clock):
    handler = Once()
    handler.finish()
    handler.quiet()  # does not shorten it
    clock[0] += 1e9
    handler(signal.SIGINT, None)


def test_a_signal_in_a_callback_comes_again_after_it():
    lost, reached = [], []

    def called_from_c():
        try:
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.001)
        except KeyboardInterrupt:
            lost.append("here")  # as what calls it would drop it
        reached.append("end")

    with pytest.raises(KeyboardInterrupt), held_in_callbacks("called_from_c"), held_in_callbacks():
        called_from_c()
        while True:
            time.sleep(0.01)
    assert (lost, reached) == ([], ["end"])
    with pytest.raises(KeyboardInterrupt), held_in_callbacks("called_from_c"):
        signal.raise_signal(signal.SIGINT)  # elsewhere it comes at once
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_waits_in_a_block_does_not_come_again_before_its_end():
    reached = []
    with pytest.raises(KeyboardInterrupt), held_in_callbacks("no"):
        with held(), held_in_callbacks("no"):
            signal.raise_signal(signal.SIGINT)
            reached.append("inner")
        reached.append("outer")
    assert reached == ["inner"]


def test_ctrl_c_comes_after_the_start_of_workers_which_never_get_it():
    started, inherited = [], []

    def worker():
        inherited.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    with pytest.raises(KeyboardInterrupt):
        with held_while_workers_start():
            thread = threading.Thread(target=worker)
            thread.start()
            thread.join()
            signal.raise_signal(signal.SIGINT)
            started.append("started")
        started.append("used")
    assert started == ["started"] and signal.SIGINT in inherited[0]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_what_c_calls_is_not_interrupted():
    lost, reached = [], []

    def __del__():  # noqa: N807
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            lost.append("here")
        reached.append("end")

    with pytest.raises(KeyboardInterrupt), interrupted_once():
        __del__()
        while True:
            time.sleep(0.01)
    assert (lost, reached) == ([], ["end"])
