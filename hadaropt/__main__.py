"""``python -m hadaropt``: the command line."""

from hadaropt.cli import main

if __name__ == "__main__":
    main()
