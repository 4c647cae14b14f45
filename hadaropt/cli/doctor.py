"""``hadaropt doctor``: whether this installation gives right answers, and what slows it."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import hadaropt
from hadaropt.cli.common import exits
from hadaropt.cli.common.answer import Answer, Table
from hadaropt.cli.common.options import AsJson

NEEDED = ("numpy", "scipy", "numba", "highspy", "python-flint", "networkx", "cyclopts", "rich")
OPTIONAL = {
    "matplotlib": "plot",
    "polars": "bench",
    "pulp": "models",
    "hypothesis": "testing",
    "pooch": "traces",
    "distributed": "train",
    "scikit-learn": "train",
}
Finding = tuple[str, bool, str]
"""(what was checked, whether it is well, what was found)."""


Warm = Annotated[
    bool,
    Parameter(
        negative=(),
        help="First compile the kernels that solves, online runs, simulations and audits use, and "
        "keep the code: some minutes, once per installation.",
    ),
]


def doctor(*, warm: Warm = False, json: AsJson = False) -> Answer:
    """Check versions, the solver on known wrong-answer inputs, kernels, caches and threads.

    Exit code 0: all is well. 1: something is wrong, and what.
    """
    warmed = _warmed() if warm else ()
    findings = [
        *_versions(),
        *_solver(),
        *warmed,
        *_kernels(),
        _folder("temporary folder", _temporary()),
    ]
    wrong = [what for what, well, _ in findings if not well]
    notes = [*_extras(), *_threads()]
    return Answer(
        {
            "command": "doctor",
            "well": not wrong,
            "checks": [
                {"check": what, "well": well, "found": found} for what, well, found in findings
            ],
            "notes": dict(notes),
        },
        [("result", f"wrong: {', '.join(wrong)}" if wrong else "all is well"), *notes],
        [
            Table(
                ("check", "", "found"),
                [(what, "ok" if well else "WRONG", found) for what, well, found in findings],
            )
        ],
        exits.NO if wrong else exits.YES,
    )


def _versions() -> Iterator[Finding]:
    python = ".".join(map(str, sys.version_info[:3]))
    yield "python", sys.version_info >= (3, 11), f"{python} (3.11 or newer is needed)"
    yield "hadaropt", True, f"{hadaropt.__version__} in {Path(hadaropt.__file__).parent}"
    for name in NEEDED:
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield name, False, "is not installed"
            continue
        bad = name == "highspy" and version.startswith("1.14.")
        yield name, not bad, f"{version}, which reports wrong optima" if bad else version


def _solver() -> Iterator[Finding]:
    try:
        from hadaropt.offline.selftest import CHECKS
    except Exception as error:  # a diagnosis must not die of what it looks for
        yield "solver", False, f"cannot be loaded: {_short(error)}"
        return
    for name, check in CHECKS.items():
        yield _tried(f"solver: {name}", check, str(check.__doc__).splitlines()[0])


def _kernels() -> Iterator[Finding]:
    """Check that compiled code agrees with the exact verifier, and is kept between processes."""
    try:
        from hadaropt.kernels import cache as compiling
    except Exception as error:
        yield "compiled kernels", False, f"cannot be loaded: {_short(error)}"
        return
    warm = compiling.is_warm()
    yield _tried("compiled kernels", _price_once, "prices a job as the exact verifier does")
    what, well, found = _folder("cache of compiled kernels", compiling.cache_folder())
    state = "warm" if warm else "was cold"
    yield what, well, f"{found}; {state}, {compiling.cache_bytes() / 1e6:.1f} MB" if well else found


def _warmed() -> tuple[Finding]:
    """Fill the cache of compiled kernels; what is being done is said on standard error."""
    began = time.monotonic()

    def tell(text: str) -> None:
        print(f"{time.monotonic() - began:.0f} s: {text}", file=sys.stderr, flush=True)

    def warm() -> None:
        from hadaropt.cli.warm import warm_kernels

        warm_kernels(tell)

    what, well, found = _tried("warming", warm, "solves, online runs, simulations and an audit ran")
    return ((what, well, f"{found}; {time.monotonic() - began:.0f} s"),)


def _price_once() -> None:
    import numpy as np

    from hadaropt.certificates.options import ExactPrices
    from hadaropt.certificates.payoffs import max_payoffs
    from hadaropt.offline.selftest import small_instance
    from hadaropt.pricing import price_job

    instance = small_instance()
    units = np.arange(12, dtype=np.int64).reshape(6, 2) % 5
    prices = {place: Fraction(int(k)) for place, k in np.ndenumerate(units)}
    exact = max_payoffs(instance, ExactPrices.of(instance, prices, by_node=False))
    compiled = tuple(price_job(instance, j, units, scale=1).payoff for j in range(2))
    if compiled != exact.upper:
        raise ArithmeticError(f"payoffs {compiled}, must be {exact.upper}")


def _tried(what: str, check: Callable[[], None], well: str) -> Finding:
    try:
        check()
    except Exception as error:
        return what, False, _short(error)
    return what, True, well


def _short(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _folder(what: str, folder: Path | None) -> Finding:
    """Check that files can be written; a file is made, as rights alone do not tell."""
    if folder is None:
        return what, False, "there is none that can be written"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return what, False, f"{folder} cannot be written: {error.strerror}"
    return what, True, f"{folder} can be written"


def _temporary() -> Path | None:
    try:
        return Path(tempfile.gettempdir())
    except OSError:
        return None


def _extras() -> Iterator[tuple[str, str]]:
    for name, extra in OPTIONAL.items():
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            yield name, f"is not installed: pip install 'hadaropt[{extra}]'"


def _threads() -> Iterator[tuple[str, str]]:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield "cores", f"{usable} usable of {os.cpu_count()}; a solver run takes one thread"
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT"):
        if name in os.environ:
            yield name, os.environ[name]
