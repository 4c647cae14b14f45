"""Finds on disk: written, read, replayed; and the archive of the worst that are known."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from benchmarks.adversaries.__main__ import table
from hadaropt.bench.adversary import archive
from hadaropt.bench.adversary.archive import FIND, replay, settle, write_find
from hadaropt.bench.adversary.judge import Judge
from hadaropt.policies import make_policy
from tests.bench.adversary.test_search import FIFO, LIMITS, TRAP
from tests.interrupting import cut_short

ARCHIVE = Path(__file__).parents[3] / "benchmarks" / "adversaries"
FOLDERS = sorted(path.parent for path in ARCHIVE.rglob(FIND))


@pytest.fixture
def find():
    judge = Judge(FIFO, LIMITS)
    return settle(judge(TRAP, Fraction(0)), judge, "fifo")


def test_a_find_is_proved_and_says_what_it_is(find):
    assert (find.primal, find.best, find.bound, find.against) == (1, 40, 40, 40)
    assert (find.completion, find.best_completion) == ((0, None), (None, 0))
    assert find.lower == 40  # gangs as large as the node: c U/L
    assert find.theorem == "" and find.guarantee is None


def test_replay_agrees_with_what_was_written(find, tmp_path):
    files = write_find(find, tmp_path)
    assert {Path(file).name for file in files.values()} == {p.name for p in tmp_path.iterdir()}
    again, different = replay(tmp_path)
    assert different == {}
    assert again.facts() == find.facts()


def test_facts_are_never_beside_an_instance_of_another_find(find, tmp_path, monkeypatch):
    write_find(find, tmp_path)

    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive, "write_certificate", fails)
    with pytest.raises(OSError, match="No space"):
        write_find(find, tmp_path)
    assert not (tmp_path / FIND).exists()


@pytest.mark.parametrize(
    ("fact", "value"), [("primal", "2"), ("bound", "39"), ("lower_bound", "1")]
)
def test_replay_tells_what_differs(find, tmp_path, fact, value):
    write_find(find, tmp_path)
    facts = json.loads((tmp_path / FIND).read_text())
    kept = facts[fact]
    (tmp_path / FIND).write_text(json.dumps(facts | {fact: value}))
    assert replay(tmp_path)[1] == {fact: (value, kept)}


def test_replay_refuses_another_format_and_a_wider_class(find, tmp_path):
    write_find(find, tmp_path)
    facts = json.loads((tmp_path / FIND).read_text())
    facts["limits"]["spread"] = 19
    (tmp_path / FIND).write_text(json.dumps(facts))
    assert "limits" in replay(tmp_path)[1]
    (tmp_path / FIND).write_text(json.dumps(facts | {"format": "other/1"}))
    with pytest.raises(ValueError, match="format = other/1"):
        replay(tmp_path)


def test_policies_that_revise_have_no_lower_bound(tmp_path):
    judge = Judge(make_policy("rolling_horizon"), LIMITS)
    find = settle(judge(TRAP, Fraction(0)), judge, "rolling_horizon")
    assert find.lower is None
    assert find.primal == find.best == 40


def test_the_table_is_that_of_the_archive():
    assert table() == (ARCHIVE / "README.md").read_text("utf-8")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: str(path.relative_to(ARCHIVE)))
def test_the_archive_holds(folder):
    """Certificates verify, policies do what is recorded, theorems are not refuted."""
    find, different = replay(folder)
    assert different == {}
    assert find.best == find.bound
    if find.guarantee is not None:
        assert find.best <= find.guarantee


def test_ctrl_c_in_the_proof_is_said(find, monkeypatch):
    assert not find.interrupted
    cut_short(monkeypatch, archive, "branch_and_price")
    judge = Judge(FIFO, LIMITS)
    assert settle(judge(TRAP, Fraction(0)), judge, "fifo").interrupted
