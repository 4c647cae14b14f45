"""Separation of Hall's subset rows for many types: cut the fractional point, solve again."""

from __future__ import annotations

import numpy as np

from hadaropt.offline.flows import most_violated
from hadaropt.offline.hall import HallModel
from hadaropt.offline.highs import HighsModel
from hadaropt.offline.model import Floats
from hadaropt.offline.subsets import TypeSet, set_name

RESOLUTION = 2**20
"""Fractional demands are rounded down to multiples of 1/RESOLUTION: flows are integers."""

Row = tuple[int, TypeSet]


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

    def add(self, rows: list[Row], *targets: HighsModel) -> None:
        """Add rows to models in HiGHS, and remember them."""
        parts = [self._model.row_of(t, types) for t, types in rows]
        sizes = [len(columns) for columns, _, _ in parts]
        start = (np.cumsum(sizes) - sizes).astype(np.int32)
        index = np.concatenate([columns for columns, _, _ in parts])
        value = np.concatenate([values for _, values, _ in parts])
        upper = np.array([limit for _, _, limit in parts])
        for target in targets:
            target.add_rows(np.full(len(rows), -np.inf), upper, start, index, value)
        self.rows += rows
        self._known.update(rows)

    def names(self) -> list[str]:
        """Names of the rows."""
        return [f"capacity_{t}_{set_name(types)}" for t, types in self.rows]
