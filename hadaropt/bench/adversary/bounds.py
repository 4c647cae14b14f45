"""What no deterministic policy can guarantee on one resource (theorems T9, T10 and T12)."""

from __future__ import annotations

from fractions import Fraction

GRID = 1024


def _held(c: int, m: int, rho: Fraction) -> Fraction:
    """Return what a rule of ratio rho holds, with L = 1, when N = c - m + 1 units are gone."""
    k, units = c // m, c - m + 1
    held = Fraction(units % m)
    for _ in range(units // m):
        held += m * max(Fraction(1), rho * held / (k * m))
    return held


def lower_bound(capacity: int, gang: int, spread: Fraction | int) -> Fraction:
    """Return the largest multiple of 1/1024 below which every deterministic rule fails.

    One resource of ``capacity`` units, bundles of all sizes up to ``gang``, densities in
    [L, U] with U/L = ``spread``: rho fails if k m U > rho h_q(rho), with k = floor(c/m), N = c - m
    + 1 = q m + s, h_0 = s, h_(i+1) = h_i + m max(1, rho h_i/(k m)) (T12; for m = 1 it is T9, which
    is attained; for m > c/2 never below T10's m U/((c - m + 1) L)).

    Examples
    --------
    >>> float(lower_bound(4, 4, 100)), round(float(lower_bound(4, 1, 100)), 1)
    (400.0, 9.8)
    """
    if not 1 <= gang <= capacity:
        raise ValueError(f"gang = {gang}, must be in 1 .. {capacity}")
    most = capacity // gang * gang * Fraction(spread)

    def fails(rho: Fraction, *, or_just: bool = False) -> bool:
        sold = rho * _held(capacity, gang, rho)
        return sold < most or (or_just and sold == most)

    low, high = GRID, int(GRID * most) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fails(Fraction(middle, GRID)) else (low, middle)
    if fails(Fraction(high, GRID), or_just=True):  # whatever is smaller fails
        return Fraction(high, GRID)
    return Fraction(low, GRID)
