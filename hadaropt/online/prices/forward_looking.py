"""Prices that know the longest job and the largest value only: forward-looking balance in rounds.

Forward-looking balance (Ekbatani, Feng, Kash, Niazadeh, arXiv 2506.06893) assigns jobs of known
durations to units that they give back: it accepts a job if its value exceeds the sum, over future
times at which it will run, of an exponential penalty on what is in use then. Where a resource is
the GPUs of a type in one round, that is a posted price: a job that leaves stops holding them.
"""

from __future__ import annotations

from fractions import Fraction

from hadaropt.online.foreknowledge import Foreknowledge
from hadaropt.online.prices.lazy import LazyTable, constant_table
from hadaropt.online.prices.logarithms import log
from hadaropt.online.prices.saturating import exponential_theta, saturating_table, used
from hadaropt.online.prices.tables import Declared, ExactPrice, PriceTables
from hadaropt.online.prices.zero_start import share


class ForwardLooking:
    """k(g) = delta L ((1 + U/(delta L))^x - 1), x = min(g, N)/N, one U for all rounds.

    With values in [r, R r] and at most D GPU-rounds for each job, U = R r and L = r/D are all it is
    told. delta = 1/beta, beta = max(1, ln(U/L)) = ln(R D): theorem T7, whose constant tends to beta
    + ln(beta) + 1 as N grows (T7d).
    """

    name = "forward_looking"

    def tables(self, known: Foreknowledge) -> PriceTables:
        """Return the tables; no price is above U, which is reached at g = N."""
        L, kinds = known.least_density, used(known)
        if L == 0 or not kinds:  # no job is worth anything
            return known.tabulate(lambda at: constant_table(at.c + 1, at.U), closed_form=1.0)
        U = max(at.U for at in kinds)
        beta = max(1.0, log(U / L))
        steepness = log(1 + Fraction(beta) * U / L)

        def table(at: Declared) -> LazyTable[ExactPrice]:
            same = Declared(at.c, at.m, U, at.L)
            return saturating_table(same, lambda g, at: share(min(g, at.N) / at.N, steepness))

        theta = exponential_theta(kinds, lambda at: steepness)
        found = known.tabulate(table)
        return PriceTables(
            found.prices,
            closed_form=(1 + 1 / beta) * theta,
            parameters={"U": str(U), "beta": f"{beta:.6g}"},
        )
