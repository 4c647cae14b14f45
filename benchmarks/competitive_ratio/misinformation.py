"""What wrong foreknowledge costs: U, L or m wrong by 1/2, 2 and 10, and which theorem survives.

    python -m benchmarks.competitive_ratio.misinformation [--seeds 10] [--time-limit 20]

Every run is certified and checked against the proved optimum (an interval where it is open). A
theorem survives where its hypotheses hold for the true U, L and m on the tables told wrong ones.
"""

from __future__ import annotations

import argparse
from fractions import Fraction

import numpy as np

from hadaropt.bench.cells import Cell, run_cell, settle
from hadaropt.bench.ratio import RatioSuite, warm_up
from hadaropt.bench.reference import prove_optimum
from hadaropt.bench.report import figure, interval
from hadaropt.bench.summary import Interval
from hadaropt.io import instance_sha256
from hadaropt.policies import PrimalDual

FACTORS = (Fraction(1, 2), Fraction(2), Fraction(10))
PRICES = ("zero_start", "exponential", "telescoped", "step")
FAMILIES = ("small_uniform", "gavel_like", "adversarial_price")


def settings() -> list[tuple[str, dict[str, Fraction]]]:
    """Return (label, factors): the truth, then each of U, L and m wrong by each factor."""
    wrong = [(f"{name} x {factor}", {name: factor}) for name in "ULm" for factor in FACTORS]
    return [("right", {}), *wrong]


def run(seeds: int, time_limit: float) -> dict[tuple[str, str], list[Cell]]:
    """Return the cells of every (price, setting)."""
    suite = RatioSuite(families=FAMILIES, time_limit=time_limit)
    warm_up(suite)
    found: dict[tuple[str, str], list[Cell]] = {}
    for family in FAMILIES:
        for seed in range(seeds):
            instance = suite.instance(family, seed, "mixed")
            sha, known = instance_sha256(instance), prove_optimum(instance, time_limit)
            keys, cells = [], []
            for price in PRICES:
                for label, factors in settings():
                    policy = PrimalDual(price, **factors)
                    keys.append((price, label))
                    cells.append(run_cell(instance, sha, family, seed, policy, known)[0])
            for key, cell in zip(keys, settle(cells), strict=True):
                found.setdefault(key, []).append(cell)
    return found


def middle(values: list[float]) -> float:
    """Return the median without interpolation (starved runs count as infinite)."""
    return float(np.quantile(values, 0.5, method="inverted_cdf"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--time-limit", type=float, default=20.0)
    options = parser.parse_args()
    print(f"{'price':12} {'told':9} {'median OPT/P':>14} {'worst':>14} {'median D/P':>10} theorem")
    for (price, label), cells in run(options.seeds, options.time_limit).items():
        low, high = [c.ratio_low for c in cells], [c.ratio_high for c in cells]
        kept = sum(cell.theorem != "" for cell in cells)
        print(
            f"{price:12} {label:9} {interval(Interval(middle(low), middle(high))):>14} "
            f"{interval(Interval(max(low), max(high))):>14} "
            f"{figure(middle([c.certified for c in cells])):>10} {kept}/{len(cells)}"
        )


if __name__ == "__main__":
    main()
