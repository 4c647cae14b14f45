"""Results folders as the report reads them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from hadaropt.bench.ratio.cells import Cell
from hadaropt.bench.results.store import cell_record, write_cells
from hadaropt.generate import generate
from hadaropt.io import instance_sha256
from hadaropt.online.run import run_online
from hadaropt.policies import make_policy

MANIFEST = {"format": "hadaropt-manifest/1", "definition": {}}
POLICIES = ("primal_dual:zero_start", "primal_dual:linear", "fifo")
EVIL = '<script>alert("1")</script>&\'=$x^2$ \\frac{ %d'


def cells(seeds: int = 3, sizes: tuple[int, ...] = (5,)) -> list[Cell]:
    """Return real runs of real instances, their optimum taken as the best of them."""
    found = []
    for jobs in sizes:
        for seed in range(seeds):
            for model in ("mixed", "forked"):
                drawn = generate("small_uniform", seed=seed, num_jobs=jobs, num_rounds=5)
                instance = drawn.with_parallelism(model)
                sha = instance_sha256(instance)
                runs = [run_online(instance, make_policy(name)) for name in POLICIES]
                best, bound = max(r.value for r in runs), min(r.bound for r in runs)
                for run in runs:
                    theorem = "" if run.theorem is None else run.theorem.id
                    row = (run.value, best, bound, run.bound, theorem)
                    guarantee = 77.0 if theorem else float("inf")
                    place = ("small_uniform", seed, model, run.policy, jobs, 5, sha)
                    found.append(Cell(*place, *row, guarantee, seed == 0, 0.01 * jobs))
    return found


def folder(place: Path, chosen: list[Cell] | None = None) -> Path:
    """Write a results folder and return it."""
    place.mkdir(parents=True, exist_ok=True)
    write_cells(cells() if chosen is None else chosen, place)
    return place


def evil(cell: Cell) -> Cell:
    """Return the cell with every text hostile."""
    return replace(cell, family=EVIL, policy=EVIL, theorem=EVIL, parallelism=EVIL)


def starve(cell: Cell) -> Cell:
    """Return the cell with nothing collected."""
    return replace(cell, primal=Fraction(0))


def frame(rows: list[dict[str, object]], place: Path) -> Path:
    """Write rows as they are."""
    import polars

    place.mkdir(parents=True, exist_ok=True)
    polars.DataFrame(rows, infer_schema_length=None).write_parquet(place / "cells.parquet")
    return place


def record(cell: Cell) -> dict[str, object]:
    """Return the row of a cell."""
    return cell_record(cell)
