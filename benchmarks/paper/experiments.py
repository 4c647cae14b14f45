"""Find the experiments of a folder and run each in a process that can really be stopped."""

from __future__ import annotations

import importlib
import multiprocessing
import pkgutil
import time
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import benchmarks.paper
from benchmarks.paper.claims import Claim, SkippedError
from hadaropt.figures import counted

OWN = ("__main__", "claims", "experiments", "page", "plan")
"""Modules of this folder that are no experiments."""


@dataclass(frozen=True)
class Outcome:
    """What became of one experiment: claims, or the reason why there are none."""

    name: str
    about: str
    claims: tuple[Claim, ...]
    reason: str
    broken: bool
    seconds: float
    files: tuple[str, ...] = ()
    """Pictures and tables beside the claims, seen from the folder of the page."""

    @property
    def summary(self) -> str:
        """One line."""
        if self.claims:
            return f"{counted(len(self.claims), 'claim')} in {self.seconds:.0f} s"
        return self.reason


def names() -> list[str]:
    """Return the names of the experiments in alphabetical order; ``_helpers`` are none."""
    found = pkgutil.iter_modules(benchmarks.paper.__path__)
    return sorted(m.name for m in found if m.name not in OWN and not m.name.startswith("_"))


def perform(
    name: str, full: bool, out: Path, minutes: float | None, package: str = "benchmarks.paper"
) -> Outcome:
    """Run one experiment in a fresh process; at its limit the process is killed."""
    started = time.monotonic()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(f"{package}.{name}", full, out, theirs))
    child.start()
    theirs.close()
    try:
        if not ours.poll(None if minutes is None else 60 * minutes):
            return Outcome(name, "", (), f"stopped after {minutes:.3g} minutes", True, 60 * minutes)
        about, claims, reason, broken = ours.recv()
    except EOFError:
        child.join()
        about, claims, reason, broken = "", (), f"died with exit code {child.exitcode}", True
    finally:
        child.kill()
        child.join()
    seconds = time.monotonic() - started
    files = tuple(f"{out.name}/{file.name}" for file in sorted(out.glob("*.*")) if file.is_file())
    return Outcome(name, about, claims, reason, broken, seconds, files)


def _child(module: str, full: bool, out: Path, answer: Connection) -> None:
    about, claims, reason, broken = "", (), "", False
    try:
        experiment = importlib.import_module(module)
        about = (experiment.__doc__ or "").strip().partition("\n")[0]
        if not hasattr(experiment, "run"):
            reason = "has no run(full, out) yet; run it by itself"
        else:
            out.mkdir(parents=True, exist_ok=True)
            claims = tuple(experiment.run(full, out))
            reason = "" if claims else "returned no claim"
            broken = not claims
    except SkippedError as skipped:
        reason = f"skipped: {skipped}"
    except Exception as error:
        traceback.print_exc()
        reason, broken = f"failed: {type(error).__name__}: {error}", True
    answer.send((about, claims, reason, broken))
