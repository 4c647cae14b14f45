"""``python -m hadaropt.cli``."""

from hadaropt.cli import main

if __name__ == "__main__":
    main()
