"""Sweeps: cells that are computed once, stopped at their limit, and kept with their cause.

Scheduling and watching is Dask's; ours is the store of cells (`hadaropt.sweep.store`), and the
child process in which a cell can be stopped (`hadaropt.sweep.runner`).
"""

from hadaropt.sweep.engine import sweep
from hadaropt.sweep.store import Store, open_store
from hadaropt.sweep.task import Outcome, Task, task_key

__all__ = ["Outcome", "Store", "Task", "open_store", "sweep", "task_key"]
