"""The command line: ``hadaropt COMMAND``."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # what is imported here delays the moment from which signals are handled
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Raises
    ------
    SystemExit
        Always, with the exit code.
    """
    import signal

    # Signals wait from the first moment on, until there is who handles them.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        from hadaropt.cli.common.signals import terminated_as_interrupted
    except BaseException:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        raise
    last = arguments is None
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    with terminated_as_interrupted(last=last) as termination:
        early = None
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            import hadaropt.cli.entry  # noqa: F401
        except KeyboardInterrupt as pressed:  # most of a short command is imports
            termination.finish()
            early = pressed
        from hadaropt.cli.entry import run

        run(tokens, termination, early)


__all__ = ["main"]
