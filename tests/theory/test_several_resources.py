"""T17: on several resources a table of prices per unit pays ln ln(U/L) more than on one."""

import math

import pytest

U = 10**4
# L = 1; a price k of the share of a resource that is sold, the same for all


def zero_start(U):
    """T7 with delta = 1/beta, and its constant for small bundles."""
    delta = 1 / math.log(U)
    t = math.log(1 + U / delta)
    return lambda x: delta * math.expm1(t * x), (1 + delta) * t


def one_resource(U):
    """T9 for small units: 1 up to 1/rho, then e^(rho x - 1), rho = 1 + beta."""
    rho = 1 + math.log(U)
    return lambda x: max(1.0, math.exp(rho * x - 1))


def straight_start(U):
    """rho x in place of 1: it rises by rho for each unit that is sold at 1."""
    rho = 1 + math.log(U)
    return lambda x: rho * x if rho * x < 1 else math.exp(rho * x - 1)


def play(k, c, stop, low):
    """The adversary of T17 against the rule, on resources of c units; returns OPT/P, at least.

    One resource is sold up to a share ``stop``, above price 1 to jobs that use others too, of which
    none is sold beyond a share ``low``; then one sort of job is refused on each.
    """
    price = [k(g / c) for g in range(c + 1)]
    sold, P = 0, 0.0
    others: list[int] = []  # units sold of each, those of the least first

    def offer(u, units, cost):
        """Whether the rule takes a job; its value is that of its units at least."""
        assert u >= units - 1e-9
        return u > cost

    while sold < stop * c:
        now, mates, cost = price[sold], 0, price[sold]
        if now >= 1:
            while mates + 1 <= cost < U - 2:  # one more unit each, until the job is worth its cost
                if mates == len(others) or others[mates] >= low * c:
                    others.insert(mates, 0)
                cost += price[others[mates]]
                mates += 1
        u = max(mates + 1, cost) * (1 + 1e-9) + 1e-12
        assert u <= U and offer(u, mates + 1, cost)
        for i in range(mates):
            others[i] += 1
        others.sort()
        P, sold = P + u, sold + 1
    K = price[sold]
    for i, held in enumerate(others):  # all to the same level, at 1 a unit or their price
        while others[i] < low * c:
            P += max(1.0, price[others[i]]) * (1 + 1e-9)
            others[i] += 1
        assert held <= others[i]
    q = price[math.ceil(low * c)]
    best = c * K  # single units at the price of the first resource: refused
    if q >= 1:
        return (best + len(others) * c * 1.0) / P  # and single units at 1 of each other
    n = int(min((K - 1) / (1 - q), (U - K) / q if q else math.inf))
    seconds, u = len(others) // n, K + n * q
    for _ in range(seconds):  # filled like the first, but by single units
        P += sum(max(1.0, price[g]) * (1 + 1e-9) for g in range(sold))
    assert u <= U and not offer(u, n + 1, K + n * q)
    return (best + seconds * c * u) / P


def worst(k, c):
    return max(
        play(k, c, stop, low / c)
        for stop in (0.9,)
        for low in range(1, c)
        if low == 1 or k((low - 1) / c) < 1
    )


def test_the_table_of_one_resource_is_far_from_its_ratio_on_several():
    """A job on one resource at a high price and on many that nobody uses, at price L each."""
    k = one_resource(U)
    price, n = k(0.5), U - 100
    served = 0.5 / 1000 * sum(max(1.0, k(0.5 * i / 1000)) for i in range(1000))
    assert n + price <= U and n + price >= n + 1  # U and L hold
    assert (n + price) / served > 20 * (1 + math.log(U))  # refused: n + price is its cost


def test_a_straight_start_loses_half_as_much_again():
    assert worst(straight_start(U), 100) > 1.3 * (1 + math.log(U))


def test_the_zero_start_price_is_driven_to_its_constant():
    k, constant = zero_start(U)
    forced = worst(k, 100)
    assert 1 + math.log(U) < forced
    assert 0.93 * constant < forced


@pytest.mark.parametrize("U", [10**2, 10**4, 10**8])
def test_zero_start_in_the_limit(U):
    """The formulas of the proof, by sums over a fine grid: within 1 % of the constant of T7."""
    k, constant = zero_start(U)
    N = 20_000
    S = J = best = 0.0
    for g in range(N):
        price = k((g + 0.5) / N)
        if price < 1:
            J, A = J + (1 - price) / N, (g + 1) / N
        elif S > 3:
            x = g / N
            first = J / (S - x)
            best = max(best, (first * price + 1) / (first * x + A))
        S += max(price, 1.0) / N
    assert 0.985 * constant < best < 1.01 * constant
