import io

from rich.console import Console
from rich.progress import Progress, TextColumn

from hadaropt.cli.train.progress import TrainingProgress
from hadaropt.forking.tracking.tickets import Ticket
from hadaropt.forking.training.events import Event

EVENTS = [
    Event("joined", node="n0"),
    Event("started", "a", "n0", 0, 40),
    Event("ended", "a", "n0", 0, 40),
    Event("closed", "a", round=1, steps=40, text="accuracy 0.5000"),
    Event("started", "a", "n0", 1, 60),
    Event("lost", "a", "n0", 1, text="its worker is gone [1]"),
    Event("left", node="n0"),
]


def shown(terminal):
    text = io.StringIO()
    console = Console(file=text, force_terminal=terminal, width=200)
    columns = (TextColumn("{task.description} {task.completed} {task.fields[note]}"),)
    with Progress(*columns, console=console, disable=not terminal) as progress:
        view = TrainingProgress(progress, console, {"a": 100})
        for event in EVENTS[:5]:
            view.observe(event)
        view.copy_progress(Ticket("a", 0, 1, "n0"), 25)
        view.copy_progress(Ticket("a", 0, 1, "unknown"), 25)
        bars = [(task.description, task.completed) for task in progress.tasks]
        for event in EVENTS[5:]:
            view.observe(event)
        left = [task.description for task in progress.tasks]
    return text.getvalue(), bars, left


def test_a_bar_per_job_and_one_per_node_at_work():
    text, bars, left = shown(terminal=True)
    assert bars == [("[bold]a", 40), ("  n0: a, round 1", 25)]
    assert left == ["[bold]a"]
    assert "a, round 1, n0: lost, its steps are made again (its worker is gone [1])" in text


def test_lines_where_there_is_no_terminal():
    text, _, _ = shown(terminal=False)
    assert text.splitlines() == [
        "n0 joined",
        "a: rounds done 1, steps done 40, accuracy 0.5000",
        "a, round 1, n0: lost, its steps are made again (its worker is gone [1])",
        "n0 left",
    ]
