"""The command line: ``hadaropt COMMAND``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hadaropt.cli.common.signals import terminated_as_interrupted


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Raises
    ------
    SystemExit
        Always, with the exit code.
    """
    last = arguments is None
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    with terminated_as_interrupted(last=last) as termination:
        early = None
        try:
            import hadaropt.cli.entry  # noqa: F401
        except KeyboardInterrupt as pressed:  # most of a short command is imports
            termination.finish()
            early = pressed
        from hadaropt.cli.entry import run

        run(tokens, termination, early)


__all__ = ["main"]
