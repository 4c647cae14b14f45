"""The last-unit price (theorem T8): a bundle of w GPUs costs w times the price of its last one."""

from __future__ import annotations

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.bundles import bundle_tables
from hadaropt.online.prices.tables import PriceTables


class LastUnit:
    """w GPUs cost w k(g + w - 1) where g are sold, with k as in `bundles`."""

    name = "last_unit"

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the dual prices and the charges."""
        return bundle_tables(known, _further)


def _further(k: list[int]) -> list[int]:
    """(i + 1) k(g + i) - i k(g + i - 1): what GPU i adds."""
    return [k[0]] + [(i + 1) * k[i] - i * k[i - 1] for i in range(1, len(k))]
