"""A progress bar on standard error, so that standard output holds the answer alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING

from hadaropt.figures import counted

if TYPE_CHECKING:
    from rich.console import Console

SILENCE_SECONDS = 30.0
"""Where there is no terminal, a line tells at least this often that the work goes on."""

STARTING = "compiling and starting workers ..."


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar while the block runs; the function yielded counts one more, ``proved`` of it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[proved]}"),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total, proved=STARTING)
        proved = finished = 0

        def advance(more: int) -> None:
            nonlocal proved, finished
            proved += more
            finished += 1
            told = f"{proved} optima proved" if what == "instances" else ""
            progress.update(task, advance=1, proved=told)
            if not console.is_terminal and finished * 20 // total > (finished - 1) * 20 // total:
                console.print(", ".join(filter(None, (f"{what}: {finished} of {total}", told))))

        if not console.is_terminal:
            console.print(STARTING)
        with _telling(console, lambda: f"{what}: {finished} of {total}"):
            yield advance


@contextmanager
def _telling(console: Console, said: Callable[[], str]) -> Iterator[None]:
    """Say on what is no terminal, after each silence, how far the block is."""
    ended, began = threading.Event(), time.monotonic()

    def tell() -> None:
        while not ended.wait(SILENCE_SECONDS):
            passed = time.monotonic() - began
            console.print(f"{said()} after {passed:.0f} s", markup=False, soft_wrap=True)

    thread = threading.Thread(target=tell, daemon=True)
    if not console.is_terminal:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        if not console.is_terminal:
            thread.join()


@contextmanager
def run_line() -> Iterator[Callable[[str], None]]:
    """Show what runs now, and for how long all has; the function yielded says it.

    Elsewhere than on a terminal a line says so after each silence.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        now = "working"
        task = progress.add_task(now, total=None)

        def show(what: str) -> None:
            nonlocal now
            now = what
            progress.update(task, description=escape(what))

        with _telling(console, lambda: now):
            yield show


@contextmanager
def job_bar(total: int) -> Iterator[Callable[[str, int], None]]:
    """Show a bar on a terminal while the block runs; the function yielded moves it.

    Its arguments are what runs now, and how many of its ``total`` jobs are settled. Elsewhere a
    line says so after each silence.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("jobs"),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        now = "starting", 0
        task = progress.add_task("", total=total)

        def show(what: str, settled: int) -> None:
            nonlocal now
            now = what, settled
            progress.update(task, description=what, completed=settled)

        with _telling(console, lambda: f"{now[0]}: {now[1]:,} of {total:,} jobs"):
            yield show


@contextmanager
def search_progress(
    what: str, seconds: float | None, saved: Callable[[], str] = str
) -> Iterator[Callable[[int, Fraction | None], None]]:
    """Show what a search has found so far; the function yielded takes its count and its score."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn(what),
        BarColumn(),
        TextColumn("{task.fields[count]}, worst {task.fields[score]}"),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=seconds, count=counted(0, "instance"), score="-")
        began, shown = time.monotonic(), ""

        def report(count: int, score: Fraction | None) -> None:
            nonlocal shown
            text = "-" if score is None else f"{float(score):.6g}"
            progress.update(
                task,
                completed=time.monotonic() - began,
                count=counted(count, "instance"),
                score=text,
            )
            if not console.is_terminal and text != shown:
                where = "" if score is None else saved()
                console.print(f"{what}: {counted(count, 'instance')}, worst {text}{where}")
                shown = text

        yield report
