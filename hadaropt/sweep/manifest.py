"""The manifest of a results folder: on what, with what and how its results were made."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path

from hadaropt.child_process import ONE_THREAD
from hadaropt.errors import SweepError
from hadaropt.io.files import write_text
from hadaropt.sweep.sources import code_facts

FORMAT = "hadaropt-manifest/1"
FILE = "manifest.json"


def machine_facts() -> dict[str, object]:
    """Return processor, cores, memory and system, but no name of the machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cpu": _cpu(),
        "cores": cores,
        "memory_gb": round(pages / 2**30, 1),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def common_facts() -> dict[str, object]:
    """Return what every manifest says of code, machine and threads."""
    return {"code": code_facts(), "machine": machine_facts(), "threads": ONE_THREAD}


def _cpu() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.machine()


def write_manifest(folder: Path, facts: Mapping[str, object]) -> Path:
    """Write ``manifest.json`` (whole or not at all) and return its path."""
    document = {"format": FORMAT, **facts, **common_facts()}
    file = folder / FILE
    write_text(file, json.dumps(document, indent=1, allow_nan=False) + "\n")
    return file


def read_manifest(path: Path) -> dict[str, object]:
    """Return the manifest in a file, or in a results folder.

    Raises
    ------
    SweepError
        If it is none, or of another version.
    """
    file = path / FILE if path.is_dir() else path
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as bad:
        raise SweepError(f"{file}: is no manifest ({bad})") from None
    found = document.get("format") if isinstance(document, dict) else None
    if found != FORMAT:
        raise SweepError(f"{file}: has format {found}, and this version reads {FORMAT}")
    return dict(document)


def differences(old: Mapping[str, object], new: Mapping[str, object]) -> list[tuple[str, str, str]]:
    """Return (what, old, new) of all that differs in code, machine and threads."""
    rows = []
    for part in ("code", "machine", "threads", "solver"):
        before, after = _flat(old.get(part), part), _flat(new.get(part), part)
        for name in sorted(before.keys() | after.keys()):
            pair = before.get(name, "absent"), after.get(name, "absent")
            if pair[0] != pair[1]:
                rows.append((name, *pair))
    return rows


def _flat(value: object, name: str) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {name: str(value)}
    flat: dict[str, str] = {}
    for key, item in value.items():
        flat |= _flat(item, f"{name}.{key}")
    return flat
