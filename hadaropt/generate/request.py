"""What a family is asked for, and the checks of its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hadaropt.errors import InstanceError, shown
from hadaropt.exact import to_fraction, to_integer
from hadaropt.generate.draws import Draws
from hadaropt.instance import Parallelism
from hadaropt.names import known_name


@dataclass(frozen=True)
class Request:
    """The size of an instance and the random numbers that it is made from.

    Attributes
    ----------
    name : str
        Name of the instance.
    draws : Draws
    num_jobs, num_rounds : int
    rounds_are_asked : bool
        Whether the caller named the number of rounds.
    load : Fraction
        Target of `hadaropt.generate.load.offered_load`.
    load_is_asked : bool
        Whether the caller named the load: then it is met or refused; the load that is a family's
        own is approached only as far as its sizes allow.
    parallelism : str
    """

    name: str
    draws: Draws
    num_jobs: int
    num_rounds: int
    rounds_are_asked: bool
    load: Fraction
    load_is_asked: bool
    parallelism: Parallelism


def integers(value: object, path: str, *, least: int = 1) -> tuple[int, ...]:
    """Return a non-empty tuple of integers from a sequence, a number or text such as "1,2,4"."""
    parts = value.split(",") if isinstance(value, str) else value
    items = tuple(parts) if isinstance(parts, tuple | list) else (parts,)
    if not items:
        raise InstanceError(path, "must not be empty", shown(value))
    return tuple(
        to_integer(item.strip() if isinstance(item, str) else item, f"{path}[{i}]", least=least)
        for i, item in enumerate(items)
    )


def names(value: object, path: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return a non-empty tuple of known names from a sequence or text such as "linear,step"."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, tuple | list) or not parts:
        raise InstanceError(path, "must be a list of names", shown(value))
    items = (item.strip() if isinstance(item, str) else item for item in parts)
    return tuple(known_name(f"{path}[{i}]", item, known) for i, item in enumerate(items))


def positive(value: object, path: str) -> Fraction:
    """Return a number > 0."""
    number = to_fraction(value, path)
    if number <= 0:
        raise InstanceError(path, "must be > 0", str(number))
    return number
