"""What a result depends on besides its inputs: the sources of the library, and versions."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib import metadata
from pathlib import Path

import hadaropt

LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "highspy", "python-flint", "networkx")
_NO_INFLUENCE = ("cli", "plot")


@cache
def source_hash() -> str:
    """Return the SHA-256 of the library's sources and data, but for ``cli`` and ``plot``."""
    root = Path(hadaropt.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if path.suffix in (".py", ".csv") and name.parts[0] not in _NO_INFLUENCE:
            digest.update(name.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that compute."""
    found = {"python": platform.python_version(), "hadaropt": hadaropt.__version__}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "absent"
    return found


def code_facts() -> dict[str, object]:
    """Return both, as they enter a key."""
    return {"sources": source_hash(), "versions": versions()}
