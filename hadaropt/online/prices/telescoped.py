"""The telescoped price (theorem T8): each GPU of a bundle costs what it would if bought alone."""

from __future__ import annotations

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.bundles import bundle_tables
from hadaropt.online.prices.tables import PriceTables


class Telescoped:
    """w GPUs cost k(g) + ... + k(g + w - 1) where g are sold, with k as in `bundles`."""

    name = "telescoped"

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the dual prices and the charges."""
        return bundle_tables(known, _further)


def _further(k: list[int]) -> list[int]:
    """k(g + i)."""
    return k
