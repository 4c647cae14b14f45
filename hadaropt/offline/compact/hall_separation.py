"""Separation of Hall's subset rows for many types: cut the fractional point, solve again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hadaropt.mip.highs import HighsModel
from hadaropt.mip.model import Floats, Indices
from hadaropt.modes.hall_sets import TypeSet, set_name
from hadaropt.offline.compact.hall import HallModel
from hadaropt.offline.compact.max_flow import most_violated

RESOLUTION = 2**20
"""Fractional demands are rounded down to multiples of 1/RESOLUTION: flows are integers."""

Row = tuple[int, TypeSet]
"""Round and set of types of a capacity row."""


class Rows:
    """The capacity rows of a Hall model inside HiGHS, in their order, growing by separation."""

    def __init__(self, model: HallModel) -> None:
        self._model = model
        self.rows: list[Row] = [
            (int(t), model.sets[s]) for t, s in zip(model.row_round, model.row_set, strict=True)
        ]
        self._known = set(self.rows)

    def violated(self, x: Floats, least: float = 1e-6) -> list[Row]:
        """Return, for each round, its most violated row at x, if by more than ``least`` GPUs."""
        model, windows = self._model, self._model.windows
        runs = len(model.run_pair)
        demand = windows.gang[windows.plan_of[model.run_pair]] * x[:runs]
        table = np.zeros((int(windows.last.max(initial=0)) + 1, len(model.sets)))
        np.add.at(table, (windows.round_of[model.run_pair], model.run_sets), demand)
        capacity = [RESOLUTION * count for count in model.pooled_capacity]
        found = []
        for t, amounts in enumerate(np.floor(table * RESOLUTION + 0.5).astype(np.int64)):
            demands = {model.sets[s]: int(amounts[s]) for s in np.flatnonzero(amounts)}
            types = most_violated(demands, capacity)
            if types is None or (t, types) in self._known:
                continue
            excess = sum(a for s, a in demands.items() if s <= types)
            excess -= sum(capacity[r] for r in types)
            if excess > least * RESOLUTION:
                found.append((t, types))
        return found

    def fresh(self, rows: Sequence[Row]) -> bool:
        """Return whether any of the rows is not yet known."""
        return any(row not in self._known for row in rows)

    def _arrays(self, rows: Sequence[Row]) -> tuple[Floats, Indices, Indices, Floats]:
        """Return limits, starts, indices and values of rows."""
        parts = [self._model.row_of(t, types) for t, types in rows]
        sizes = np.array([len(columns) for columns, _, _ in parts])
        return (
            np.array([limit for _, _, limit in parts]),
            (np.cumsum(sizes) - sizes).astype(np.int32),
            np.concatenate([columns for columns, _, _ in parts]),
            np.concatenate([values for _, values, _ in parts]),
        )

    def _remember(self, rows: Sequence[Row]) -> None:
        self.rows += rows
        self._known.update(rows)

    def add_to(self, target: HighsModel, rows: Sequence[Row]) -> None:
        """Add known rows to another model in HiGHS."""
        if rows:
            limits, start, index, value = self._arrays(rows)
            target.add_rows(np.full(len(rows), -np.inf), limits, start, index, value)

    def add(self, rows: Sequence[Row], target: HighsModel) -> None:
        """Add rows to a model in HiGHS, and remember them."""
        self.add_to(target, rows)
        self._remember(rows)

    def add_columns(self, rows: Sequence[Row], target: HighsModel) -> None:
        """Add the rows as columns of the dual program, and remember them."""
        limits, start, index, value = self._arrays(rows)
        zero, free = np.zeros(len(rows)), np.full(len(rows), np.inf)
        target.add_columns(limits, zero, free, start, index, value)
        self._remember(rows)

    def names(self) -> list[str]:
        """Names of the rows."""
        return [f"capacity_{t}_{set_name(types)}" for t, types in self.rows]
