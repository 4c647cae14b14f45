"""Warnings of this package, as lines for people."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import hadaropt

PACKAGE = Path(hadaropt.__file__).parent


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Within the block, print each RuntimeWarning of this package, without its place in the code.

    Those of libraries are shown as Python does.
    """
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, RuntimeWarning) and Path(filename).is_relative_to(PACKAGE):
                print(f"hadaropt: warning: {message}", file=sys.stderr)
            else:
                others(message, category, filename, lineno, file, line)

        warnings.filterwarnings("always", category=RuntimeWarning, module=r"hadaropt\.")
        warnings.showwarning = show
        yield
