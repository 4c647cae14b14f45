"""The command line: ``hadaropt solve | online | check | verify | generate | bench``."""

from hadaropt.cli.entry import main

__all__ = ["main"]
