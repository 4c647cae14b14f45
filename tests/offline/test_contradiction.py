"""Errors in the middle of a solve carry the best known answer, and what reproduces a defect."""

from __future__ import annotations

from pathlib import Path

import pytest

from hadaropt import read_instance, read_schedule
from hadaropt.errors import InstanceError, InvariantError, LimitError, ScheduleError
from hadaropt.offline.contradiction import answering, breach, carry, foreign, is_foreign
from hadaropt.offline.known import Known
from hadaropt.results import Result, Termination
from hadaropt.schedule import Allocation, Schedule
from tests.offline.support import duel

START = Schedule(((Allocation(0, ((0, 0, 1),)),), ()))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def known() -> Known:
    return Known(duel(), "auto", start=START)


def raised(error: BaseException) -> BaseException:
    with pytest.raises(BaseException) as caught, answering(known()):
        raise error
    return caught.value


@pytest.mark.parametrize("error", [ValueError("odd"), AssertionError(), KeyError("x")])
def test_a_defect_carries_the_answer_and_files_that_reproduce_it(error: Exception) -> None:
    found = raised(error)
    assert found is error
    answer = found.best_known  # type: ignore[attr-defined]
    assert (answer.value, answer.termination) == (4, "defect")
    names = {Path(file).name: file for file in found.files}  # type: ignore[attr-defined]
    assert set(names) == {"instance.json", "schedule.json", "start.json"}
    assert read_instance(names["instance.json"]) == duel()
    assert read_schedule(names["start.json"], duel()).jobs == START.jobs
    text = (Path(names["instance.json"]).parent / "traceback.txt").read_text()
    assert type(error).__name__ in text and "in raised" in text
    assert any("reproduce with" in note for note in found.__notes__)


@pytest.mark.parametrize(
    "error", [InstanceError("jobs", "must be"), LimitError("large"), MemoryError(), OSError("disk")]
)
def test_what_is_no_defect_leaves_no_files(error: Exception, folder: Path) -> None:
    found = raised(error)
    assert found is error and found.best_known.value == 4  # type: ignore[attr-defined]
    assert found.best_known.termination == "failed"  # type: ignore[attr-defined]
    assert list(folder.iterdir()) == []


def test_interrupts_pass_with_the_answer(folder: Path) -> None:
    found = raised(KeyboardInterrupt())
    assert found.best_known.value == 4 and list(folder.iterdir()) == []  # type: ignore[attr-defined]


def test_errors_of_a_callback_are_its_own(folder: Path) -> None:
    error = ValueError("mine")
    foreign(error)
    assert is_foreign(error) and not is_foreign(ValueError())
    found = raised(error)
    assert found is error and found.best_known.termination == "failed"  # type: ignore[attr-defined]
    assert list(folder.iterdir()) == []
    refused = ScheduleError("start", "must be feasible")
    foreign(refused)
    assert raised(refused) is refused


def test_a_schedule_that_is_refused_inside_is_a_defect() -> None:
    found = raised(ScheduleError("jobs[0]", "must not overlap"))
    assert isinstance(found, InvariantError) and "no schedule: jobs[0]" in str(found)
    assert found.best_known.termination == "defect"  # type: ignore[attr-defined]


def test_files_that_a_breach_wrote_are_kept_and_completed() -> None:
    better = Schedule(((Allocation(0, ((0, 0, 1),)),), (Allocation(1, ((0, 0, 1),)),)))
    with pytest.raises(InvariantError, match="two facts") as caught, answering(known()):
        breach("two facts", duel(), better)
    instance, schedule = caught.value.files
    assert read_schedule(schedule, duel()).jobs == better.jobs
    assert {file.name for file in Path(instance).parent.iterdir()} == {
        "instance.json",
        "schedule.json",
        "start.json",
        "traceback.txt",
    }


def test_an_answer_that_cannot_be_told_does_not_hide_the_error() -> None:
    class Broken(Known):
        def best(self, termination: Termination) -> Result:
            raise ZeroDivisionError

    error = ValueError("first")
    carry(error, Broken(duel(), "auto"))
    assert not hasattr(error, "best_known") and "could not be told" in error.__notes__[0]


def test_files_that_cannot_be_written_do_not_hide_it_either(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(folder / "absent"))
    found = raised(ValueError("first"))
    assert found.best_known.value == 4  # type: ignore[attr-defined]
    assert any("could not be written" in note for note in found.__notes__)
