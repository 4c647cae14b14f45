"""Where the small files of every format are."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

EDGE = Path(str(files("hadaropt.traces") / "edge"))
