"""Where the public data lies, for the tests that need it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of public data; skip where it is absent."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    root = Path(os.environ.get("HADAROPT_DATA", beside))
    if not root.is_dir():
        pytest.skip(f"public traces are not at hand ({root}); set HADAROPT_DATA")
    return root
