"""What can be reached from an object by following references."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from types import FrameType, FunctionType, MethodType, ModuleType

_CODE = (type, ModuleType, FrameType)
"""What belongs to the program, not to the data that an object holds: not followed."""


def reachable(roots: Iterable[object]) -> Iterator[object]:
    """Yield all objects that the roots lead to: attributes, items, closures, bound objects.

    Classes, modules, frames and the globals of functions are not followed.
    """
    stack, seen = list(roots), {0}
    while stack:
        found = stack.pop()
        if id(found) in seen or isinstance(found, _CODE):
            continue
        seen.add(id(found))
        yield found
        if isinstance(found, FunctionType):
            stack += found.__closure__ or ()
            stack += (found.__defaults__, found.__kwdefaults__, found.__dict__)
        elif isinstance(found, MethodType):
            stack += (found.__self__, found.__func__)
        else:
            stack += gc.get_referents(found)
