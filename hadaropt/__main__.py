"""``python -m hadaropt``: the command line."""

import contextlib
import os
import sys

# `-m` puts the folder where one works first; it may hold a file with the name of any module.
if not sys.flags.safe_path:
    with contextlib.suppress(FileNotFoundError):  # the folder where one works was removed
        _here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        if sys.path[:1] == [os.getcwd()] != [_here]:
            del sys.path[0]

from hadaropt.cli import main

if __name__ == "__main__":
    main()
