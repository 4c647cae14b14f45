"""The command line: ``hadaropt COMMAND``."""

from hadaropt.cli.entry import main

__all__ = ["main"]
