import os
from pathlib import Path

import pytest

from tests.simulate.small import job, run


@pytest.fixture(scope="session")
def gavel_data():
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    root = Path(os.environ.get("HADAROPT_DATA", beside)) / "gavel"
    if not (root / "reference" / "runs.csv").is_file():
        pytest.skip(f"recorded runs of Gavel are not at hand ({root}); set HADAROPT_DATA")
    return root


@pytest.fixture
def two():
    """Job a holds the fast GPU for 150 s; b, which arrives at 50, holds it from 200 for 50 s."""
    only = {"fast": 1}
    jobs = job("a", 0, 1, 150, throughput=only), job("b", 50, 1, 50, throughput=only)
    return run("fast=1,slow=1", "yarn", *jobs)
