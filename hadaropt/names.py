"""Names of a set: how one may be spelled, in Python as on the command line."""

from __future__ import annotations

from collections.abc import Iterable

from hadaropt.errors import InstanceError, PlacedError, one_of, shown


def spelled(text: str, known: Iterable[str]) -> str | None:
    """Return the known name that a text spells, ``-`` and ``_`` alike, or None.

    A name that is written exactly comes before one that is only alike.

    Examples
    --------
    >>> spelled("zero-start", ["zero_start", "linear"])
    'zero_start'
    """
    names = list(known)
    alike = (name for name in names if name.replace("-", "_") == text.replace("-", "_"))
    return text if text in names else next(alike, None)


def known_name(
    path: str, text: object, known: Iterable[str], error: type[PlacedError] = InstanceError
) -> str:
    """Return the known name that an argument spells, see `spelled`.

    Parameters
    ----------
    path : str
        Place of the argument, for the error.
    text : object
        What was given; only a str can be a name.
    known : iterable of str
        All names, in the order in which the error lists them.
    error : type
        What is raised.

    Raises
    ------
    InstanceError
        Or another ``error``, if there is no such name; the first of the family ``text:``, or the
        nearest, is given.
    """
    names = list(known)
    name = spelled(text, names) if isinstance(text, str) else None
    if name is None:
        raise error(path, one_of(str(text), names, by_family=True), shown(text))
    return name
