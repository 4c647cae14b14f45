"""What goes wrong while an answer is written is kept beside it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt import read_schedule, run_online
from hadaropt.certificates import read_certificate
from hadaropt.cli.common import kept
from hadaropt.cli.common.kept import keep_certificate, keep_schedule
from hadaropt.schedule import Schedule
from tests.cli.conftest import SMALL_OPTIMUM, make_instance, optimal_schedule


def test_a_schedule_is_written_where_it_was_asked_for(tmp_path):
    instance, troubles = make_instance(), []
    file = tmp_path / "s.json"
    assert keep_schedule(instance, optimal_schedule(), file, troubles) == {"schedule": str(file)}
    assert read_schedule(file, instance).value == SMALL_OPTIMUM and troubles == []
    assert keep_schedule(instance, None, file, troubles) == {}
    assert keep_schedule(instance, optimal_schedule(), None, troubles) == {}


def test_a_place_that_cannot_be_written_is_no_loss(tmp_path, monkeypatch):
    instance, troubles = make_instance(), []
    monkeypatch.setattr(kept.tempfile, "mkdtemp", lambda prefix: str(make(tmp_path / prefix)))
    written = keep_schedule(instance, optimal_schedule(), tmp_path / "no" / "s.json", troubles)
    (bad,) = troubles
    assert isinstance(bad, OSError)
    assert Path(written["schedule"]).parent == tmp_path / "hadaropt-kept-"
    assert read_schedule(written["schedule"], instance).value == SMALL_OPTIMUM


def make(folder):
    folder.mkdir()
    return folder


def test_where_nothing_can_be_written_both_troubles_are_told(tmp_path, monkeypatch):
    def full(prefix):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept.tempfile, "mkdtemp", full)
    troubles = []
    place = tmp_path / "no" / "s.json"
    assert keep_schedule(make_instance(), optimal_schedule(), place, troubles) == {}
    assert [type(bad) for bad in troubles] == [FileNotFoundError, OSError]


def test_a_certificate_is_made_verified_and_written(tmp_path):
    instance, written, troubles = make_instance(), {}, []
    run = run_online(instance, "primal_dual:zero_start")
    file = tmp_path / "c.json"
    proof = keep_certificate(instance, run, None, file, written, troubles)
    assert written == {"certificate": str(file)} and troubles == []
    assert read_certificate(file, instance).bound == proof.certificate.bound
    assert proof.verification.value == run.value <= proof.verification.bound
    assert keep_certificate(instance, run, None, None, {}, troubles) is None


@pytest.mark.parametrize("trouble", [KeyboardInterrupt(), ValueError("no")])
def test_whatever_ends_the_proof_is_beside_the_answer(tmp_path, monkeypatch, trouble):
    def stop(*_):
        raise trouble

    monkeypatch.setattr(kept, "prove", stop)
    written, troubles = {"schedule": "s"}, []
    run = run_online(make_instance(), "fifo")
    file = tmp_path / "c.json"
    assert keep_certificate(make_instance(), run, None, file, written, troubles) is None
    assert troubles == [trouble] and written == {"schedule": "s"} and not file.exists()


def test_an_infeasible_schedule_is_never_written(tmp_path, monkeypatch):
    monkeypatch.setattr(kept.tempfile, "mkdtemp", lambda prefix: str(make(tmp_path / prefix)))
    claims = Schedule(optimal_schedule().jobs, value=Fraction(10**6))
    troubles = []
    assert keep_schedule(make_instance(), claims, tmp_path / "s.json", troubles) == {}
    assert len(troubles) == 2 and not (tmp_path / "s.json").exists()
