"""Recorded programs of Gavel."""

import json

import pytest


@pytest.fixture(scope="module")
def snapshots(gavel_data):
    return json.loads((gavel_data / "snapshots.json").read_text())["snapshots"]
