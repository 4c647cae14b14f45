"""The worst play so far is on disk as soon as it is found."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from hadaropt import instance_sha256, read_instance
from hadaropt.bench.adversary import draft
from hadaropt.bench.adversary.archive import INSTANCE
from hadaropt.bench.adversary.draft import DRAFT, Drafts
from hadaropt.bench.adversary.judge import Judge
from tests.bench.adversary.plays import FIFO, LIMITS, TRAP, offer


@pytest.fixture
def judge():
    return Judge(FIFO, LIMITS)


def test_the_last_play_stands_in_the_place_of_the_one_before(judge, tmp_path):
    drafts = Drafts(judge, "fifo", "", tmp_path / "out")
    for offers in ((offer(10), offer(200, gang=2)), TRAP.offers):
        judged = judge(replace(TRAP, offers=offers), Fraction(0))
        drafts.keep("worst", judged)
    facts = json.loads((tmp_path / "out" / DRAFT).read_text())
    assert (facts["proved"], facts["primal"], facts["against"]) == (False, "1", "40")
    assert (facts["policy"], facts["evaluations"], facts["limits"]["jobs"]) == ("fifo", 2, 6)
    kept = read_instance(tmp_path / "out" / INSTANCE)
    assert facts["instance_sha256"] == instance_sha256(kept)
    assert kept == replace(TRAP.instance("mixed"), name="worst ratio of fifo")
    assert drafts.told == f", saved in {tmp_path / 'out'}"


def test_starved_plays_have_a_folder_of_their_own(judge, tmp_path):
    drafts = Drafts(judge, "fifo", "rival", tmp_path)
    drafts.keep("starved", judge(TRAP, Fraction(0)))
    assert (tmp_path / "starved" / DRAFT).is_file() and not (tmp_path / DRAFT).exists()
    drafts.settled("starved")
    assert {path.name for path in (tmp_path / "starved").iterdir()} == {INSTANCE}
    drafts.settled("worst")  # there is none


def test_a_full_disk_is_said_and_the_draft_before_it_stays_whole(judge, tmp_path, monkeypatch):
    drafts = Drafts(judge, "fifo", "", tmp_path)
    drafts.keep("worst", judge(TRAP, Fraction(0)))

    def full(*_):
        raise OSError(28, "No space left on device", "x")

    monkeypatch.setattr(draft, "write_instance", full)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    drafts.keep("worst", judge(TRAP, Fraction(0)))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert drafts.failure.strerror == "No space left on device" and drafts.told == ", NOT saved"
    monkeypatch.undo()
    drafts.keep("worst", judge(TRAP, Fraction(0)))
    assert drafts.failure is None


def test_without_a_folder_nothing_is_written(judge, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drafts = Drafts(judge, "fifo", "", None)
    drafts.keep("worst", judge(TRAP, Fraction(0)))
    drafts.settled("worst")
    assert (drafts.told, drafts.folder("starved"), list(tmp_path.iterdir())) == ("", None, [])
