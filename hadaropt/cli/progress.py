"""A progress bar on standard error, so that standard output holds the answer alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
        task = progress.add_task(what, total=total, proved="")
        proved = finished = 0

        def advance(more: int) -> None:
            nonlocal proved, finished
            proved += more
            finished += 1
            told = f"{proved} optima proved" if what == "instances" else ""
            progress.update(task, advance=1, proved=told)
            if not console.is_terminal and finished * 20 // total > (finished - 1) * 20 // total:
                console.print(", ".join(filter(None, (f"{what}: {finished} of {total}", told))))

        yield advance
