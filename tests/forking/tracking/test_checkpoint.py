import json

import pytest

from hadaropt.errors import TrackerError
from hadaropt.forking import Tracker, Verdict
from hadaropt.forking.tracking.checkpoint import load_tracker, save_tracker, tracker_document


def started():
    tracker = Tracker({"a": 100, "b": 5})
    tracker.join("n0")
    (copy,) = tracker.fork("a", {"n0": 30})
    tracker.report(copy.ticket, 30, 10**9)
    tracker.close("a")
    return tracker


def test_a_checkpoint_goes_on_from_the_last_closed_round(tmp_path):
    tracker, file = started(), tmp_path / "books.json"
    (lost,) = tracker.fork("a", {"n0": 20})
    save_tracker(tracker, file)
    again = load_tracker(file)
    assert (again.done("a"), again.waiting("a"), again.rounds("a")) == (30, 70, 1)
    assert (again.nodes, again.session, again.speed("a", "n0")) == ((), 1, 30_000_000)
    assert again.report(lost.ticket, 20, 1) is Verdict.LATE
    again.join("n0")
    (copy,) = again.fork("a", {"n0": 70})
    assert copy.ticket != lost.ticket
    assert again.report(lost.ticket, 20, 1) is Verdict.LATE
    assert again.report(copy.ticket, 70, 1) is Verdict.ACCEPTED
    again.close("a")
    assert again.done("a") == 100


def test_a_failed_write_leaves_the_last_checkpoint(tmp_path, monkeypatch):
    tracker, file = started(), tmp_path / "books.json"
    save_tracker(tracker, file)
    before = file.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space"):
        save_tracker(tracker, file)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("format",), "hadaropt-tracker/2", "is version 2"),
        (("session",), -1, "session = -1, must be >= 0"),
        (("jobs", 0, "done"), 101, r"jobs\[0\].done = 101, must be <= 100, the total"),
        (("jobs", 0, "done"), 0.5, r"jobs\[0\].done = 1/2, must be an integer"),
        (("jobs", 0, "total"), 0, r"jobs\[0\].total = 0, must be >= 1"),
        (("jobs", 1, "name"), "a", r'jobs\[1\].name = "a", must not be there twice'),
        (("jobs", 0, "speeds"), [], r"jobs\[0\].speeds = \[\], must be an object"),
        (("jobs", 0, "speeds"), {"n0": 0}, r'jobs\[0\].speeds\["n0"\] = 0, must be >= 1'),
        (("jobs", 0, "extra"), 1, r"jobs\[0\].extra, is an unknown field"),
    ],
)
def test_a_bad_checkpoint_names_place_value_and_rule(tmp_path, place, value, message):
    document = json.loads(json.dumps(tracker_document(started())))
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    file = tmp_path / "books.json"
    file.write_text(json.dumps(document))
    with pytest.raises(TrackerError, match=message):
        load_tracker(file)
