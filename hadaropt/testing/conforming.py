"""What an extension raises, as the AssertionError of whoever asserts that it conforms."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hadaropt.errors import HadaroptError


@contextmanager
def conforming(who: str, action: str = "") -> Iterator[None]:
    """Run an extension: whatever it raises says that it does not conform, and why.

    Parameters
    ----------
    who : str
        The extension, such as ``policy mine``.
    action : str
        What it is asked for, such as ``tables(known)``; for errors that are not hadaropt's.

    Raises
    ------
    AssertionError
        In the place of every Exception, which is its cause.
    """
    try:
        yield
    except Exception as bad:
        text = str(bad)
        if isinstance(bad, HadaroptError | TypeError) and text.startswith(who):
            raise AssertionError(text) from bad
        if isinstance(bad, HadaroptError):
            raise AssertionError(f"{who}: {text}") from bad
        what = f"{who}, {action}" if action else who
        raise AssertionError(f"{what} raises {type(bad).__name__}: {text}") from bad
