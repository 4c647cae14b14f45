"""The dual of the LP relaxation in the Hall form, written out.

One variable >= 0 for each row of `primal_lp`, under its name, and one row for each of its columns:

- ``once_j`` = mu_j, the payoff of job j; ``capacity_t_S`` = pi_tS, the price of the types S;
- ``advance_j_t``, the worth of a unit of progress; ``active_j_t``, the worth of being busy;
- ``complete_j_f`` and ``monotone_j_f`` hold the worth of completion together.

``min sum_j mu_j + sum_t,S C(S) pi_tS``. GPU prices are k_tr = sum of pi_tS over the S with r in S.

Run: ``python -m models.dual_lp INSTANCE --solver HiGHS -o OUT``
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pulp

from hadaropt.instance import Instance
from models.common import Types, capacity_sets, label, plans
from models.files import main, values_document


@dataclass
class Dual:
    """A PuLP problem with its capacity prices."""

    problem: pulp.LpProblem
    pi: dict[tuple[int, Types], Any]


def build(instance: Instance) -> Dual:
    """Return the dual program."""
    problem = pulp.LpProblem("dual", pulp.LpMinimize)
    every = plans(instance, "hall")
    capacity = instance.cluster.pooled_capacity
    pi: dict[tuple[int, Types], Any] = {}
    for t in range(instance.num_rounds):
        for types in capacity_sets(w.admitted for p in every if t in p.rounds for w in p.ways):
            pi[t, types] = problem.add_variable(f"capacity_{t}_{label(types)}", 0)
    cost = [sum(capacity[r] for r in types) * x for (_, types), x in pi.items()]
    for p in every:
        j, last = p.j, p.rounds[-1]
        advance = {t: problem.add_variable(f"advance_{j}_{t}", 0) for t in p.rounds}
        active = {t: problem.add_variable(f"active_{j}_{t}", 0) for t in p.rounds}
        complete = {f: problem.add_variable(f"complete_{j}_{f}", 0) for f in p.value}
        monotone = {
            f: problem.add_variable(f"monotone_{j}_{f}", 0) for f in p.value if f - 1 in p.value
        }
        once = problem.add_variable(f"once_{j}", 0)
        cost.append(once)
        for t in p.rounds:
            for w in p.ways:
                paid = pulp.lpSum(
                    p.gang * x for (at, types), x in pi.items() if at == t and w.admitted <= types
                )
                row = paid + active[t] - w.units * advance[t]
                problem += row >= 0, f"run_{j}_{t}_{w.place}"
            later = [-1 * advance[t + 1]] if t < last else []
            due = [-1 * complete[t]] if t in complete else []
            problem += pulp.lpSum([advance[t], *later, *due]) >= 0, f"progress_{j}_{t}"
        for f, gain in p.gain.items():
            chain = [monotone[f + 1]] if f < last else []
            chain += [-1 * monotone[f]] if f in monotone else []
            chain += [active[f + 1]] if f < last else []
            if f == last:
                chain += [once, *(-1 * active[t] for t in p.rounds)]
            problem += p.need * complete[f] + pulp.lpSum(chain) >= float(gain), f"done_{j}_{f}"
    problem.setObjective(pulp.lpSum(cost))
    return Dual(problem, pi)


def answer(instance: Instance, dual: Dual) -> dict[str, Any]:
    """Return the values document, with the price k_tr of each type in each round."""
    types = instance.cluster.accelerators
    prices = {
        f"{t} {name}": sum(
            x.varValue or 0.0 for (at, s), x in dual.pi.items() if at == t and r in s
        )
        for t in range(instance.num_rounds)
        for r, name in enumerate(types)
    }
    return {**values_document(dual.problem), "prices": {k: x for k, x in prices.items() if x}}


if __name__ == "__main__":
    main(build, answer)
