"""Values that are immutable to the bottom, and compare, hash and pickle by what they hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from typing import Any, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class FrozenDict(dict[K, V]):
    """A dict that cannot be changed: every attempt raises TypeError.

    Hashable where its values are; equal to a dict with the same items, whatever their order.

    Examples
    --------
    >>> speeds = FrozenDict({"V100": 4})
    >>> speeds["V100"] = 1000
    Traceback (most recent call last):
    TypeError: this mapping cannot be changed: dict(mapping) makes a copy that can
    """

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this mapping cannot be changed: dict(mapping) makes a copy that can")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[object, ...]:
        return FrozenDict, (dict(self),)


class OnDemand(Sequence[Any]):
    """A sequence whose entries are made anew whenever they are asked for, and never kept.

    Equal to a list or tuple of equal entries; pickled as a list.

    Parameters
    ----------
    count : int
        How many entries there are.
    make : callable
        Index -> entry, always an equal one.

    Examples
    --------
    >>> squares = OnDemand(4, lambda i: i * i)
    >>> squares[-1], squares == [0, 1, 4, 9]
    (9, True)
    """

    def __init__(self, count: int, make: Callable[[int], Any]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        return map(self._make, range(self._count))

    def __getitem__(self, index: Any) -> Any:
        places = range(self._count)[index]
        return self._make(places) if isinstance(places, int) else list(map(self._make, places))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OnDemand | list | tuple):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def __reduce__(self) -> tuple[object, ...]:
        return list, (list(self),)


_ATOMS = {int, float, str, bool, type(None), Fraction}
"""What a tuple may hold without being looked at part by part."""


def freeze(value: Any) -> Any:
    """Return ``value`` immutable to the bottom, equal to it.

    Dicts become `FrozenDict`, lists and what is made on demand tuples, sets frozensets, and arrays
    read-only copies of themselves. Anything else is left as it is.
    """
    if isinstance(value, FrozenDict):
        return value
    if isinstance(value, Mapping):
        return FrozenDict({key: freeze(part) for key, part in value.items()})
    if isinstance(value, list | OnDemand):
        return tuple(freeze(part) for part in value)
    if type(value) is tuple:
        if set(map(type, value)) <= _ATOMS:
            return value
        parts = tuple(freeze(part) for part in value)
        same = all(new is old for new, old in zip(parts, value, strict=True))
        return value if same else parts
    if isinstance(value, Set) and not isinstance(value, frozenset):
        return frozenset(value)
    if _is_array(value) and (value.flags.writeable or value.base is not None):
        value = value.copy()
        value.setflags(write=False)
    return value


def thaw(value: Any) -> Any:
    """Return what was frozen as plain dicts and lists, as in a document that is read from JSON."""
    if isinstance(value, Mapping):
        return {key: thaw(part) for key, part in value.items()}
    if isinstance(value, tuple | list | OnDemand):
        return [thaw(part) for part in value]
    return value


def freeze_fields(value: Any) -> None:
    """Freeze every field of a dataclass, in its ``__post_init__``."""
    for field in dataclasses.fields(value):
        given = getattr(value, field.name)
        frozen = freeze(given)
        if frozen is not given:
            object.__setattr__(value, field.name, frozen)


class Value:
    """Equality and hash of a frozen dataclass that may hold arrays or nan.

    Two values are equal if they are of one class and their compared fields are: arrays by shape,
    type and every entry, and nan to nan, so that what was pickled equals what comes back. To be
    used with ``@dataclass(frozen=True, eq=False)``.
    """

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or _fields_of(self) == _fields_of(other)

    def __hash__(self) -> int:
        return hash((type(self), _fields_of(self)))

    def __setstate__(self, state: dict[str, Any]) -> None:
        # An array that was read-only comes back from its pickle writable.
        self.__dict__.update({name: _read_only(part) for name, part in state.items()})


def _read_only(value: Any) -> Any:
    return freeze(value) if _is_array(value) else value


def _fields_of(value: Any) -> tuple[object, ...]:
    fields = dataclasses.fields(value)
    return tuple(_comparable(freeze(getattr(value, f.name))) for f in fields if f.compare)


def _comparable(value: Any) -> object:
    """Return what stands for a frozen value in comparisons."""
    if isinstance(value, float) and value != value:
        return "nan"
    if isinstance(value, tuple):
        return tuple(_comparable(part) for part in value)
    if isinstance(value, FrozenDict):
        return frozenset((key, _comparable(part)) for key, part in value.items())
    if _is_array(value):
        return value.shape, str(value.dtype), value.tobytes()
    return value


def _is_array(value: object) -> bool:
    return hasattr(value, "setflags") and hasattr(value, "tobytes") and hasattr(value, "copy")
