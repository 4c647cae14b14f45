"""What can be trained: a task makes learners, and scores their states.

A state is a tree of numpy arrays and numbers (see
`hadaropt.forking.tracking.averaging`) with two branches:
``{"parameters": ..., "optimiser": ...}``. It holds all that a copy needs to go on elsewhere.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hadaropt.errors import TrackerError, shown

State = dict[str, Any]


class Learner(Protocol):
    """A model in the middle of its training."""

    def advance(self, steps: int) -> float:
        """Make so many optimiser steps, one minibatch each; return their mean loss."""
        ...

    def state(self) -> State:
        """Return the state, sharing no array with the learner."""
        ...


class Task(Protocol):
    """A model and its data; small and picklable, data are loaded where they are used."""

    @property
    def name(self) -> str:
        """Name in tables and files."""
        ...

    @property
    def metric(self) -> str:
        """What `score` measures, on data that are not trained on."""
        ...

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is better."""
        ...

    def initial(self, seed: int) -> State:
        """Return the state before the first step."""
        ...

    def learner(self, state: State, rng: np.random.Generator) -> Learner:
        """Return a learner that goes on from a state; ``rng`` draws its minibatches."""
        ...

    def score(self, state: State) -> float:
        """Return the score of a state on held-out data."""
        ...


class Batches:
    """Minibatches without replacement: each pass over the data is a new permutation.

    Parameters
    ----------
    rows : int
        Number of rows of the data.
    size : int
        Rows of a minibatch, 1..rows.
    rng : Generator

    Notes
    -----
    The rows drawn do not depend on how many minibatches are asked for at once.
    """

    def __init__(self, rows: int, size: int, rng: np.random.Generator) -> None:
        if not 1 <= size <= rows:
            raise TrackerError("batch", f"must be between 1 and {rows}, the rows", shown(size))
        self._rows, self._size, self._rng = rows, size, rng
        self._left = np.empty(0, dtype=np.int64)

    def take(self, count: int) -> NDArray[np.int64]:
        """Return the rows of the next ``count`` minibatches, (count * size,)."""
        wanted = count * self._size
        parts, have = [self._left], len(self._left)
        while have < wanted:
            parts.append(self._rng.permutation(self._rows))
            have += self._rows
        rows = np.concatenate(parts)
        self._left = rows[wanted:]
        return rows[:wanted]
