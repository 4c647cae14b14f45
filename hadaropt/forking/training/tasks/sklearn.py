"""Multilayer perceptrons of scikit-learn, trained step by step with ``partial_fit``.

``partial_fit`` on k minibatches, unshuffled, is one pass: k steps of Adam. The optimiser's state
is kept in the estimator's private ``_optimizer``; a test shows that a learner made from a state
goes on bit for bit as the one that the state was taken from.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hadaropt.forking.training.tasks.task import Batches, State

DataName = Literal["digits", "diabetes", "breast_cancer"]


class Data(NamedTuple):
    """Rows to train on and rows to score on."""

    x: NDArray[np.float64]
    y: NDArray[Any]
    x_test: NDArray[np.float64]
    y_test: NDArray[Any]


@cache
def load_data(name: DataName) -> Data:
    """Return a data set that scientific Python ships, 70 % of it to train on.

    Inputs (and the target of a regression) are standardised with the training rows. The split is
    the same for everybody: it does not depend on any seed of the training.
    """
    from sklearn import datasets

    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    order = np.random.default_rng(2024).permutation(len(x))
    x, y = x[order].astype(np.float64), y[order]
    cut = len(x) * 7 // 10
    scale = x[:cut].std(axis=0)
    x = (x - x[:cut].mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    if name == "diabetes":
        y = (y - y[:cut].mean()) / y[:cut].std()
    return Data(x[:cut], y[:cut], x[cut:], y[cut:])


@dataclass(frozen=True)
class PerceptronTask:
    """A multilayer perceptron with Adam on one of the data sets.

    Parameters
    ----------
    name : str
    data : {"digits", "diabetes", "breast_cancer"}
    hidden : tuple of int
        Units of each hidden layer.
    batch : int
        Rows of a minibatch.
    learning_rate : float
        Adam's initial learning rate.
    """

    name: str
    data: DataName
    hidden: tuple[int, ...] = (32,)
    batch: int = 32
    learning_rate: float = 1e-3

    @property
    def metric(self) -> str:
        """``R2`` for the regression, else ``accuracy``."""
        return "R2" if self.data == "diabetes" else "accuracy"

    @property
    def higher_is_better(self) -> bool:
        """Yes for both."""
        return True

    def initial(self, seed: int) -> State:
        """Return weights drawn after Glorot and Bengio (2010), and an Adam that made no step."""
        rng = np.random.default_rng(seed)
        shapes = [weights.shape for weights in _primed(self).coefs_]
        limits = [np.sqrt(6 / sum(shape)) for shape in shapes]
        coefs = [rng.uniform(-b, b, shape) for b, shape in zip(limits, shapes, strict=True)]
        intercepts = [rng.uniform(-b, b, s[1]) for b, s in zip(limits, shapes, strict=True)]
        zeros = [np.zeros_like(array) for array in (*coefs, *intercepts)]
        return {
            "parameters": {"coefs": coefs, "intercepts": intercepts},
            "optimiser": {"ms": zeros, "vs": [z.copy() for z in zeros], "t": 0},
        }

    def learner(self, state: State, rng: np.random.Generator) -> PerceptronLearner:
        """Return a learner that goes on from a state."""
        return PerceptronLearner(self, self._restored(state), rng)

    def score(self, state: State) -> float:
        """Return accuracy or R2 on the held-out rows."""
        data = load_data(self.data)
        return float(self._restored(state).score(data.x_test, data.y_test))

    def _restored(self, state: State) -> Any:
        model = deepcopy(_primed(self))
        parameters, moments = state["parameters"], state["optimiser"]
        model.coefs_ = [array.copy() for array in parameters["coefs"]]
        model.intercepts_ = [array.copy() for array in parameters["intercepts"]]
        adam = model._optimizer
        adam.ms = [array.copy() for array in moments["ms"]]
        adam.vs = [array.copy() for array in moments["vs"]]
        adam.t = moments["t"]
        return model


@cache
def _primed(task: PerceptronTask) -> Any:
    """Return an estimator with all its attributes made, to be copied; its weights are no use."""
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    kind = MLPRegressor if task.data == "diabetes" else MLPClassifier
    model = kind(
        hidden_layer_sizes=task.hidden,
        solver="adam",
        batch_size=task.batch,
        learning_rate_init=task.learning_rate,
        shuffle=False,
        random_state=0,
    )
    data = load_data(task.data)
    rows = slice(0, task.batch)
    classes = {} if task.data == "diabetes" else {"classes": np.unique(data.y)}
    return model.partial_fit(data.x[rows], data.y[rows], **classes)


class PerceptronLearner:
    """An estimator that goes on from a state."""

    def __init__(self, task: PerceptronTask, model: Any, rng: np.random.Generator) -> None:
        self._data = load_data(task.data)
        self._model = model
        self._batches = Batches(len(self._data.x), task.batch, rng)

    def advance(self, steps: int) -> float:
        """Make so many steps of Adam; return the mean loss."""
        rows = self._batches.take(steps)
        self._model.partial_fit(self._data.x[rows], self._data.y[rows])
        return float(self._model.loss_)

    def state(self) -> State:
        """Return weights and Adam's state."""
        adam = self._model._optimizer
        return {
            "parameters": {
                "coefs": [array.copy() for array in self._model.coefs_],
                "intercepts": [array.copy() for array in self._model.intercepts_],
            },
            "optimiser": {
                "ms": [array.copy() for array in adam.ms],
                "vs": [array.copy() for array in adam.vs],
                "t": int(adam.t),
            },
        }


SKLEARN_TASKS = {
    "digits": PerceptronTask("digits", "digits"),
    "diabetes": PerceptronTask("diabetes", "diabetes"),
    "cancer": PerceptronTask("cancer", "breast_cancer", hidden=(16,)),
}
