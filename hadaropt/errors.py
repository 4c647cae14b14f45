"""Exceptions: each names the place, the value and the rule."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Overflow
from numbers import Real

_SHOWN_CHARACTERS = 60


def shown(value: object) -> str:
    """Text of ``value`` for a message: strings quoted, long values cut in the middle."""
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    if len(text) > _SHOWN_CHARACTERS:
        half = _SHOWN_CHARACTERS // 2 - 2
        text = f"{text[:half]}...{text[-half:]} ({len(text)} characters)"
    return text


def printable(text: str, keep: str = "") -> str:
    r"""Return `text` with its control and format characters escaped: names come from files.

    Line ends and characters that reverse or hide text become visible (``\n``, ``\u202e``);
    those in `keep` stay.

    Examples
    --------
    >>> printable("a\nb")
    'a\\nb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else ascii(c)[1:-1] for c in text)


SHORT_LIST = 5
"""Longer lists of names come after the name that was clearly meant."""
CLEAR = 0.6
"""Likeness, in 0 .. 1, from which on a name was clearly meant."""


def nearest(
    name: str, known: Iterable[str], *, by_family: bool = False, cutoff: float = 0.4
) -> str | None:
    """Return the known name that was probably meant, or None.

    With ``by_family`` the first that begins with ``name:`` comes before the nearest in spelling,
    which has to be as near as the cutoff, in 0 .. 1, asks.
    """
    from difflib import get_close_matches

    known = list(known)
    family = [other for other in known if by_family and other.startswith(f"{name}:")]
    if family:
        return family[0]
    start, colon, own = name.lower().partition(":")
    spelled = {other.lower(): other for other in reversed(known)}
    shared = [other for other in spelled if other.startswith(start + colon)] if colon else []
    if shared:  # alike in what comes after the family, which says nothing
        tails = [other[len(start + colon) :] for other in shared]
        tail = get_close_matches(own, tails, n=1, cutoff=cutoff) or [
            other for other in tails if own and own in other
        ]
        return spelled[start + colon + tail[0]] if tail else None
    near = get_close_matches(name.lower(), spelled, n=1, cutoff=cutoff)
    return spelled[near[0]] if near else None


def one_of(name: str, known: Iterable[str], *, by_family: bool = False, quote: str = '"') -> str:
    """Return the rule that an unknown name breaks, with the one that was probably meant.

    Where the list is long and the hint is clear, the hint comes first.

    Examples
    --------
    >>> one_of("forkd", ["forked", "mixed"])
    'must be one of forked, mixed; did you mean "forked"?'
    >>> one_of("T77", ["T1", "T2", "T3", "T4", "T5", "T7"])
    'did you mean "T7"? It must be one of T1, T2, T3, T4, T5, T7'
    """
    known = list(known)
    near = nearest(name, known, by_family=by_family)
    if near is None:
        return f"must be one of {', '.join(known)}"
    rule, hint = f"must be one of {', '.join(known)}", f"did you mean {quote}{near}{quote}?"
    clear = nearest(name, known, by_family=by_family, cutoff=CLEAR) is not None
    return f"{hint} It {rule}" if clear and len(known) > SHORT_LIST else f"{rule}; {hint}"


def unknown_accelerator(name: str, known: Iterable[str]) -> str:
    """Return the rule that an unknown type of accelerator breaks, with the nearest one."""
    known = list(known)
    near = nearest(name, known)
    hint = "" if near is None else f'; did you mean "{near}"?'
    return f"is an unknown accelerator (known: {', '.join(known)}){hint}"


def is_number(value: object) -> bool:
    """Whether a value is a real number, of Python or numpy; a truth value is none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_type(name: str, value: object, kind: type, hint: str = "") -> None:
    """Check an argument that is easily mistaken for another.

    Raises
    ------
    TypeError
        If ``value`` is no ``kind``; the hint says how to get one.
    """
    if not isinstance(value, kind):
        advice = f": {hint}" if hint else ""
        raise TypeError(f"{name} = {shown(value)}, must be of type {kind.__name__}{advice}")


def check_path(name: str, value: object) -> None:
    """Check an argument that names a file.

    Raises
    ------
    TypeError
        If it is neither text nor a path of `os`, such as bytes.
    """
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"{name} = {shown(value)}, must be a path: str or os.PathLike")


def refuse_class(given: object) -> None:
    """Refuse a class where one of its objects is meant.

    Raises
    ------
    TypeError
        If it is a class.
    """
    if isinstance(given, type):
        raise TypeError(f"{given.__name__} is a class: give {given.__name__}()")


class HadaroptError(Exception):
    """Base class of every error that hadaropt raises on purpose."""


class PlacedError(HadaroptError):
    """An error at a place of an input: ``path = value, rule``.

    Parameters
    ----------
    path : str
        Place in the input, such as ``jobs[3].gang_size``.
    rule : str
        The rule that is broken, such as ``must be >= 1``.
    value : str, optional
        Text of the offending value (see `shown`); left out when there is none, in quotes where
        nothing of it could be seen.

    Attributes
    ----------
    file : str or None
        The file that the place is in, where the reader knows it.
    """

    file: str | None = None

    def __init__(self, path: str, rule: str, value: str | None = None) -> None:
        self.path, self.rule, self.value = path, rule, value
        place = path if value is None else f"{path} = {value if value.strip() else shown(value)}"
        super().__init__(f"{place}, {rule}" if place else rule)

    def below(self, prefix: str) -> PlacedError:
        """Return the same error with ``prefix`` put before its path."""
        joint = "" if not self.path or self.path.startswith("[") else "."
        return type(self)(f"{prefix}{joint}{self.path}", self.rule, self.value)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.path, self.rule, self.value), self.__dict__


class InstanceError(PlacedError):
    """An instance or workload breaks a rule of its format or model."""


class CertificateError(PlacedError):
    """A certificate file breaks a rule of its format."""


class OtherInstanceError(CertificateError):
    """A certificate is one of another instance."""


class TraceError(PlacedError):
    """A trace file cannot be read as the format it is said to be."""


class ScheduleError(PlacedError):
    """A schedule is infeasible, or its file breaks a rule of its format.

    Attributes
    ----------
    job, node, type : str or None
        Where the rule is broken, as far as it is known.
    round : int or None
        The round in which it is broken.
    """

    def __init__(
        self,
        path: str,
        rule: str,
        value: str | None = None,
        *,
        job: str | None = None,
        round: int | None = None,
        node: str | None = None,
        type: str | None = None,
    ) -> None:
        self.job, self.round, self.node, self.type = job, round, node, type
        super().__init__(path, rule, value)

    @classmethod
    def at(
        cls,
        rule: str,
        *,
        job: str | None = None,
        round: int | None = None,
        node: str | None = None,
        type: str | None = None,
        value: str | None = None,
    ) -> ScheduleError:
        """Return an error placed by job, round, node and accelerator type."""
        places = (("job", job), ("round", round), ("node", node), ("type", type))
        path = ", ".join(
            f"{key} {shown(place) if isinstance(place, str) else place}"
            for key, place in places
            if place is not None
        )
        return cls(path, rule, value, job=job, round=round, node=node, type=type)


class TrackerError(PlacedError):
    """A report, its parameters or a checkpoint breaks a rule of forked training."""


class TrainingStoppedError(HadaroptError):
    """Training cannot go on: no worker is left, or no copy of a job gets anything done."""


class LimitError(HadaroptError, OverflowError):
    """A legal input is too large: for exact sums in 64 bits, for a table, or for a solver."""


@contextmanager
def limited(what: str, hint: str = "") -> Iterator[None]:
    """Name what is too large where an integer, a float or a table overflows.

    Parameters
    ----------
    what : str
        What is computed, such as ``jobs[3]: the pricing tables``.
    hint : str
        What to do instead.

    Raises
    ------
    LimitError
        In the place of OverflowError, MemoryError and `decimal.Overflow`.
    """
    try:
        yield
    except LimitError:
        raise
    except (OverflowError, MemoryError, Overflow) as bad:
        reason = "a number is too large" if isinstance(bad, Overflow) else str(bad)
        raise LimitError(f"{what}: {reason}{hint and '; '}{hint}") from bad


USE_ILP = "use solve_ilp (--method ilp)"
"""What to do where the tables of pricing cannot hold an instance."""


class SolverError(HadaroptError):
    """A solver returned something that is not an answer."""


class CoqError(HadaroptError):
    """Coq is missing or too old, or does not compile the verified checker."""


class SweepError(HadaroptError):
    """A sweep cannot run as it was asked to: its folder or its cluster stands against it."""


class ClusterError(HadaroptError):
    """A Dask cluster does not answer, has no worker, or has workers of another hadaropt."""


class InvariantError(HadaroptError):
    """Two proven facts contradict each other: a defect of hadaropt, of a solver or of a scheduler.

    What names a scheduler of your own and a job or GPUs is a plan of it that breaks a rule.

    Attributes
    ----------
    files : tuple of str
        Files written so that the contradiction can be reproduced.
    """

    def __init__(self, message: str, files: tuple[str, ...] = ()) -> None:
        self.files = files
        super().__init__(message + (f" (reproduce with {', '.join(files)})" if files else ""))


class MissingExtraError(HadaroptError, ImportError):
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, extra: str, module: str) -> None:
        super().__init__(f"{module} is not installed: pip install 'hadaropt[{extra}]'")


def reproducing_files(error: BaseException) -> tuple[str, ...]:
    """Return the files that were written so that a defect can be reproduced."""
    files = getattr(error, "files", ())
    return files if isinstance(files, tuple) else ()
