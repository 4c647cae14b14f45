"""The LP relaxation of the offline program, with its prices.

`offline_ilp` with every variable real and >= 0: the rows ``once``, ``monotone`` and ``active``
imply the upper limits, so that every price belongs to a row. The answer holds the values of the
variables and the price of every row, >= 0 for a <= row of a maximisation whatever the solver.

Run: ``python -m models.primal_lp INSTANCE --form hall --solver HiGHS -o OUT``
"""

from __future__ import annotations

from typing import Any

import pulp

from hadaropt.instance import Instance
from models.files import main, values_document
from models.offline_ilp import Program
from models.offline_ilp import build as build_ilp


def build(instance: Instance, form: str = "hall") -> Program:
    """Return the relaxation."""
    return build_ilp(instance, form, integral=False)


def prices(problem: pulp.LpProblem) -> dict[str, float]:
    """Return the price of every row, with the sign that makes the prices >= 0.

    Solvers and versions of PuLP disagree on the sign of duals of a maximisation: the right one is
    the one under which the prices times the limits add up to the objective, not to its negative.
    """
    rows = problem.constraints()
    value = sum((row.pi or 0.0) * -row.constant for row in rows)
    sign = 1.0 if value >= 0 else -1.0
    return {row.name: max(0.0, sign * (row.pi or 0.0)) for row in rows}


def answer(instance: Instance, program: Program) -> dict[str, Any]:
    """Return the values document, with prices."""
    return {**values_document(program.problem), "prices": prices(program.problem)}


if __name__ == "__main__":
    main(build, answer, form=["hall", "node"])
