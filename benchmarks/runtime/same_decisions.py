"""Whether two versions of the package decide the same online: one writes, the other compares.

    python -m benchmarks.runtime.same_decisions write FILE [--seeds 31]
    PYTHONPATH=OTHER python benchmarks/runtime/same_decisions.py compare FILE

The first writes the decisions of the compiled pass on instances of four families (loads 0.7 and
1.3, 30 or 60 jobs and rounds) at every linear price function, at no prices, and at coarse prices,
many of them equal and 0. The other version prices each job alone, at the same tables. Completion,
charge, rounds and GPUs of all jobs have to agree. FILE is a pickle: compare only your own.
"""

from __future__ import annotations

import argparse
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

FAMILIES = ("six_class", "measured_rates", "gavel_like", "philly_like")


def write(file: Path, seeds: int) -> None:
    """Write instances, price tables and the decisions of this version."""
    from hadaropt.generate import generate
    from hadaropt.io import instance_to_document
    from hadaropt.online.foreknowledge import compute_foreknowledge
    from hadaropt.online.pooled import stack_tables
    from hadaropt.online.prices.registry import PRICES
    from hadaropt.online.prices.rounding import round_tables
    from hadaropt.online.primal_dual import arrival_order
    from hadaropt.pricing.arrivals import price_arrivals

    linear = [name for name in PRICES if name not in ("last_unit", "telescoped")]
    written: list[tuple[Any, ...]] = []
    for family in FAMILIES:
        for load, seed in ((load, seed) for load in ("0.7", "1.3") for seed in range(seeds)):
            size = 30 if seed % 3 else 60
            instance = generate(family, seed=seed, num_jobs=size, num_rounds=size, load=load)
            known, order = compute_foreknowledge(instance, "type"), arrival_order(instance)
            for price in (None, *linear, "coarse"):
                name = "linear" if price == "coarse" else price
                tables = name and round_tables(name, known, PRICES[name].tables(known))
                rows, row_of = stack_tables(instance, tables or None)
                if price == "coarse":
                    rows -= rows % max(1, int(rows.max()) // 3)
                found = price_arrivals(instance, rows, row_of, scale=known.scale, jobs=order)
                jobs, bounds, rounds, use = found.plans()
                plans = {
                    j: (rounds[first:end].tolist(), use[first:end].tolist())
                    for j, first, end in zip(jobs, bounds, bounds[1:], strict=False)
                }
                decided = found.completion.tolist(), found.charge.tolist(), plans
                document = instance_to_document(instance)
                written.append((document, rows, row_of, known.scale, order, decided))
    file.write_bytes(pickle.dumps(written))
    print(f"{len(written)} runs")


def compare(file: Path) -> None:
    """Price every job alone and hold the decisions to those of the file."""
    from hadaropt.io import instance_from_document
    from hadaropt.pricing import price_job

    runs = decisions = accepted = free_of_charge = 0
    for document, rows, row_of, scale, order, decided in pickle.loads(file.read_bytes()):
        instance, (completion, charge, plans) = instance_from_document(document), decided
        capacity = np.array(instance.cluster.pooled_capacity)
        used = np.zeros((instance.num_rounds, len(capacity)), np.int64)
        for j in order:
            prices = rows[row_of[:, None], np.arange(len(capacity)), used]
            best = price_job(instance, j, prices, scale=scale, free=capacity - used)
            decisions += 1
            if best.completion is None:
                assert completion[j] == -1, (runs, j)
                continue
            rounds, use = [c.round for c in best.rounds], [list(c.use) for c in best.rounds]
            assert completion[j] == best.completion, (runs, j)
            assert Fraction(charge[j]) / scale == best.cost and plans[j] == (rounds, use), (runs, j)
            used[rounds] += np.array(use)
            accepted += 1
            free_of_charge += best.cost == 0
        runs += 1
    print(f"{runs} runs, {decisions} decisions, {accepted} accepted, {free_of_charge} at charge 0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", type=int, default=31)
    options = parser.parse_args()
    if options.step == "write":
        write(options.file, options.seeds)
    else:
        compare(options.file)


if __name__ == "__main__":
    main()
