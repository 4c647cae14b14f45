"""The command line: ``hadaropt COMMAND``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hadaropt.cli.common.exits import INTERRUPTED


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Raises
    ------
    SystemExit
        Always, with the exit code.
    """
    try:
        from hadaropt.cli.entry import run
    except KeyboardInterrupt:  # most of a short command is imports
        sys.exit(INTERRUPTED)
    run(sys.argv[1:] if arguments is None else arguments)


__all__ = ["main"]
