"""``python -m hadaropt.cli``."""

from hadaropt.cli import main

main()
