"""Instance documents: exact numbers, utilities, and the canonical form."""

from __future__ import annotations

import hashlib
import json
from decimal import ROUND_HALF_EVEN, Context, Decimal, Overflow, Underflow
from fractions import Fraction
from typing import Any

Json = dict[str, Any]
Cell = tuple[str, str]  # node name, accelerator name


def number(x: Any) -> Fraction:
    """Exact value of a number literal."""
    if isinstance(x, bool) or not isinstance(x, (int, str, Decimal, Fraction)):
        raise TypeError(f"{x!r} is not an exact number")
    return Fraction(x)


def whole(x: Any) -> int:
    """Exact integer value of a number literal."""
    value = number(x)
    if value.denominator != 1:
        raise ValueError(f"{x!r} is not an integer")
    return value.numerator


def num_rounds(inst: Json) -> int:
    """T."""
    return whole(inst["num_rounds"])


def release(job: Json) -> int:
    """a_j."""
    return whole(job["release"])


def gang_size(job: Json) -> int:
    """W_j."""
    return whole(job["gang_size"])


def iterations(job: Json) -> int:
    """Q_j."""
    return whole(job["iterations"])


def parallelism(inst: Json) -> str:
    """One of single_type, mixed, forked."""
    return str(inst.get("parallelism", "mixed"))


def max_copies(inst: Json, job: Json) -> int:
    """Largest number of copies of a job in one round; by default the number of nodes."""
    return whole(job.get("max_copies", len(inst["nodes"])))


def throughput(job: Json, accelerator: str) -> Fraction:
    """X_jr, 0 where the file is silent."""
    return number(job["throughput"].get(accelerator, 0))


def capacity(inst: Json) -> dict[Cell, int]:
    """c_hr of every cell that holds a GPU, nodes first."""
    cells = {
        (node["name"], r): whole(node["gpus"].get(r, 0))
        for node in inst["nodes"]
        for r in inst["accelerators"]
    }
    return {cell: units for cell, units in cells.items() if units > 0}


def utility(inst: Json, job: Json, d: int) -> Fraction:
    """U_j(d), d = flow time in rounds, counted from 1."""
    u = job["utility"]
    kind = u["kind"]
    if kind == "table":
        return number(u["values"][d - 1]) if d <= len(u["values"]) else Fraction(0)
    if kind == "linear":
        return max(Fraction(0), number(u["peak"]) - number(u["decay"]) * (d - 1))
    if kind == "step":
        return number(u["peak"]) if d <= number(u["deadline"]) else Fraction(0)
    if kind == "completion":
        return number(u["weight"]) * max(Fraction(0), number(u["horizon"]) - d)
    if kind == "effective_throughput":
        return number(u["scale"]) * iterations(job) / (d * number(inst["round_seconds"]))
    if kind == "sigmoid":
        return _sigmoid(
            number(u["peak"]), number(u["steepness"]) * (Fraction(d) - number(u["deadline"]))
        )
    raise ValueError(f"utility kind {kind!r}")


def _sigmoid(peak: Fraction, x: Fraction) -> Fraction:
    """peak / (1 + exp(x)) to 50 digits, then half-even to 9 decimals."""
    context = Context(prec=50, rounding=ROUND_HALF_EVEN)
    context.traps[Overflow] = context.traps[Underflow] = False  # exp -> Infinity gives 0, fine

    def decimal(q: Fraction) -> Decimal:
        return context.divide(Decimal(q.numerator), Decimal(q.denominator))

    below = context.add(Decimal(1), context.exp(decimal(x)))
    value = context.divide(decimal(peak), below)
    wide = Context(prec=1000, rounding=ROUND_HALF_EVEN)
    return Fraction(value.quantize(Decimal("1e-9"), context=wide))


def canonical(inst: Json) -> str:
    """Canonical text of an instance: exact numbers, defaults filled in, zeros dropped, no name."""

    def text(x: Any) -> str:
        return str(number(x))

    def positive(entries: Json) -> Json:
        return {key: text(x) for key, x in entries.items() if number(x) != 0}

    def utility_of(job: Json) -> Json:
        out: Json = {}
        for key, x in job["utility"].items():
            out[key] = x if key == "kind" else [*map(text, x)] if key == "values" else text(x)
        return out

    body = {
        "format": inst["format"],
        "round_seconds": text(inst["round_seconds"]),
        "num_rounds": text(inst["num_rounds"]),
        "parallelism": parallelism(inst),
        "consolidation_seconds": text(inst.get("consolidation_seconds", 0)),
        "accelerators": list(inst["accelerators"]),
        "nodes": [{"name": n["name"], "gpus": positive(n["gpus"])} for n in inst["nodes"]],
        "jobs": [
            {
                "name": job["name"],
                "release": text(job["release"]),
                "gang_size": text(job["gang_size"]),
                "iterations": text(job["iterations"]),
                "throughput": positive(job["throughput"]),
                "spread_factor": text(job.get("spread_factor", 1)),
                "max_copies": text(max_copies(inst, job)),
                "utility": utility_of(job),
            }
            for job in inst["jobs"]
        ],
    }
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def instance_sha256(inst: Json) -> str:
    """Hash of the canonical text."""
    return hashlib.sha256(canonical(inst).encode("utf-8")).hexdigest()
