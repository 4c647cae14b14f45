"""Tasks by name: the one module that knows both what a task is and who makes which."""

from __future__ import annotations

from hadaropt.errors import MissingExtraError, TrackerError
from hadaropt.forking.training.tasks.task import Task
from hadaropt.names import known_name

TASK_NAMES = ("digits", "diabetes", "cancer", "conv-digits", "char-model")
TORCH_TASKS = ("conv-digits", "char-model")


def make_task(name: str) -> Task:
    """Return a task by name.

    ``digits`` (multilayer perceptron, accuracy), ``diabetes`` (regression, R2), ``cancer``
    (accuracy), and with torch ``conv-digits`` (convolutions and batch norm, accuracy) and
    ``char-model`` (recurrent, bits per character of the standard library's docstrings).

    Raises
    ------
    TrackerError
        For an unknown name.
    MissingExtraError
        If scikit-learn or torch is not installed.
    """
    name = known_name("task", name, TASK_NAMES, TrackerError)
    _need("sklearn", "scikit-learn")
    if name in TORCH_TASKS:
        _need("torch", "torch")
        from hadaropt.forking.training.tasks import torch

        return torch.TORCH_TASKS[name]
    from hadaropt.forking.training.tasks.sklearn import SKLEARN_TASKS

    return SKLEARN_TASKS[name]


def _need(module: str, package: str) -> None:
    from importlib.util import find_spec

    if find_spec(module) is None:
        raise MissingExtraError("train", package)
