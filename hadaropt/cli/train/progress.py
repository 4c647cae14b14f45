"""Progress of forked training on standard error: a bar per job, and one per node at work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from hadaropt.forking.tracking.tickets import Ticket
    from hadaropt.forking.training.events import Event


class TrainingProgress:
    """Turns events into bars, or into lines where standard error is no terminal."""

    def __init__(self, progress: Progress, console: Console, totals: Mapping[str, int]) -> None:
        self._progress, self._console = progress, console
        self._jobs = {
            job: progress.add_task(f"[bold]{job}", total=total, note="")
            for job, total in totals.items()
        }
        self._nodes: dict[str, TaskID] = {}

    def observe(self, event: Event) -> None:
        """Show an event of the training."""
        if event.kind == "started":
            label = f"  {event.node}: {event.job}, round {event.round}"
            self._bar(event.node, description=label, total=event.steps, completed=0, note="")
        elif event.kind == "ended":
            self._bar(event.node, completed=event.steps, note="done")
        elif event.kind in ("lost", "refused"):
            self._bar(event.node, note=event.kind)
            self._line(f"{event.job}, round {event.round}, {event.node}: {_said(event)}")
        elif event.kind == "left" and event.node in self._nodes:
            self._progress.remove_task(self._nodes.pop(event.node))
        if event.kind == "closed":
            note = f"rounds done {event.round}, {event.text}"
            self._progress.update(self._jobs[event.job], completed=event.steps, note=note)
            if not self._console.is_terminal:
                counts = f"rounds done {event.round}, steps done {event.steps}"
                self._line(f"{event.job}: {counts}, {event.text}")
        elif event.kind in ("joined", "left"):
            self._line(f"{event.node} {event.kind}")

    def copy_progress(self, ticket: Ticket, steps: int) -> None:
        """Show how far a copy is; called from another thread."""
        if ticket.node in self._nodes:
            self._progress.update(self._nodes[ticket.node], completed=steps)

    def _bar(self, node: str, **fields: object) -> None:
        if node not in self._nodes:
            self._nodes[node] = self._progress.add_task("", total=None, note="")
        self._progress.update(self._nodes[node], **fields)  # type: ignore[arg-type]

    def _line(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False)


def _said(event: Event) -> str:
    return f"{event.kind}, its steps are made again ({event.text})"


@contextmanager
def training_progress(totals: Mapping[str, int]) -> Iterator[TrainingProgress]:
    """Show progress on standard error while the block runs."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        yield TrainingProgress(progress, console, totals)
