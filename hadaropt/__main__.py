"""``python -m hadaropt``: the command line."""

import os
import sys

# `-m` puts the folder where one works first; it may hold a file with the name of any module.
if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
    _here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.path[0] != _here:
        del sys.path[0]

from hadaropt.cli import main

if __name__ == "__main__":
    main()
