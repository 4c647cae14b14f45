"""One run in detail: prices, dual and schedule."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hadaropt.bench.page.html import Figure, Numbers, Section, Text
from hadaropt.bench.page.instances import Instances
from hadaropt.bench.page.optimum import optimum_blocks
from hadaropt.bench.page.results import ResultsError
from hadaropt.bench.page.schedules import schedule_figure
from hadaropt.bench.ratio.cells import Cell
from hadaropt.bench.ratio.contestants import run_contestant
from hadaropt.instance import Instance
from hadaropt.plot.cells import starved
from hadaropt.plot.trajectories import plot_trajectories, trajectory
from hadaropt.policies import PrimalDual


def choose(cells: Sequence[Cell], instances: Instances, run: str | None) -> Cell | None:
    """Return the cell that is shown: the one that ``run`` names, else the worst that can be.

    Parameters
    ----------
    cells : sequence of Cell
    instances : Instances
    run : str, optional
        FAMILY:SEED:PARALLELISM:POLICY.

    Raises
    ------
    ResultsError
        If ``run`` is none of the cells.
    """
    if run is not None:
        for cell in cells:
            if run == cell_name(cell):
                return cell
        example = f"; {cell_name(cells[0])} is one" if cells else ""
        raise ResultsError(f"run {run}: is none of the cells (FAMILY:SEED:MODEL:POLICY){example}")
    able = [
        cell
        for cell in cells
        if cell.policy.startswith("primal_dual:")
        and not starved(cell)
        and isinstance(instances.of(cell), Instance)
        and instances.policy(cell) is not None
    ]
    return max(able, key=lambda cell: cell.ratio_low, default=None)


def cell_name(cell: Cell) -> str:
    """Return how a cell is named on the command line."""
    return f"{cell.family}:{cell.seed}:{cell.parallelism}:{cell.policy}"


def chosen_section(cells: Sequence[Cell], instances: Instances, run: str | None) -> Section:
    """Draw the trajectories and the schedule of one run, run again and compared."""
    section = Section("chosen", "One run in detail")
    cell = choose(cells, instances, run)
    if cell is None:
        reason = "no primal-dual run of these results can be run again"
        section.blocks.append(Text(f"Not shown: {reason}.", missing=True))
        return section
    instance = instances.of(cell)
    policy = instances.policy(cell)
    if isinstance(instance, str) or policy is None:
        why = instance if isinstance(instance, str) else f"{cell.policy} is no policy by name"
        section.blocks.append(Text(f"{cell_name(cell)} is not shown: {why}.", missing=True))
        return section
    again = run_contestant(instance, policy)
    how = "chosen by name" if run is not None else "the worst of the primal-dual runs"
    section.blocks.append(
        Text(
            f"{cell_name(cell)}, {how}: P = {float(cell.primal):.6g}, OPT/P = "
            f"{cell.ratio_low:.4g}. Run again for this page."
        )
    )
    if again.value != cell.primal:
        section.blocks.append(
            Text(
                f"Run again it collects {again.value}, not the {cell.primal} of the results: "
                "the policy is not the same by now, or has a limit of time.",
                missing=True,
            )
        )
    if isinstance(policy, PrimalDual):
        section.blocks.append(_trajectories(instance, policy))
    elif again.prices is None:
        section.blocks.append(Text(f"{cell.policy} has no prices to show.", missing=True))
    how = f"Schedule of {cell.policy}"
    section.blocks.append(schedule_figure(instance, again.schedule, "schedule", how))
    section.blocks += optimum_blocks(instance, cell.policy, again.prices)
    return section


def _trajectories(instance: Instance, policy: PrimalDual) -> Figure:
    path = trajectory(instance, policy)
    types = instance.cluster.accelerators
    columns = ["arrivals", "P", "D", *(f"price {r} round {t}" for t, r in _places(instance))]
    rows = [
        [k, float(primal), float(dual), *prices]
        for k, (primal, dual, prices) in enumerate(
            zip(path.primal, path.dual, path.prices.reshape(len(path.prices), -1), strict=False)
        )
    ]
    assert not len(path.prices) or np.prod(path.prices.shape[1:]) == instance.num_rounds * len(
        types
    )
    return Figure(
        "Value, dual and prices after each arrival",
        "Value P and dual D after each arrival, and the price of every round and type.",
        plot_trajectories(instance, policy)[0],
        Numbers("trajectories", columns, rows),
        wide=True,
    )


def _places(instance: Instance) -> list[tuple[int, str]]:
    return [(t, r) for t in range(instance.num_rounds) for r in instance.cluster.accelerators]
