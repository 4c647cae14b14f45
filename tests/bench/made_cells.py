"""Cells of a ratio suite, made up."""

from fractions import Fraction

from hadaropt.bench.ratio.cells import Cell


def cell(policy="p", primal=10, best=10, bound=None, **fields):
    known = {
        "family": "f",
        "seed": 0,
        "parallelism": "mixed",
        "policy": policy,
        "jobs": 4,
        "rounds": 3,
        "instance_sha256": "0",
        "primal": Fraction(primal),
        "best": Fraction(best),
        "bound": Fraction(best if bound is None else bound),
        "dual": Fraction(100),
        "theorem": "",
        "guarantee": float("inf"),
        "vacuous": False,
        "seconds": 0.5,
    }
    return Cell(**{**known, **fields})
