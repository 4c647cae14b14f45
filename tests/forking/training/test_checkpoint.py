from __future__ import annotations

import io
import json

import numpy as np
import pytest

from hadaropt.errors import TrackerError
from hadaropt.forking.tracking.tracker import Tracker
from hadaropt.forking.training.checkpoint import FILE, Checkpoint, load_checkpoint, save_checkpoint
from hadaropt.forking.training.events import CopyRecord, CurvePoint

STATE = {
    "parameters": {"w": [np.array([[1.5]], np.float32), np.array(7)], "n": 3, "f": 0.1},
    "optimiser": {"kind": "adam", "none": None, "flag": True},
}


def saved(folder):
    checkpoint = Checkpoint(
        Tracker({"a": 10}),
        {"a": STATE},
        {"seed": 4},
        [CurvePoint("a", 0, 0, 0.0, 0.25, 0)],
        [CopyRecord("a", 0, "n0", 3, 0.5, 1.25)],
        2.5,
    )
    save_checkpoint(checkpoint, folder)
    return checkpoint


def test_everything_comes_back(tmp_path):
    checkpoint, again = saved(tmp_path), load_checkpoint(tmp_path)
    assert again[2:] == checkpoint[2:]
    (state,) = again.states.values()
    assert state["optimiser"] == STATE["optimiser"]
    assert (state["parameters"]["n"], state["parameters"]["f"]) == (3, 0.1)
    for found, kept in zip(state["parameters"]["w"], STATE["parameters"]["w"], strict=True):
        assert (found.dtype, found.shape, found.tolist()) == (kept.dtype, kept.shape, kept.tolist())


def test_the_file_before_stays_when_a_write_fails(tmp_path, monkeypatch):
    saved(tmp_path)
    before = (tmp_path / FILE).read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        saved(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [FILE]


def rewritten(folder, change):
    """Write the checkpoint again with its header changed."""
    saved(folder)
    with np.load(folder / FILE) as members:
        arrays = dict(members)
    header = json.loads(arrays["header"].tobytes())
    change(header)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    data = io.BytesIO()
    np.savez(data, **arrays)
    (folder / FILE).write_bytes(data.getvalue())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: h.update(format="hadaropt-training/2"), "is version 2"),
        (lambda h: h.pop("curve"), "curve, is missing"),
        (lambda h: h.update(more=1), "more, is an unknown field"),
        (lambda h: h.update(seconds=float("nan")), "must hold finite numbers only"),
        (lambda h: h.update(seconds=-1), "seconds = -1, must be a number >= 0"),
        (lambda h: h.update(states=[]), r"states = \[\], must be an object"),
        (lambda h: h["states"].pop("a"), "states.a, is missing"),
        (lambda h: h["states"].update(a={"array": 99}), r"states.a = .*, must be a packed tree"),
        (lambda h: h["states"].update(a={"list": [], "map": {}}), "must be a packed tree"),
        (lambda h: h["curve"][0].pop(), r"curve\[0\] = .*, must be a list of 6"),
        (lambda h: h["tracker"]["jobs"][0].update(done=11), r"tracker.jobs\[0\].done = 11"),
    ],
)
def test_a_bad_header_names_place_value_and_rule(tmp_path, change, message):
    rewritten(tmp_path, change)
    with pytest.raises(TrackerError, match=message):
        load_checkpoint(tmp_path)


def test_files_that_are_no_checkpoints(tmp_path):
    saved(tmp_path)
    data = (tmp_path / FILE).read_bytes()
    other = io.BytesIO()
    np.savez(other, x=np.zeros(2))
    pickled = io.BytesIO()
    np.savez(pickled, header=np.array([{"a": 1}], dtype=object))
    bad = [data[: len(data) // 2], b"", b"text", other.getvalue(), pickled.getvalue()]
    for content in bad:
        (tmp_path / FILE).write_bytes(content)
        with pytest.raises(TrackerError, match=r"checkpoint\.npz, is not a"):
            load_checkpoint(tmp_path)


def test_a_state_that_is_not_finite_is_refused(tmp_path):
    state = {"parameters": {"w": np.array([np.inf])}, "optimiser": {}}
    save_checkpoint(Checkpoint(Tracker({"a": 1}), {"a": state}, {}, [], [], 0.0), tmp_path)
    with pytest.raises(TrackerError, match=r"states.a.parameters.w\[0\] = inf, must be finite"):
        load_checkpoint(tmp_path)
