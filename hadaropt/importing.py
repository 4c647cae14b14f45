"""Signals wait while a module of this package is imported, with all that it imports.

Numba, HiGHS, numpy and others stay broken in a process in which Ctrl-C came while they were
imported half: they have no attribute of their own, or cannot be loaded more than once. Modules here
import them, so that one place is enough.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder, SourceFileLoader

TYPE_CHECKING = False  # as in typing: the command line waits for this module
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

AT_ONCE = ("hadaropt.interrupts", "hadaropt.cli")
"""Modules that import nothing which could break: the one that lets signals wait, and the command
line, which has to be quick with its own handlers."""


class _Loader(SourceFileLoader):
    """Runs a module from its file; signals wait until it has run."""

    def exec_module(self, module: ModuleType) -> None:
        from hadaropt.interrupts import held

        with held():
            super().exec_module(module)


class _Finder:
    """Finds the modules of this package where they would be found without it."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the module's spec; None for what is of others, `AT_ONCE` or comes from no file."""
        if not name.startswith("hadaropt.") or name in AT_ONCE:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader:
            return None
        spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def hold_signals_in_imports() -> None:
    """Let signals wait while modules of this package are imported from now on."""
    if _Finder not in sys.meta_path:
        # Last but for the usual one: whoever treats modules in a way of his own comes before.
        at = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else len(sys.meta_path)
        sys.meta_path.insert(at, _Finder)


__all__ = ["hold_signals_in_imports"]
