"""That theorem T9 applies to posted prices: one resource, and every schedule holds one GPU of it.

With S(n) = d(0) + ... + d(n-1) and tau the number of prices below every value, for n = tau .. c:

(M) d(g) <= d(g+1), and each GPU is charged the dual price.
(F) d(c) >= U.
(K) tau >= 1 and c d(n) <= constant S(n).

Then every run that takes a job iff it is worth more than the price has OPT <= constant P. If fewer
than tau GPUs are sold nobody was turned away; else duality at the last price d(n) gives
OPT <= P - S(n) + c d(n) <= P + (constant - 1) S(n), and S(n) <= P.

Of the run that is verified the choices are not looked at. What they are needed for is: with fewer
than tau sold, the best value of job j is at most what it is worth in the run, plus e_j; else its
payoff at the last price is at most that at arrival, plus e_j. Then OPT <= constant P + sum e_j.
"""

from __future__ import annotations

from fractions import Fraction

from hadaropt.certificates.posted_document import Posted
from hadaropt.certificates.posted_tables import check_late, check_length, check_monotone
from hadaropt.certificates.ranges import Ranges
from hadaropt.errors import CertificateError
from hadaropt.exact import to_text


def check_unit_table(posted: Posted, ranges: Ranges, constant: Fraction) -> int:
    """Check the hypotheses of T9 on the posted prices; return tau, 0 if no schedule has a value.

    Raises
    ------
    CertificateError
        Naming the hypothesis that fails.
    """
    if constant < 1:
        raise CertificateError("theorem.constant", "must be >= 1", to_text(constant))
    if len(ranges.capacity) != 1:
        rule = f"needs one resource, and here are {len(ranges.capacity)}"
        raise CertificateError("theorem.id", rule, "T9")
    if ranges.most_units > 1:
        rule = "needs unit demand, and here a schedule may hold several GPUs"
        raise CertificateError("theorem.id", rule, "T9")
    ((place, c),) = ranges.capacity.items()
    i = posted.table_of[place]
    table, path = posted.tables[i], f"posted.tables[{i}]"
    if table.charges is not None:
        raise CertificateError(f"{path}.charges", "must be left out: T9 charges the price itself")
    check_length(table, path, c, ranges.reach[place])
    check_monotone(table, path)
    check_late(table, path, c, 1, ranges.value_per_unit[place] * posted.scale)
    least = ranges.least_density * posted.scale
    if least == 0:
        return 0
    tau = sum(price < least for price in table.prices)
    if tau == 0:
        rule = f"must be below L = {to_text(least)}, the least value (hypothesis K)"
        raise CertificateError(f"{path}.prices[0]", rule, str(table.prices[0]))
    revenue = sum(table.prices[:tau])
    for n, price in enumerate(table.prices[tau:], tau):
        if c * price > constant * revenue:
            rule = (
                f"is too small: {c} times the price after {n} sales is more (hypothesis K, {path})"
            )
            raise CertificateError("theorem.constant", rule, to_text(constant))
        revenue += price
    return tau
