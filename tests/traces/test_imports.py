"""Reading traces needs the standard library and the exact core, nothing heavy."""

from __future__ import annotations

import subprocess
import sys


def test_traces_load_no_array_library_and_no_extra() -> None:
    code = (
        "import sys, hadaropt.traces\n"
        "heavy = {'numpy', 'pandas', 'polars', 'scipy', 'numba', 'pooch', 'matplotlib'}\n"
        "assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
