"""What is told while training goes on, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

Kind = Literal["joined", "left", "started", "ended", "lost", "refused", "late", "closed", "resumed"]


class Event(NamedTuple):
    """Something happened.

    Attributes
    ----------
    kind : str
        ``joined``, ``left`` (a node), ``started``, ``ended``, ``lost``, ``refused``, ``late`` (a
        copy), ``closed`` (a round), ``resumed`` (the training).
    job, node : str
        "" where there is none.
    round : int
        Of the copy, from 0; of a ``closed`` event: how many rounds are closed.
    steps : int
        Of the copy: issued, made or lost; of a closed round: done so far.
    text : str
        Why, or the score.
    """

    kind: Kind
    job: str = ""
    node: str = ""
    round: int = 0
    steps: int = 0
    text: str = ""


Observer = Callable[[Event], None]


class CurvePoint(NamedTuple):
    """A job after ``round`` rounds: steps done, seconds so far, score, copies that count."""

    job: str
    round: int
    steps: int
    seconds: float
    score: float
    copies: int


class CopyRecord(NamedTuple):
    """A copy that counts: its steps, seconds and mean loss."""

    job: str
    round: int
    node: str
    steps: int
    seconds: float
    loss: float
