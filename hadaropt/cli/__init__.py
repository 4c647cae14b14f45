"""The command line: ``hadaropt solve | online | check | verify``."""

from hadaropt.cli.entry import main

__all__ = ["main"]
