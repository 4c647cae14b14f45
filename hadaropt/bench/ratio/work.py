"""What the processes of a ratio sweep compute; arguments and results are JSON."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np

from hadaropt.bench.ratio.cells import Cell, run_cell
from hadaropt.bench.ratio.reference import Reference, prove_optimum
from hadaropt.bench.ratio.suite import RatioSuite, warm_up
from hadaropt.certificates.format import certificate_to_document
from hadaropt.errors import InvariantError
from hadaropt.exact import to_text
from hadaropt.instance import Instance
from hadaropt.io import instance_sha256
from hadaropt.kernels.dispatch import always_compiled
from hadaropt.results import Prices, Timings
from hadaropt.schedule import Schedule

START_UP_SECONDS = 2.0
"""A first run of a policy in a process that takes less may mostly import and load compiled code: it
is run again, and the second run is the one that is timed."""
_STARTED: set[tuple[str, str]] = set()
"""Policies, with the kind of parallelism, that have run in this process."""

Payload = Mapping[str, Any]
Result = dict[str, object]


def warm(payload: Payload, needed: Payload | None) -> Result:
    """Compile the kernels that policies and models need, or load them."""
    with always_compiled():
        warm_up(RatioSuite(policies=tuple(payload["policies"]), parallelism=payload["parallelism"]))
    return {}


def prove(payload: Payload, needed: Payload | None) -> Result:
    """Return the reference of an instance, with its certificate."""
    instance, build = _instance(payload)
    known = prove_optimum(instance, payload["time_limit"])
    assert known.certificate is not None
    return {
        "value": to_text(known.value),
        "bound": to_text(known.bound),
        "prices": _prices_to_document(known.prices),
        "seconds": {"build": build, "prove": known.seconds, **_parts(known.timings or Timings())},
        "certificate": certificate_to_document(instance, known.certificate),
    }


def _parts(timings: Timings) -> dict[str, float]:
    """Return the seconds of a solve by part, without compiling, which the sweep itself counts."""
    return {name: getattr(timings, name) for name in ("assemble", "solve", "extract")}


def compete(payload: Payload, needed: Payload | None) -> Result:
    """Return the cell of a policy on an instance whose reference is known."""
    assert needed is not None
    instance, build = _instance(payload)
    known = Reference(
        Fraction(needed["value"]),
        Fraction(needed["bound"]),
        _prices_from_document(needed["prices"]),
        Schedule.empty(instance),
        0.0,
    )
    started = time.perf_counter()
    place = (payload["family"], payload["seed"], payload["parallelism"])

    def run() -> Cell:
        policy = _suite(payload).policy(payload["policy"], *place)
        return run_cell(instance, payload["instance_sha256"], "", 0, policy, known)[0]

    cell = run()
    kind = (payload["policy"], payload["parallelism"])
    if kind not in _STARTED:
        _STARTED.add(kind)
        if cell.seconds < START_UP_SECONDS:
            cell = run()
    check = time.perf_counter() - started - cell.seconds
    return {
        "cell": cell_to_document(cell),
        "seconds": {"build": build, "run": cell.seconds, "check": check},
    }


def _suite(payload: Payload) -> RatioSuite:
    return RatioSuite(
        jobs=payload["jobs"], rounds=payload["rounds"], parameters=payload["parameters"]
    )


def _instance(payload: Payload) -> tuple[Instance, float]:
    """Return the instance that a payload names, and the seconds that it took."""
    started = time.perf_counter()
    instance = _suite(payload).instance(payload["family"], payload["seed"], payload["parallelism"])
    sha = instance_sha256(instance)
    if sha != payload["instance_sha256"]:
        raise InvariantError(f"the instance is {sha} here, and {payload['instance_sha256']} there")
    return instance, time.perf_counter() - started


def _prices_to_document(prices: Prices | None) -> Result | None:
    if prices is None:
        return None
    return {"units": prices.units.tolist(), "scale": to_text(prices.scale), "pool": prices.pool}


def _prices_from_document(document: Payload | None) -> Prices | None:
    if document is None:
        return None
    units = np.array(document["units"], np.int64)
    return Prices(units, Fraction(document["scale"]), document["pool"])


def cell_to_document(cell: Cell) -> Result:
    """Return a cell as JSON: fractions and floats as text, so that both come back as they were."""
    document: Result = {}
    for item in fields(cell):
        value = getattr(cell, item.name)
        if isinstance(value, Fraction):
            value = to_text(value)
        document[item.name] = repr(value) if isinstance(value, float) else value
    return document


def cell_from_document(document: Payload, **changes: object) -> Cell:
    """Return the cell of `cell_to_document`, with changes."""
    kinds: dict[str, type] = {"Fraction": Fraction, "float": float}
    values: dict[str, Any] = {}
    for item in fields(Cell):
        kind = kinds.get(str(item.type))
        value = document[item.name]
        values[item.name] = value if kind is None else kind(value)
    return Cell(**{**values, **changes})
