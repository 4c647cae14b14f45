"""A package of another author, with policies and a scheduler that behave and misbehave."""

from __future__ import annotations

import importlib
import sys
import textwrap
from pathlib import Path

import pytest

SOURCE = """
import os, signal, time
from hadaropt.policies import ArrivalPolicy
from hadaropt.simulate.schedulers.yarn import Yarn

class Lazy(ArrivalPolicy):
    name = "lazy"
    def arrive(self, past, j, free):
        return None

class Hangs(Lazy):
    name = "hangs"
    def arrive(self, past, j, free):
        while True:
            time.sleep(0.01)

class Dies(Lazy):
    name = "dies"
    def arrive(self, past, j, free):
        os.kill(os.getpid(), signal.SIGSEGV)

class Raises(Lazy):
    name = "raises"
    def arrive(self, past, j, free):
        if "MENDED" not in os.environ:
            raise ZeroDivisionError("ratio")

class Square:
    name = "square"
    def tables(self, known):
        return known.tabulate(lambda at: [at.U * min(g, at.N) ** 2 for g in range(at.c + 1)])

class Renamed(Square):
    name = "another"

class Backwards(Yarn):
    name = "backwards"

def no_policy():
    return 7
"""

ENTRY_POINTS = """
[hadaropt.policies]
lazy = fake_contestants:Lazy
hangs = fake_contestants:Hangs
dies = fake_contestants:Dies
raises = fake_contestants:Raises
seven = fake_contestants:no_policy
absent = fake_contestants:Absent

[hadaropt.prices]
square = fake_contestants:Square
renamed = fake_contestants:Renamed
eight = fake_contestants:no_policy

[hadaropt.schedulers]
backwards = fake_contestants:Backwards
"""


def write_package(site: Path, entry_points: str = ENTRY_POINTS) -> Path:
    """Write an installed package and return its module."""
    info = site / "fake_contestants-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fake-contestants\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(textwrap.dedent(entry_points))
    module = site / "fake_contestants.py"
    module.write_text(SOURCE)
    return module


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The module file of the package, on the path of this process and of its children."""
    module = write_package(tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    importlib.invalidate_caches()
    yield module
    sys.modules.pop("fake_contestants", None)
