"""Whatever happens once an answer is known, it is printed and written, with what went wrong."""

from __future__ import annotations

import errno
import os
import signal
import tempfile
import time
from pathlib import Path

import pytest

import hadaropt.certificates
import hadaropt.io
from hadaropt import check_schedule, read_schedule, write_schedule
from hadaropt.cli import check as check_command
from hadaropt.errors import CertificateError
from hadaropt.mip.highs import HighsModel
from hadaropt.offline import solve as one_door
from hadaropt.offline.colgen import pricing_data as options
from hadaropt.offline.compact import solve as programs

from .conftest import SMALL_OPTIMUM, optimal_schedule


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))


@pytest.fixture
def start_file(instance, tmp_path):
    path = tmp_path / "start.json"
    write_schedule(optimal_schedule(), path, instance)
    return path


def failing(error):
    def function(*_, **__):
        raise error

    return function


def value_of(file, instance):
    return check_schedule(instance, read_schedule(file, instance)).value


def test_a_full_disk_keeps_the_schedule_elsewhere(
    run, instance, instance_file, tmp_path, monkeypatch
):
    out = tmp_path / "out.json"
    honest = hadaropt.io.write_schedule

    def full(schedule, path, problem):
        if path == out:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        honest(schedule, path, problem)

    monkeypatch.setattr(hadaropt.io, "write_schedule", full)
    answer = run("solve", instance_file, "-o", out, "--json")
    assert answer.code == 4
    document = answer.document
    assert document["objective"] == str(SMALL_OPTIMUM)
    assert document["error"]["message"] == f"{out}: No space left on device"
    assert value_of(document["files"]["schedule"], instance) == SMALL_OPTIMUM
    text = run("solve", instance_file, "-o", out)
    assert "value" in text.out and "trouble" in text.out
    assert "No space left" in text.err


def test_a_full_disk_for_the_certificate_keeps_the_schedule(
    run, instance, instance_file, tmp_path, monkeypatch
):
    out, claim = tmp_path / "out.json", tmp_path / "claim.json"
    full = OSError(errno.ENOSPC, "No space left on device", str(claim))
    monkeypatch.setattr(hadaropt.certificates, "write_certificate", failing(full))
    answer = run("solve", instance_file, "-o", out, "--certificate", claim, "--json")
    assert answer.code == 4
    assert answer.document["grade"] == "proved"
    assert answer.document["files"] == {"schedule": str(out)}
    assert value_of(out, instance) == SMALL_OPTIMUM


def test_a_refused_certificate_is_a_defect_beside_the_answer(
    run, instance, instance_file, tmp_path, monkeypatch
):
    out, claim = tmp_path / "out.json", tmp_path / "claim.json"
    refusal = CertificateError("tree.nodes[5].bound", "must be at least 21", "10")
    monkeypatch.setattr(hadaropt.certificates, "verify", failing(refusal))
    answer = run("solve", instance_file, "-o", out, "--certificate", claim, "--json")
    assert answer.code == 5
    document = answer.document
    assert document["objective"] == str(SMALL_OPTIMUM)
    assert value_of(out, instance) == SMALL_OPTIMUM
    assert not claim.exists()
    assert (
        "the verifier refuses the certificate of this answer: tree.nodes[5]"
        in document["error"]["message"]
    )
    files = document["error"]["files"]
    assert {Path(file).name for file in files} >= {"instance.json", "certificate.json"}
    assert all(Path(file).exists() for file in files)


@pytest.mark.parametrize("method", ["auto", "ilp", "branch-and-price"])
def test_a_defect_in_a_phase_prints_and_writes_the_answer(
    run, instance, instance_file, start_file, tmp_path, monkeypatch, method
):
    for owner, name in ((one_door, "run_phases"), (programs, "assemble"), (options.Space, "of")):
        monkeypatch.setattr(owner, name, failing(IndexError("planted")))
    out = tmp_path / "out.json"
    options_ = ("--method", method, "--start", start_file, "-o", out, "--json")
    answer = run("solve", instance_file, *options_)
    assert answer.code == 5
    document = answer.document
    assert document["objective"] == str(SMALL_OPTIMUM)
    assert value_of(out, instance) == SMALL_OPTIMUM
    assert document["error"]["kind"] == "IndexError"
    folder = Path(document["error"]["files"][0]).parent
    names = {"instance.json", "start.json", "schedule.json", "traceback.txt"}
    assert {file.name for file in folder.iterdir()} == names
    assert str(folder) in answer.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("started", [False, True])
def test_a_signal_or_two_in_the_integer_program(
    run, instance, instance_file, start_file, tmp_path, monkeypatch, number, code, started
):
    honest = HighsModel.run

    def pressed(self, time_limit=None):
        if not self._mip:
            return honest(self, time_limit)
        try:
            os.kill(os.getpid(), number)
            time.sleep(1)
        except KeyboardInterrupt:
            os.kill(os.getpid(), number)
            raise
        raise AssertionError("not interrupted")

    monkeypatch.setattr(HighsModel, "run", pressed)
    monkeypatch.setattr(programs, "certified_bound", lambda *_: None)
    out = tmp_path / "out.json"
    given = ("--start", start_file) if started else ()
    answer = run("solve", instance_file, "--method", "ilp", *given, "-o", out, "--json")
    assert answer.code == code
    document = answer.document
    assert document["termination"] == "interrupted"
    if started:
        assert document["objective"] == str(SMALL_OPTIMUM)
        assert value_of(out, instance) == SMALL_OPTIMUM


def test_a_signal_before_the_solver_begins_keeps_the_start(
    run, instance, instance_file, start_file, tmp_path, monkeypatch
):
    monkeypatch.setattr(one_door, "solve", failing(KeyboardInterrupt()))
    out = tmp_path / "out.json"
    answer = run("solve", instance_file, "--start", start_file, "-o", out, "--json")
    assert answer.code == 130
    assert answer.document["objective"] == str(SMALL_OPTIMUM)
    assert value_of(out, instance) == SMALL_OPTIMUM


def test_ctrl_c_while_the_certificate_is_made_keeps_the_schedule(
    run, instance, instance_file, tmp_path, monkeypatch
):
    monkeypatch.setattr(hadaropt.certificates, "verify", failing(KeyboardInterrupt()))
    out, claim = tmp_path / "out.json", tmp_path / "claim.json"
    answer = run("solve", instance_file, "-o", out, "--certificate", claim, "--json")
    assert answer.code == 130
    assert answer.document["grade"] == "proved"
    assert value_of(out, instance) == SMALL_OPTIMUM
    assert not claim.exists()


def test_a_defect_of_any_command_keeps_its_inputs_and_the_traceback(
    run, instance_file, start_file, monkeypatch
):
    monkeypatch.setattr(check_command, "load_instance", failing(ZeroDivisionError("planted")))
    answer = run("check", instance_file, start_file, "--json")
    assert answer.code == 5
    traceback, *inputs = map(Path, answer.document["error"]["files"])
    assert "planted" in traceback.read_text()
    assert [file.read_bytes() for file in inputs] == [
        instance_file.read_bytes(),
        start_file.read_bytes(),
    ]


def test_models_that_were_solved_are_told_when_one_fails(run, instance_file, monkeypatch):
    honest, calls = one_door.solve, []

    def second_fails(*arguments, **given):
        calls.append(arguments)
        if len(calls) == 2:
            raise IndexError("planted")
        return honest(*arguments, **given)

    monkeypatch.setattr("hadaropt.offline.nested.solve", second_fails)
    answer = run("models", instance_file, "--json")
    assert answer.code == 5
    document = answer.document
    assert set(document["models"]) == {"single_type", "mixed", "forked"}
    assert document["models"]["single_type"]["grade"] == "proved"
    assert document["error"]["kind"] == "IndexError"


def test_a_refused_certificate_of_an_online_run_keeps_the_run(
    run, instance, instance_file, tmp_path, monkeypatch
):
    out, claim = tmp_path / "out.json", tmp_path / "claim.json"
    refusal = CertificateError("bound", "must be at least 21", "10")
    monkeypatch.setattr(hadaropt.certificates, "verify", failing(refusal))
    answer = run("online", instance_file, "-o", out, "--certificate", claim, "--json")
    assert answer.code == 5
    assert str(value_of(out, instance)) == answer.document["primal"]
    assert answer.document["files"] == {"schedule": str(out)}
    assert answer.document["error"]["files"]
