"""What to train, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hadaropt.errors import TrackerError
from hadaropt.forking.tracking.averaging import OPTIMISER_POLICIES, OptimiserPolicy
from hadaropt.forking.training.tasks.task import Task
from hadaropt.names import known_name


@dataclass(frozen=True)
class TrainingJob:
    """A task to be trained for so many steps.

    Parameters
    ----------
    task : Task
        Its name is the job's.
    steps : int
        Steps in all, >= 1.
    max_copies : int or None
        Copies at once; None for one on each node.
    requires : mapping of str to float
        Resources that a node must offer, such as ``{"GPU": 1}``.
    """

    task: Task
    steps: int
    max_copies: int | None = None
    requires: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Options:
    """How to train.

    Parameters
    ----------
    seed : int
        Names the first weights and every stream of minibatches.
    round_seconds : float or None
        A copy stops after so many seconds; what it did not do waits again. None: no limit.
    lease_seconds : float or None
        A copy that says nothing for so long after its start is given up. None: never.
    patience : float
        Seconds to wait for a node when none is left.
    optimiser : {"average", "reset"}
        Policy of `consolidate`.

    Raises
    ------
    TrackerError
        If there is no such policy.
    """

    seed: int = 0
    round_seconds: float | None = None
    lease_seconds: float | None = None
    patience: float = 30.0
    optimiser: OptimiserPolicy = "average"

    def __post_init__(self) -> None:
        known_name("optimiser", self.optimiser, OPTIMISER_POLICIES, TrackerError)
