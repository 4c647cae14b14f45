"""The instances behind the cells, generated again and compared by their hash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from hadaropt.bench.ratio.cells import Cell
from hadaropt.bench.ratio.suite import RatioSuite
from hadaropt.errors import InstanceError
from hadaropt.generate import FAMILIES, generate
from hadaropt.generate.load import offered_load
from hadaropt.instance import Instance, Parallelism
from hadaropt.io import instance_sha256
from hadaropt.modes import is_pooled
from hadaropt.online.foreknowledge import compute_foreknowledge
from hadaropt.policies import Policy


@dataclass(frozen=True)
class Hardness:
    """What makes an instance hard: offered load, and the spread U/L of densities."""

    load: float
    spread: float


class Instances:
    """Instances of cells, each made once; a cell whose instance differs by now has none.

    Parameters
    ----------
    suites : mapping, optional
        By the name of a family in the cells: the family, and the suite with its parameters.
    """

    def __init__(self, suites: Mapping[str, tuple[str, RatioSuite]] | None = None) -> None:
        self._suites = suites or {}
        self._made: dict[tuple[str, int, str, int, int], Instance | str] = {}
        self._hardness: dict[str, Hardness] = {}

    def of(self, cell: Cell) -> Instance | str:
        """Return the instance of the cell, or why it cannot be had."""
        place = (cell.family, cell.seed, cell.parallelism, cell.jobs, cell.rounds)
        if place not in self._made:
            self._made[place] = self._make(cell)
        return self._made[place]

    def source(self, cell: Cell) -> tuple[str, Mapping[str, object]]:
        """Return the family of the cell's instance, and its parameters where they are known."""
        if cell.family not in self._suites:
            return cell.family, {}
        family, suite = self._suites[cell.family]
        return family, suite.parameters

    def setting(self, cell: Cell) -> str:
        """Return what tells the cell's suite from others: a parameter that varies, a trace's part.

        Empty where all instances of the results are drawn alike.
        """
        if cell.family in self._suites:
            return self._suites[cell.family][1].label
        return "" if cell.family in FAMILIES else cell.family

    def apart(self, cells: Sequence[Cell]) -> dict[tuple[str, str], list[Cell]]:
        """Return the cells by (parallelism, setting): what must not be pooled stays apart."""
        found: dict[tuple[str, str], list[Cell]] = {}
        for model in dict.fromkeys(cell.parallelism for cell in cells):
            for cell in (one for one in cells if one.parallelism == model):
                found.setdefault((model, self.setting(cell)), []).append(cell)
        return found

    def policy(self, cell: Cell) -> Policy | None:
        """Return the policy of the cell, ready to be run again, or None."""
        family, parameters = self.source(cell)
        suite = RatioSuite(jobs=cell.jobs, rounds=cell.rounds, parameters=parameters)
        try:
            return suite.policy(cell.policy, family, cell.seed, cell.parallelism)  # type: ignore[arg-type]
        except InstanceError:
            return None

    def _make(self, cell: Cell) -> Instance | str:
        family, parameters = self.source(cell)
        if family not in FAMILIES:
            return f"{cell.family} is no generated family"
        if cell.parallelism not in get_args(Parallelism):
            return f"{cell.parallelism} is no parallelism model"
        try:
            drawn = generate(
                family,
                seed=cell.seed,
                num_jobs=cell.jobs,
                num_rounds=cell.rounds,
                **parameters,  # type: ignore[arg-type]
            )
            instance = drawn.with_parallelism(cell.parallelism)  # type: ignore[arg-type]
        except InstanceError as bad:
            return f"{cell.family} {cell.seed} cannot be generated: {bad}"
        if instance_sha256(instance) != cell.instance_sha256:
            return (
                f"{cell.family} {cell.seed} as generated now is not the instance of the results: "
                "other parameters, or another version"
            )
        return instance

    def hardness(self, cell: Cell) -> Hardness | None:
        """Return load and spread of the cell's instance; None if it cannot be had."""
        instance = self.of(cell)
        if isinstance(instance, str):
            return None
        key = cell.instance_sha256
        if key not in self._hardness:
            known = compute_foreknowledge(instance, "type" if is_pooled(instance) else "node")
            self._hardness[key] = Hardness(float(offered_load(instance)), known.spread)
        return self._hardness[key]
