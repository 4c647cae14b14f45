"""What will be run, and which data are not here, said before anything starts."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks.paper.claims import SkippedError, data_folder


@dataclass(frozen=True)
class Planned:
    """An experiment before it runs: what it is about, what it needs, what of that is not here.

    ``instead`` is what it runs on then; without that it is skipped.
    """

    name: str
    about: str
    needs: tuple[str, ...]
    lacks: str
    instead: str = ""


def planned(name: str, package: str = "benchmarks.paper") -> Planned:
    """Read its first line, its ``NEEDS`` and ``INSTEAD`` without running any of its code."""
    found = find_spec(f"{package}.{name}")
    assert found is not None and found.origin is not None, name
    tree = ast.parse(Path(found.origin).read_text(encoding="utf-8"))
    about = (ast.get_docstring(tree) or "").partition("\n")[0]
    said = {
        ast.unparse(node.targets[0]): ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("NEEDS", "INSTEAD")
    }
    needs: tuple[str, ...] = said.get("NEEDS", ())
    try:
        lacks = "" if not needs else (data_folder(*needs), "")[1]
    except SkippedError as absent:
        lacks = str(absent)
    return Planned(name, about, needs, lacks, said.get("INSTEAD", ""))


def told(plans: Sequence[Planned], size: str, minutes: float | None, out: Path) -> str:
    """Return the plan as text for people."""
    limit = "no limit of time" if minutes is None else f"at most {minutes:g} minutes in all"
    runs = [plan for plan in plans if not plan.lacks or plan.instead]
    lines = [f"{len(runs)} of {len(plans)} experiments will run: {size}, {limit}, to {out}"]
    width = max((len(plan.name) for plan in plans), default=0)
    for plan in plans:
        lines.append(f"  {plan.name:{width}}  {plan.about}")
        if plan.lacks and plan.instead:
            lines.append(f"  {'':{width}}  on {plan.instead}: {plan.lacks}")
        elif plan.lacks:
            lines.append(f"  {'':{width}}  SKIPPED: {plan.lacks}")
    if any(plan.lacks for plan in plans):
        lines.append(
            "The traces and recordings of others are not part of this package; "
            "docs/reproduction.md says what they give."
        )
    return "\n".join(lines)
