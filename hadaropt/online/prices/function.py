"""What a price function is: from declared foreknowledge to a table of exact prices per resource."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from hadaropt.online.prices.tables import PriceTables

if TYPE_CHECKING:
    from hadaropt.online.foreknowledge import Foreknowledge


@runtime_checkable
class PriceFunction(Protocol):
    """A price function: an object with a name and a method that makes the tables.

    Pass one to `hadaropt.policies.PrimalDual`, or register it in the entry-point group
    ``hadaropt.prices`` (a callable without arguments that makes one) to use it by its name.
    """

    @property
    def name(self) -> str:
        """A name for tables, not that of a price function of hadaropt."""

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the prices of every resource.

        Parameters
        ----------
        known : Foreknowledge
            All that may be known of the jobs to come. ``known.tabulate(table)`` calls
            ``table(declared)`` once for each kind of resource and puts the answers together.
        """
