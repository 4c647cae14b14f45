"""The few float tolerances in use. None of them decides what is feasible, valid or proved."""

SOLVER_FEASIBILITY = 1e-9
"""Primal and dual feasibility tolerance asked of HiGHS (its smallest is 1e-10)."""

INTEGRALITY = 1e-6
"""How far from an integer a solver's value of an integer variable may be before it is an error."""

FRACTIONAL = 1e-6
"""Values of an LP point this close to an integer pass for it: above the LP's own tolerance."""

PRICE_BITS = 40
"""Prices are rounded to multiples of 2**-PRICE_BITS unless asked otherwise."""
