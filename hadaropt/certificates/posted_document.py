"""The price tables of a run, as a certificate states them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hadaropt.errors import CertificateError
from hadaropt.exact import MAX_CLAIM_DIGITS, parse_text, to_integer, to_text
from hadaropt.instance import Instance
from hadaropt.io.documents import Document, check_fields, check_list, check_string
from hadaropt.results import PostedPrices

Place = tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """Prices of a resource in units of 1/scale.

    Attributes
    ----------
    prices : tuple of int
        d(g) >= 0 for g = 0, 1, .. GPUs sold.
    charges : tuple of tuple of int, or None
        For each g, what the GPUs of a bundle are charged one by one. None: d(g) each.
    """

    prices: tuple[int, ...]
    charges: tuple[tuple[int, ...], ...] | None


@dataclass(frozen=True)
class Posted:
    """The price tables of a run.

    Attributes
    ----------
    scale : Fraction
        Prices are multiples of 1/scale.
    tables : tuple of Table
    table_of : mapping
        Place, (t, r) or (t, h, r) -> index of its table.
    """

    scale: Fraction
    tables: tuple[Table, ...]
    table_of: Mapping[Place, int]

    def price(self, place: Place, sold: int) -> Fraction:
        """Return d(g).

        Raises
        ------
        CertificateError
            If the table ends before.
        """
        prices = self.tables[self.table_of[place]].prices
        if sold >= len(prices):
            raise self._short(place)
        return prices[sold] / self.scale

    def charge(self, place: Place, sold: int, units: int) -> Fraction:
        """Return C(g, w).

        Raises
        ------
        CertificateError
            If the table ends before.
        """
        charges = self.tables[self.table_of[place]].charges
        if charges is None:
            return units * self.price(place, sold)
        if sold >= len(charges) or units > len(charges[sold]):
            raise self._short(place)
        return sum(charges[sold][:units]) / self.scale

    def _short(self, place: Place) -> CertificateError:
        path = f"posted.tables[{self.table_of[place]}]"
        return CertificateError(path, "must reach as far as the run does")


MAX_ENTRIES = 200_000
"""Numbers of all tables together that a certificate holds."""


def posted_of(found: PostedPrices) -> Posted | None:
    """Return the price tables of a run, equal ones once; None if they are too large to be told."""
    index: dict[tuple[object, object], int] = {}
    table_of = {}
    tables: list[Table] = []
    for place, prices in found.tables.items():
        charges = None if found.charges is None else found.charges[place]
        i = index.setdefault((prices, charges), len(tables))
        if i == len(tables):
            tables.append(Table(tuple(prices), charges))
        table_of[place] = i
    size = sum(len(table.prices) + sum(map(len, table.charges or ())) for table in tables) + len(
        table_of
    )
    return None if size > MAX_ENTRIES else Posted(found.scale, tuple(tables), table_of)


def posted_to_document(posted: Posted, instance: Instance) -> Document:
    """Return price tables as a document, numbers as exact text."""
    cluster = instance.cluster
    tables: list[Document] = []
    for table in posted.tables:
        tables.append({"prices": list(map(str, table.prices))})
        if table.charges is not None:
            tables[-1]["charges"] = [list(map(str, row)) for row in table.charges]
    places = []
    for place, table_index in sorted(posted.table_of.items()):
        entry: Document = {"round": place[0]}
        if len(place) == 3:
            entry["node"] = cluster.nodes[place[1]]
        places.append({**entry, "type": cluster.accelerators[place[-1]], "table": table_index})
    return {"scale": to_text(posted.scale), "tables": tables, "places": places}


def parse_posted(value: object, pool: str, instance: Instance) -> Posted:
    """Return the price tables of a document; each place once, no number negative.

    Raises
    ------
    CertificateError, InstanceError
        Naming the path, the value and the rule that it breaks.
    """
    fields = _fields(value, ("scale", "tables", "places"), (), "posted")
    scale = _number(fields["scale"], "posted.scale")
    if scale <= 0:
        raise CertificateError("posted.scale", "must be > 0", to_text(scale))
    tables = []
    for i, entry in enumerate(check_list(fields["tables"], "posted.tables", CertificateError)):
        here = f"posted.tables[{i}]"
        parts = _fields(entry, ("prices",), ("charges",), here)
        prices = _units(parts["prices"], f"{here}.prices")
        if not prices:
            raise CertificateError(f"{here}.prices", "must not be empty")
        charges = None
        if "charges" in parts:
            rows = check_list(parts["charges"], f"{here}.charges", CertificateError)
            charges = tuple(_units(row, f"{here}.charges[{g}]") for g, row in enumerate(rows))
        tables.append(Table(prices, charges))
    table_of = _places(fields["places"], pool, instance, len(tables))
    return Posted(scale, tuple(tables), table_of)


def _places(value: object, pool: str, instance: Instance, tables: int) -> dict[Place, int]:
    cluster = instance.cluster
    nodes = {name: h for h, name in enumerate(cluster.nodes)}
    types = {name: r for r, name in enumerate(cluster.accelerators)}
    names = ("round", "node", "type", "table") if pool == "node" else ("round", "type", "table")
    found: dict[Place, int] = {}
    for i, entry in enumerate(check_list(value, "posted.places", CertificateError)):
        here = f"posted.places[{i}]"
        fields = _fields(entry, names, (), here)
        place: Place = (to_integer(fields["round"], f"{here}.round", most=instance.num_rounds - 1),)
        for name, known in (("node", nodes), ("type", types)):
            if name in fields:
                key = check_string(fields[name], f"{here}.{name}", CertificateError)
                if key not in known:
                    raise CertificateError(f"{here}.{name}", "is not in the instance", key)
                place = (*place, known[key])
        if place in found:
            raise CertificateError(here, "must name each place once")
        if not tables:
            raise CertificateError(f"{here}.table", "must be one of the tables")
        found[place] = to_integer(fields["table"], f"{here}.table", most=tables - 1)
    return found


def _fields(
    value: object, required: Sequence[str], optional: Sequence[str], path: str
) -> Mapping[str, Any]:
    return check_fields(value, required, optional, path=path, error=CertificateError)


def _number(value: object, path: str) -> Fraction:
    return parse_text(check_string(value, path, CertificateError), path, digits=MAX_CLAIM_DIGITS)


def _units(value: object, path: str) -> tuple[int, ...]:
    """Return a list of integers >= 0, each a string."""
    found = []
    for i, entry in enumerate(check_list(value, path, CertificateError)):
        number = _number(entry, f"{path}[{i}]")
        if number.denominator != 1 or number < 0:
            raise CertificateError(f"{path}[{i}]", "must be an integer >= 0", to_text(number))
        found.append(number.numerator)
    return tuple(found)
