"""Price tables as the algorithm computes with them: rounded up, once, to multiples of 1/scale.

What a price function returns is checked here: every resource has a table of the right length, all
prices are exact, none is negative, and none is below the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise
from numbers import Integral, Rational
from operator import le
from typing import Any, TypeVar

from hadaropt.errors import InstanceError, LimitError, shown
from hadaropt.exact import nearest_float, to_text
from hadaropt.frozen import freeze_fields
from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.lazy import LazyTable, LoneTable, UnitRow
from hadaropt.online.prices.tables import PriceTables, Resource
from hadaropt.results import PostedPrices

MOST_UNITS = 2**63 - 1
"""Largest price in units of 1/scale; beyond it, 64 bits cannot hold the price."""

Row = Sequence[int]
T = TypeVar("T")


@dataclass(frozen=True)
class RoundedTables:
    """One table per resource, in units of 1/scale.

    Attributes
    ----------
    tables : mapping
        Resource -> the dual prices of a GPU when 0 .. `Foreknowledge.highest` are sold. Equal
        tables are one object.
    scale : Fraction
    closed_form : float or None
    parameters : mapping
        Both as in `PriceTables`.
    marginals : mapping or None
        Resource -> as many rows less one: the charges for each further GPU of a bundle. None where
        every GPU is charged the price in ``tables``.
    name : str
        Name of the price function, for errors.
    """

    tables: Mapping[Resource, Row]
    scale: Fraction
    closed_form: float | None
    parameters: Mapping[str, str]
    marginals: Mapping[Resource, Sequence[Row]] | None = None
    name: str = "given"

    def __post_init__(self) -> None:
        freeze_fields(self)

    def units(self, place: Resource, sold: int) -> int:
        """Return the price of a resource when so many of its GPUs are sold.

        Raises
        ------
        LimitError
            If 64 bits cannot hold it. Prices that no run reaches may be as large as they like.
        """
        price = self.tables[place][sold]
        if price > MOST_UNITS:
            most = nearest_float(MOST_UNITS / self.scale)
            raise LimitError(
                f"price {self.name}: prices[{text(place)}][{sold}] = "
                f"{nearest_float(price / self.scale):.6g} is too large: 64 bits hold prices up to "
                f"{most:.6g} beside the values of these jobs"
            )
        return price

    def posted(self) -> PostedPrices | None:
        """Return all prices and charges as a run records them; None if they are too many."""
        rows = {} if self.marginals is None else self.marginals
        if any(isinstance(table, LoneTable) for table in (*self.tables.values(), *rows.values())):
            return None
        charges = {place: tuple(map(tuple, found)) for place, found in rows.items()}
        tables = {place: tuple(table) for place, table in self.tables.items()}
        return PostedPrices(self.scale, tables, None if self.marginals is None else charges)


def round_tables(name: str, known: Foreknowledge, found: PriceTables) -> RoundedTables:
    """Check the tables of a price function and round them up to multiples of 1/scale.

    Parameters
    ----------
    name : str
        Name of the function, for errors.
    known : Foreknowledge
        What the tables were made for; its scale is taken.
    found : PriceTables

    Raises
    ------
    TypeError
        If ``found`` are no `PriceTables`.
    InstanceError
        If a table is missing or breaks a rule; the resource, the number g of GPUs sold and the
        value are named.
    """
    if not isinstance(found, PriceTables):
        raise TypeError(
            f"price {name}: tables(known) returned {shown(found)}, must be PriceTables: "
            "known.tabulate(table) makes them"
        )
    _check_resources(f"price {name}: prices", known, found.prices)
    rounder = _Rounder(known.scale)
    tables = {}
    for place, c in known.capacity.items():
        path = f"price {name}: prices[{text(place)}]"
        upto = known.highest(place) + 1
        tables[place] = rounder.row(path, found.prices[place], c + 1, upto)
    marginals = None
    if found.charges is not None:
        _check_resources(f"price {name}: charges", known, found.charges)
        marginals = {}
        for place, c in known.capacity.items():
            path = f"price {name}: charges[{text(place)}]"
            upto = known.highest(place)
            charges = found.charges[place]
            marginals[place] = rounder.rows(path, charges, c, known.most_charged, upto)
    parameters = dict(found.parameters)
    return RoundedTables(tables, known.scale, found.closed_form, parameters, marginals, name)


def text(place: Resource) -> str:
    """Return a resource as an index: ``3, 0`` for round 3 and type 0."""
    return ", ".join(map(str, place))


def _check_resources(path: str, known: Foreknowledge, found: object) -> None:
    if not isinstance(found, Mapping):
        raise InstanceError(path, "must be a mapping of resources to tables", shown(found))
    for place in known.capacity:
        if place not in found:
            raise InstanceError(f"{path}[{text(place)}]", "is missing: every resource has a table")
    for place in found:
        if place not in known.capacity:
            raise InstanceError(path, "must name resources of the foreknowledge only", shown(place))


class _Rounder:
    """Rounds tables; the same table, or an equal one, becomes one object."""

    def __init__(self, scale: Fraction) -> None:
        self._up, self._down = scale.numerator, scale.denominator
        # A table is kept beside its answer, so that no other object can have its id.
        self._known: dict[tuple[int, int, int], tuple[object, Any]] = {}
        self._equal: dict[object, Any] = {}

    def row(
        self, path: str, table: Sequence[int | Fraction], length: int, upto: int | None = None
    ) -> Row:
        """Return the first prices of ``length``, each in units of 1/scale, rounded up."""
        upto = length if upto is None else upto
        return self._once(table, length, upto, lambda: self._row(path, table, length, upto))

    def rows(
        self,
        path: str,
        table: Sequence[Sequence[int | Fraction]],
        count: int,
        length: int,
        upto: int,
    ) -> Sequence[Row]:
        """Return the first of ``count`` rows of charges."""

        def make() -> Sequence[Row]:
            _check_length(path, table, count)
            if isinstance(table, LoneTable):
                return LoneTable(
                    upto, lambda g: self._row(f"{path}[{g}]", table[g], length, length)
                )
            rows = islice(table, upto)
            return tuple(self.row(f"{path}[{g}]", row, length) for g, row in enumerate(rows))

        return self._once(table, count, upto, make)

    def _once(self, table: object, length: int, upto: int, make: Callable[[], T]) -> T:
        key = id(table), length, upto
        if key not in self._known:
            made = make()
            self._known[key] = table, self._equal.setdefault(made, made)
        answer: T = self._known[key][1]
        return answer

    def _row(self, path: str, table: Sequence[int | Fraction], length: int, upto: int) -> Row:
        _check_length(path, table, length)
        if isinstance(table, LoneTable):
            return LoneTable(upto, lambda g: self._row(f"{path}[{g}]", (table[g],), 1, 1)[0])
        if isinstance(table, UnitRow) and table.scale == Fraction(self._up, self._down):
            assert all(map(le, [0, *table.units], table.units))  # made by hadaropt
            return tuple(table.units[:upto])
        # A table that is there anyway is checked to its end.
        seen = islice(table, upto) if isinstance(table, LazyTable) else table
        exact = [_exact(path, g, price) for g, price in enumerate(seen)]
        for g, ((a, b), (c, d)) in enumerate(pairwise(exact), 1):
            if a * d > c * b:
                rule = f"must not be below the price {_shown(a, b)} at {g - 1}"
                raise InstanceError(f"{path}[{g}]", rule, _shown(c, d))
        return tuple(-(-(a * self._up) // (b * self._down)) for a, b in exact[:upto])


def _check_length(path: str, table: object, length: int) -> None:
    if isinstance(table, str) or not hasattr(table, "__len__") or not hasattr(table, "__iter__"):
        raise InstanceError(path, "must be a sequence of exact prices", shown(table))
    if len(table) != length:
        raise InstanceError(f"{path}: length", f"must be {length}", str(len(table)))


def _exact(path: str, g: int, price: object) -> tuple[int, int]:
    """Return numerator and denominator of the price at g."""
    if type(price) is Fraction:  # the most frequent case, and the others are slow to tell apart
        a, b = price.numerator, price.denominator
    elif isinstance(price, Integral) and not isinstance(price, bool):
        a, b = int(price), 1
    elif isinstance(price, Rational) and not isinstance(price, bool):
        a, b = int(price.numerator), int(price.denominator)
    else:
        raise InstanceError(f"{path}[{g}]", "must be exact: an int or a Fraction", shown(price))
    if a < 0:
        raise InstanceError(f"{path}[{g}]", "must be >= 0", _shown(a, b))
    return a, b


def _shown(numerator: int, denominator: int) -> str:
    return shown(to_text(Fraction(numerator, denominator))).strip('"')
