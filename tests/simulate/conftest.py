import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def gavel_data():
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    root = Path(os.environ.get("HADAROPT_DATA", beside)) / "gavel"
    if not (root / "reference" / "runs.csv").is_file():
        pytest.skip(f"recorded runs of Gavel are not at hand ({root}); set HADAROPT_DATA")
    return root
