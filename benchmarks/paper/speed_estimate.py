"""How well a speed is estimated before it was measured (HadarE).

    python -m benchmarks.paper.speed_estimate

Fits X = kappa_family PMI B^b P^p / complexity to the speeds on one GPU that ship with hadaropt, and
again without each GPU type and without each model in turn. A second.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.paper.claims import Claim
from hadaropt.forking.planning.estimate import HeldOut, fitted, leave_one_out, measurements


def held_out() -> dict[str, HeldOut]:
    rows = measurements()
    return {
        "one GPU type": leave_one_out(rows, lambda row: row.gpu),
        "one model": leave_one_out(rows, lambda row: row.model),
    }


def lines() -> Iterator[str]:
    model = fitted()
    absent = ", ".join(model.unidentified) or "none"
    yield f"b = {model.batch_power:.3f}, p = {model.pcie_power:.3f}; not identified: {absent}\n"
    yield "| family | kappa |"
    yield "|---|---|"
    for family, log in model.log_kappa.items():
        yield f"| {family} | {math.exp(log):.4g} |"
    yield "\n| held out | typical factor | worst factor | rank correlation |"
    yield "|---|---|---|---|"
    for name, found in held_out().items():
        cells = (found.typical_factor, found.worst_factor, found.rank_correlation)
        yield f"| {name} | " + " | ".join(f"{cell:.3g}" for cell in cells) + " |"


def run(full: bool, out: Path) -> list[Claim]:
    """Return what the estimate is worth; the size is always the full one."""
    (out / "speed_estimate.md").write_text("\n".join(lines()) + "\n", encoding="utf-8")
    found = held_out()
    gpu, model = found["one GPU type"], found["one model"]
    return [
        Claim(
            "HadarE estimates speeds from a performance-memory index, batch size, PCIe and "
            "complexity before the first round",
            "the ingredients; neither coefficients nor errors",
            f"unseen GPU type: off by a factor {gpu.typical_factor:.2f} typically, "
            f"{gpu.worst_factor:.1f} at worst, rank correlation {gpu.rank_correlation:.2f}; unseen "
            f"model: {model.typical_factor:.1f}, {model.worst_factor:.0f}, "
            f"{model.rank_correlation:.2f} ({len(measurements())} measured speeds)",
            "A GPU's data sheet says how it compares with another one. What one iteration of an "
            "unseen model costs, it does not say, so that only a measurement helps. The power of "
            "PCIe cannot be told: the three GPUs of the table have the same.",
        )
    ]


if __name__ == "__main__":
    print("\n".join(lines()))
    sys.exit(0)
