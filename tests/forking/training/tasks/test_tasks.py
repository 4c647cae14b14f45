"""Real models: a state holds all that training needs to go on elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from hadaropt.forking.tracking.averaging import check_tree, consolidate
from hadaropt.forking.tracking.tracker import Tracker
from hadaropt.forking.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from hadaropt.forking.training.copies import Order, run_copy
from hadaropt.forking.training.engines.engine import SimulatedNodes
from hadaropt.forking.training.loop import Training
from hadaropt.forking.training.options import TrainingJob
from hadaropt.forking.training.proportional import proportional
from hadaropt.forking.training.tasks.registry import TASK_NAMES, TORCH_TASKS, make_task

pytestmark = pytest.mark.train
REACHED = {"digits": 0.85, "diabetes": 0.25, "cancer": 0.9, "conv-digits": 0.9, "char-model": -5.0}


@pytest.fixture(params=TASK_NAMES)
def task(request):
    pytest.importorskip("sklearn", reason="the extra 'train' is not installed")
    if request.param in TORCH_TASKS:
        pytest.importorskip("torch", reason="torch is not installed")
    return make_task(request.param)


def flat(tree):
    if isinstance(tree, dict):
        return [leaf for name in tree for leaf in flat(tree[name])]
    if isinstance(tree, list):
        return [leaf for item in tree for leaf in flat(item)]
    return [tree]


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(flat(a), flat(b), strict=True))


def test_a_learner_made_from_a_state_goes_on_bit_for_bit(task):
    """... as the learner that the state was taken from: nothing is left behind."""
    first = task.learner(task.initial(5), np.random.default_rng(1))
    first.advance(7)
    middle = first.state()
    check_tree(middle)
    again = task.learner(middle, np.random.default_rng(2))
    first._batches = again._batches.__class__(
        again._batches._rows, again._batches._size, np.random.default_rng(2)
    )
    first.advance(5)
    again.advance(5)
    assert same(first.state(), again.state())
    assert not same(first.state(), middle)


def test_steps_made_at_once_are_steps_made_one_by_one(task):
    found = []
    for blocks in ([6], [1, 2, 3]):
        learner = task.learner(task.initial(5), np.random.default_rng(1))
        for steps in blocks:
            learner.advance(steps)
        found.append(learner.state())
    assert same(*found)


def test_the_models_own_counter_counts_the_steps(task):
    report = run_copy(Order(task, task.initial(0), 9, (3,)))
    optimiser = report.state["optimiser"]
    counters = [optimiser["t"]] if "t" in optimiser else [own["step"] for own in optimiser]
    assert {report.steps, *counters} == {9}


def test_seeds_name_the_first_weights(task):
    assert same(task.initial(4), task.initial(4))
    assert not same(task.initial(4), task.initial(5))
    assert task.score(task.initial(4)) == task.score(task.initial(4))


def test_forked_training_learns(task):
    training = Training(
        [TrainingJob(task, 600)],
        SimulatedNodes({"n0": 20, "n1": 10, "n2": 10}),
        plan=lambda views: proportional(views, round_steps=200),
    )
    training.run()
    sign = 1 if task.higher_is_better else -1
    start, end = sign * training.curve[0].score, sign * training.curve[-1].score
    assert end > max(start, REACHED[task.name])


def test_states_survive_a_checkpoint_bit_for_bit(task, tmp_path):
    state = run_copy(Order(task, task.initial(0), 3, (3,))).state
    books = Tracker({task.name: 9})
    save_checkpoint(Checkpoint(books, {task.name: state}, {}, [], [], 0.0), tmp_path)
    again = load_checkpoint(tmp_path).states[task.name]
    assert same(state, again)
    kinds = [(type(x), getattr(x, "dtype", None)) for x in flat(state)]
    assert kinds == [(type(x), getattr(x, "dtype", None)) for x in flat(again)]


def test_a_reset_optimiser_starts_anew(task):
    reports = {n: run_copy(Order(task, task.initial(0), 5, (k,))) for k, n in enumerate("ab")}
    states = {n: report.state for n, report in reports.items()}
    found = consolidate(states, {"a": 5, "b": 5}, optimiser="reset")
    assert same(found["optimiser"], task.initial(0)["optimiser"])
    task.learner(found, np.random.default_rng(0)).advance(1)
