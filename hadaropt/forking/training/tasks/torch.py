"""Small torch models; their ``state_dict`` travels as numpy arrays.

Only this module imports torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hadaropt.forking.training.tasks.sklearn import load_data
from hadaropt.forking.training.tasks.task import Batches, State, Task

LETTERS = "\n" + "".join(map(chr, range(32, 127)))
WINDOW = 32
"""Characters that the language model is trained to continue at once."""


@dataclass(frozen=True)
class ConvTask:
    """Two convolutions with batch norm on 8 x 8 digits, Adam, cross entropy."""

    name: str = "conv-digits"
    batch: int = 32
    learning_rate: float = 1e-3
    metric: str = "accuracy"
    higher_is_better: bool = True

    def model(self) -> Any:
        """Return the network, with weights drawn by torch's generator."""
        from torch import nn

        return nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(16 * 4 * 4, 10),
        )

    def rows(self) -> int:
        """Return how many rows minibatches are drawn from."""
        return len(load_data("digits").x)

    def loss(self, model: Any, rows: NDArray[np.int64]) -> Any:
        """Return the mean cross entropy of a minibatch."""
        import torch

        data = load_data("digits")
        return torch.nn.functional.cross_entropy(
            model(_images(data.x[rows])), torch.from_numpy(data.y[rows])
        )

    def initial(self, seed: int) -> State:
        """Return the network as torch draws it under a seed, and an Adam that made no step."""
        return _initial(self, seed)

    def learner(self, state: State, rng: np.random.Generator) -> TorchLearner:
        """Return a learner that goes on from a state."""
        return TorchLearner(self, state, rng)

    def score(self, state: State) -> float:
        """Return the accuracy on the held-out digits."""
        import torch

        model = _load(self.model(), state).eval()
        data = load_data("digits")
        with torch.no_grad():
            guess = model(_images(data.x_test)).argmax(dim=1).numpy()
        return float((guess == data.y_test).mean())


@dataclass(frozen=True)
class CharTask:
    """A recurrent model of characters, on docstrings of the standard library.

    The text is that of the Python that runs: scores compare within one version of Python.
    """

    name: str = "char-model"
    batch: int = 16
    learning_rate: float = 3e-3
    metric: str = "bits per character"
    higher_is_better: bool = False

    def model(self) -> Any:
        """Return the network, with weights drawn by torch's generator."""
        from torch import nn

        class CharModel(nn.Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.embed = nn.Embedding(len(LETTERS), 16)
                self.recur = nn.GRU(16, 48, batch_first=True)
                self.out = nn.Linear(48, len(LETTERS))

            def forward(self, x: Any) -> Any:
                return self.out(self.recur(self.embed(x))[0])

        return CharModel()

    def rows(self) -> int:
        """Return the number of windows to train on; the last tenth of the text is held out."""
        return len(stdlib_text()) * 9 // 10 - WINDOW - 1

    def loss(self, model: Any, rows: NDArray[np.int64]) -> Any:
        """Return the mean cross entropy of the next characters, in nats."""
        import torch

        windows = stdlib_text()[rows[:, None] + np.arange(WINDOW + 1)]
        text = torch.from_numpy(windows)
        guess = model(text[:, :-1])
        return torch.nn.functional.cross_entropy(
            guess.reshape(-1, len(LETTERS)), text[:, 1:].reshape(-1)
        )

    def initial(self, seed: int) -> State:
        """Return the network as torch draws it under a seed, and an Adam that made no step."""
        return _initial(self, seed)

    def learner(self, state: State, rng: np.random.Generator) -> TorchLearner:
        """Return a learner that goes on from a state."""
        return TorchLearner(self, state, rng)

    def score(self, state: State) -> float:
        """Return bits per character on the held-out text."""
        import torch

        model = _load(self.model(), state).eval()
        first = self.rows() + WINDOW + 1
        rows = np.arange(first, len(stdlib_text()) - WINDOW - 1, WINDOW)
        with torch.no_grad():
            return float(self.loss(model, rows)) / float(np.log(2))


@cache
def stdlib_text() -> NDArray[np.int64]:
    """Return docstrings of the standard library as letter numbers; other letters are left out."""
    import importlib

    parts = []
    for name in (
        "argparse",
        "collections",
        "datetime",
        "decimal",
        "fractions",
        "random",
        "statistics",
    ):
        module = importlib.import_module(name)
        parts.append(module.__doc__ or "")
        for key in sorted(vars(module)):
            if not key.startswith("_"):
                parts.append(getattr(getattr(module, key), "__doc__", None) or "")
    numbers = {letter: i for i, letter in enumerate(LETTERS)}
    text = "\n".join(dict.fromkeys(parts))
    return np.array([numbers[letter] for letter in text if letter in numbers], dtype=np.int64)


class TorchLearner:
    """A torch model and its Adam that go on from a state."""

    def __init__(self, task: ConvTask | CharTask, state: State, rng: np.random.Generator) -> None:
        import torch

        torch.set_num_threads(1)  # a copy is one of several on the machine
        self._task = task
        self._model = _load(task.model(), state).train()
        self._batches = Batches(task.rows(), task.batch, rng)
        self._adam = torch.optim.Adam(self._model.parameters(), lr=task.learning_rate)
        document = self._adam.state_dict()
        document["state"] = {
            i: {
                "step": torch.tensor(float(moments["step"])),
                "exp_avg": torch.from_numpy(moments["exp_avg"].copy()),
                "exp_avg_sq": torch.from_numpy(moments["exp_avg_sq"].copy()),
            }
            for i, moments in enumerate(state["optimiser"])
        }
        self._adam.load_state_dict(document)

    def advance(self, steps: int) -> float:
        """Make so many steps of Adam; return the mean loss."""
        total = 0.0
        for rows in self._batches.take(steps).reshape(steps, -1):
            self._adam.zero_grad()
            loss = self._task.loss(self._model, rows)
            loss.backward()
            self._adam.step()
            total += float(loss.detach())
        return total / steps

    def state(self) -> State:
        """Return the ``state_dict`` and Adam's moments as numpy arrays."""
        moments = self._adam.state_dict()["state"]
        return {
            "parameters": _arrays(self._model),
            "optimiser": [
                {
                    "step": int(moments[i]["step"]),
                    "exp_avg": moments[i]["exp_avg"].numpy().copy(),
                    "exp_avg_sq": moments[i]["exp_avg_sq"].numpy().copy(),
                }
                for i in sorted(moments)
            ],
        }


TORCH_TASKS: dict[str, Task] = {"conv-digits": ConvTask(), "char-model": CharTask()}


def _initial(task: ConvTask | CharTask, seed: int) -> State:
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = task.model()
    zeros = [np.zeros(tuple(p.shape), dtype=np.float32) for p in model.parameters()]
    moments = [{"step": 0, "exp_avg": zero, "exp_avg_sq": zero.copy()} for zero in zeros]
    return {"parameters": _arrays(model), "optimiser": moments}


def _arrays(model: Any) -> dict[str, NDArray[Any]]:
    return {name: tensor.numpy().copy() for name, tensor in model.state_dict().items()}


def _load(model: Any, state: State) -> Any:
    import torch

    arrays = state["parameters"].items()
    model.load_state_dict({name: torch.as_tensor(array) for name, array in arrays})
    return model


def _images(x: NDArray[np.float64]) -> Any:
    import torch

    return torch.from_numpy(x.reshape(-1, 1, 8, 8).astype(np.float32))
