"""A schedule as a figure of the page."""

from __future__ import annotations

from hadaropt.bench.page.html import Figure, Numbers
from hadaropt.instance import Instance
from hadaropt.plot.gantt import gantt_bars, plot_gantt
from hadaropt.schedule import Schedule


def schedule_figure(instance: Instance, schedule: Schedule, name: str, caption: str) -> Figure:
    """Return the Gantt chart; ``name`` is that of its numbers."""
    cluster = instance.cluster
    rows = [
        (
            instance.jobs[bar.job].name,
            cluster.nodes[bar.lane[0]],
            cluster.accelerators[bar.lane[1]],
            bar.first_round,
            bar.rounds,
            bar.gpus,
            bar.kind,
        )
        for bar in gantt_bars(instance.cluster, schedule)
    ]
    columns = ("job", "node", "type", "first round", "rounds", "GPUs", "kind")
    return Figure(
        caption,
        "Gantt chart: which job holds which GPUs of each node and type in each round.",
        plot_gantt(instance, schedule),
        Numbers(name, columns, rows),
        wide=True,
    )
