"""Progress on standard error: bars on terminals, few lines elsewhere."""

from __future__ import annotations

import threading
from fractions import Fraction
from types import SimpleNamespace

import pytest
from rich.console import Console

from hadaropt.cli.common import progress
from hadaropt.cli.common.progress import job_bar, progress_bar, search_progress


def test_where_there_is_no_terminal_a_line_stands_at_every_twentieth(capsys):
    with progress_bar("cells", 100) as advance:
        for _ in range(100):
            advance(0)
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert lines[0] == progress.STARTING
    assert lines[1:] == [f"cells: {5 * k} of 100" for k in range(1, 21)]


def test_optima_that_are_proved_are_counted(capsys):
    with progress_bar("instances", 2) as advance:
        advance(1)
        advance(0)
    assert capsys.readouterr().err.splitlines()[1:] == [
        "instances: 1 of 2, 1 optima proved",
        "instances: 2 of 2, 1 optima proved",
    ]


def test_a_block_that_fails_is_over(capsys):
    with pytest.raises(ZeroDivisionError), progress_bar("cells", 3):
        raise ZeroDivisionError
    assert "cells" not in capsys.readouterr().err


def test_a_search_tells_each_worse_instance_once(capsys):
    with search_progress("fifo", 60.0, lambda: ", saved in out") as report:
        for count, score in ((0, None), (1, None), (2, Fraction(3)), (5, Fraction(3)), (9, 4)):
            report(count, None if score is None else Fraction(score))
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        "fifo: 0 instances, worst -",
        "fifo: 2 instances, worst 3, saved in out",
        "fifo: 9 instances, worst 4, saved in out",
    ]


def test_a_bar_of_jobs_is_for_terminals_only(capsys):
    with job_bar(3) as show:
        show("hadar", 1)
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "")


@pytest.mark.parametrize(
    ("line", "begin", "says"),
    [
        (progress.run_line, ("load=2: [srtf]",), "load=2: [srtf] after 0 s"),
        (lambda: job_bar(1000), ("hadar", 7), "hadar: 7 of 1,000 jobs after 0 s"),
    ],
)
def test_where_there_is_no_terminal_a_line_breaks_each_silence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line, begin, says
) -> None:
    assert progress.SILENCE_SECONDS > 10
    monkeypatch.setattr(progress, "SILENCE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: 0.0))
    told, printed = threading.Event(), Console.print

    def prints(self, *words, **how):
        printed(self, *words, **how)
        if says in words[0]:
            told.set()

    monkeypatch.setattr(Console, "print", prints)
    with line() as show:
        show(*begin)
        assert told.wait(60)
    captured = capsys.readouterr()
    assert captured.out == "" and says in captured.err.splitlines()


def test_what_runs_is_not_said_at_once_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress.run_line() as told:
        told("load=2: [srtf]")
    assert capsys.readouterr() == ("", "")
