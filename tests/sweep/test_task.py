"""Tasks are named by their content."""

from __future__ import annotations

import pickle

import pytest

from hadaropt.sweep.task import Outcome, Task, task_key


def test_equal_contents_have_equal_keys_in_any_order():
    one = task_key({"a": 1, "b": [1, {"c": None}]})
    assert one == task_key({"b": [1, {"c": None}], "a": 1})
    assert len(one) == 64 and set(one) <= set("0123456789abcdef")


@pytest.mark.parametrize(
    "other", [{"a": 2}, {"a": "1"}, {"a": 1.5}, {"a": True}, {"a": None}, {"a": [1]}, {"b": 1}, {}]
)
def test_other_contents_have_other_keys(other):
    assert task_key(other) != task_key({"a": 1})


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), {1, 2}, object()])
def test_what_is_no_json_has_no_key(bad):
    with pytest.raises((ValueError, TypeError)):
        task_key({"a": bad})


def test_tasks_and_outcomes_go_to_other_processes():
    for own in (Task("k", "m:f", {"x": 1}), Outcome("error", "why")):
        assert pickle.loads(pickle.dumps(own)) == own
    assert Task("k", "m:f", {}).needs is None and Outcome("done").tries == 1
