"""Names that were changed: whoever uses an old one is told the new one in one sentence."""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar

from hadaropt.errors import nearest

CHANGES = "docs/changes.md lists all new names"


class Renamed:
    """A class whose instances answer an old attribute with AttributeError and the new name.

    Attributes
    ----------
    _renamed : mapping
        From each old name to the sentence's end, such as ``value`` or ``value, a Fraction``.
    """

    _renamed: ClassVar[Mapping[str, str]] = {}

    if not TYPE_CHECKING:  # a type checker shall find the old names

        def __getattr__(self, name: str) -> object:
            kind = type(self)
            text = f"'{kind.__name__}' object has no attribute '{name}'"
            if name in kind._renamed:
                raise AttributeError(f"{text}: it is now {kind._renamed[name]} ({CHANGES})")
            near = (
                None
                if name.startswith("_")
                else nearest(name, _public(_attributes(kind)), cutoff=0.7)
            )
            hint = f'; did you mean "{near}"?' if near else ""
            raise AttributeError(text + hint)


def _attributes(kind: type) -> list[str]:
    return [*dir(kind), *getattr(kind, "__dataclass_fields__", ())]


def _public(names: Iterable[str]) -> list[str]:
    return [name for name in names if not name.startswith("_")]


def missing_name(module: str, name: str, renamed: Mapping[str, str]) -> Exception:
    """Return the error for a name that a module does not have, for its ``__getattr__``.

    Python replaces the AttributeError of a module by a sentence of its own where the name is
    imported (``from module import name``): there the error is an ImportError.
    """
    text = f"module '{module}' has no attribute '{name}'"
    if name not in renamed:
        known = _public(vars(sys.modules[module]).get("__all__", ()))
        near = None if name.startswith("_") else nearest(name, known, cutoff=0.7)
        return AttributeError(text + (f'; did you mean "{near}"?' if near else ""))
    text = f"{text}: it is now {renamed[name]} ({CHANGES})"
    frame = sys._getframe(2)  # whoever asks the module for the name
    if dis.opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM":
        return ImportError(text, name=module)
    return AttributeError(text)
