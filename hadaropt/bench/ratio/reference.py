"""The reference of a ratio: a proved optimum, or an interval that holds it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.certificates import Certificate, certify, verify
from hadaropt.errors import InvariantError
from hadaropt.instance import Instance
from hadaropt.interrupts import uninterrupted
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.results import Prices, Timings
from hadaropt.schedule import Schedule


@dataclass(frozen=True)
class Reference:
    """What is known of the optimum of an instance.

    Attributes
    ----------
    value : Fraction
        Exact value of the best schedule known.
    bound : Fraction
        Proven: OPT <= bound (verified without a solver).
    prices : Prices or None
        The best prices known, for certificates of policies without prices.
    schedule : Schedule
    seconds : float
        Time spent on it.
    certificate : Certificate or None
        The verified proof of ``value <= OPT <= bound``.
    timings : Timings or None
        How the solver spent its time.
    """

    value: Fraction
    bound: Fraction
    prices: Prices | None
    schedule: Schedule
    seconds: float
    certificate: Certificate | None = None
    timings: Timings | None = None

    @property
    def closed(self) -> bool:
        """Whether the optimum is proved; only then is it called OPT."""
        return self.value == self.bound


def prove_optimum(instance: Instance, time_limit: float) -> Reference:
    """Return the proved optimum, or the interval reached within the time limit.

    The certificate of the answer is verified without a solver before it is believed.
    """
    started = time.perf_counter()
    answer = uninterrupted(branch_and_price(instance, time_limit=time_limit))
    schedule = answer.schedule if answer.schedule is not None else Schedule.empty(instance)
    certificate = certify(instance, answer, schedule=schedule)
    verified = verify(instance, certificate)
    if verified.bound is None:
        raise InvariantError("the certificate of an optimum has no bound")
    bound = instance.round_down(verified.bound)
    seconds = time.perf_counter() - started
    return Reference(
        verified.value,
        bound,
        answer.prices,
        schedule,
        seconds,
        certificate,
        answer.timings,
    )
