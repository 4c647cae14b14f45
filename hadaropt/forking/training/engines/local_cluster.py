"""A Dask cluster on this machine whose workers play nodes of different speeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from hadaropt.errors import MissingExtraError
from hadaropt.forking.training.engines.engine import COPY, SPEED
from hadaropt.interrupts import held, held_while_workers_start

DEMO_SPEEDS = {"v100-0": 1.0, "v100-1": 1.0, "p100-0": 0.5, "p100-1": 0.5, "k80-0": 0.2}
"""Relative speeds for the demonstration: made up, in the order of the accelerators named."""
DEMO_PACE = 200.0
"""Steps per second of a demonstration's node of speed 1; the others sleep the more."""

IGNORE_INTERRUPT = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""Ctrl-C in a terminal reaches the workers as well; the parent stops them in good order."""


@contextmanager
def local_cluster(speeds: Mapping[str, float]) -> Iterator[Any]:
    """Start one worker process per node, and stop them at the end; yields a client.

    A worker that dies is started again under its name.

    Parameters
    ----------
    speeds : mapping of str to float
        Relative speeds by node name, offered as the resource ``SPEED``.

    Raises
    ------
    MissingExtraError
        If distributed is not installed.
    """
    try:
        with held():
            from distributed import Client, Nanny, Scheduler, SpecCluster
    except ImportError:
        raise MissingExtraError("train", "distributed") from None
    workers = {
        name: {
            "cls": Nanny,
            "options": {
                "name": name,
                "nthreads": 1,
                "memory_limit": 0,
                "silence_logs": 60,
                "preload": [IGNORE_INTERRUPT],
                "resources": {COPY: 1, SPEED: speed},
                "dashboard": False,
                "host": "127.0.0.1",
                "env": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            },
        }
        for name, speed in speeds.items()
    }
    # Port 0: any that is free.
    where = {"host": "127.0.0.1", "port": 0, "dashboard": False, "dashboard_address": ":0"}
    scheduler = {"cls": Scheduler, "options": where}
    with ExitStack() as opened:
        with held_while_workers_start():
            made = SpecCluster(workers=workers, scheduler=scheduler, silence_logs=60)
            cluster = opened.enter_context(made)
            client = opened.enter_context(Client(cluster, set_as_default=False))
        client.wait_for_workers(len(workers))
        yield client
