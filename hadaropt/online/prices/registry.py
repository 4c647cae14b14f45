"""Price functions by name: those of hadaropt, and those that other packages register."""

from __future__ import annotations

from collections.abc import Mapping

from hadaropt.errors import InstanceError, shown
from hadaropt.online.prices.doubling import Doubling
from hadaropt.online.prices.exponential import Exponential
from hadaropt.online.prices.exponential_paper import ExponentialPaper
from hadaropt.online.prices.forward_looking import ForwardLooking
from hadaropt.online.prices.function import PriceFunction
from hadaropt.online.prices.last_unit import LastUnit
from hadaropt.online.prices.linear import LinearPrice
from hadaropt.online.prices.mixed_threshold import MixedThreshold
from hadaropt.online.prices.step import StepPrice
from hadaropt.online.prices.telescoped import Telescoped
from hadaropt.online.prices.threshold import Threshold
from hadaropt.online.prices.threshold_sums import ThresholdSums
from hadaropt.online.prices.zero_start import ZeroStart
from hadaropt.plugins import PRICES as GROUP
from hadaropt.plugins import make_plugin

PRICES: Mapping[str, PriceFunction] = {
    price.name: price
    for price in (
        ZeroStart(),
        Exponential(),
        ExponentialPaper(),
        LastUnit(),
        Telescoped(),
        Threshold(),
        LinearPrice(),
        StepPrice(),
        MixedThreshold(),
    )
}
"""The price functions of hadaropt, in the order of `hadaropt.policies.PRICE_NAMES`."""

ANY_PRICE = "T4"
"""The theorem of every table that satisfies the hypotheses, whatever function made it."""

_OWN = {
    ZeroStart: "T7",
    Exponential: "T5",
    ExponentialPaper: "T5",
    LastUnit: "T8",
    Telescoped: "T8",
    Threshold: "T9",
    StepPrice: "T11",
    MixedThreshold: "T14",
    Doubling: "T16",
    ThresholdSums: "T19",
    ForwardLooking: "T7",
}


def theorem_of(price: PriceFunction) -> str:
    """Return the id of the theorem that is claimed of a price function's tables."""
    return _OWN.get(type(price), ANY_PRICE)


def make_price(name: str) -> PriceFunction:
    """Return the price function of that name, one of `hadaropt.policies.price_names`.

    Raises
    ------
    InstanceError
        If another package registers something else under that name.
    """
    if name in PRICES:
        return PRICES[name]
    made = make_plugin(GROUP, name)
    if not isinstance(made, PriceFunction):
        rule = "must make a price function: an object with a name and tables(known)"
        raise InstanceError(f"entry point {name} of {GROUP}", rule, shown(made))
    if made.name != name:
        rule = f"must make a price function of that name, not of {shown(made.name)}"
        raise InstanceError(f"entry point of {GROUP}", rule, shown(name))
    return made
