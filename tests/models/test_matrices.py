"""The library's arrays are the PuLP programs, by the names of rows and columns, through MPS."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import highspy
import numpy as np
import pulp
from hypothesis import given, settings

from hadaropt.mip.model import LinearModel
from hadaropt.offline.compact.formulation import assemble
from models import dual_lp, forked_ilp, offline_ilp, primal_lp
from tests.instances_strategy import tiny_instances
from tests.offline.support import instance_of
from tests.oracle import Json

some = settings(deadline=None, max_examples=40)

Facts = dict[str, Any]


def from_mps(problem: pulp.LpProblem) -> Facts:
    """Write MPS with PuLP, read it with HiGHS."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "program.mps"
        problem.writeMPS(str(path))
        sense = path.read_text().split("\n", 1)[0]  # PuLP keeps the costs and notes the sense
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
        lp = highs.getLp()
    columns, rows = list(lp.col_names_), list(lp.row_names_)
    integer = list(lp.integrality_) or [highspy.HighsVarType.kContinuous] * len(columns)
    start, index = np.array(lp.a_matrix_.start_), np.array(lp.a_matrix_.index_)
    values = np.array(lp.a_matrix_.value_)
    if lp.a_matrix_.format_ == highspy.MatrixFormat.kColwise:
        pairs = [
            (rows[i], columns[c])
            for c in range(len(columns))
            for i in index[start[c] : start[c + 1]]
        ]
    else:
        pairs = [
            (rows[r], columns[i]) for r in range(len(rows)) for i in index[start[r] : start[r + 1]]
        ]
    return {
        "maximise": sense == "*SENSE:Maximize",
        "cost": dict(zip(columns, lp.col_cost_, strict=True)),
        "columns": {
            n: (lo, up, kind == highspy.HighsVarType.kInteger)
            for n, lo, up, kind in zip(columns, lp.col_lower_, lp.col_upper_, integer, strict=True)
        },
        "rows": {n: (lo, up) for n, lo, up in zip(rows, lp.row_lower_, lp.row_upper_, strict=True)},
        "entries": dict(zip(pairs, values.tolist(), strict=True)),
    }


def from_library(model: LinearModel) -> Facts:
    columns, rows = model.column_names(), model.row_names()
    assert len(set(columns)) == len(columns) and len(set(rows)) == len(rows)
    matrix = model.matrix.tocoo()
    pairs = [(rows[i], columns[k]) for i, k in zip(matrix.row, matrix.col, strict=True)]
    return {
        "maximise": model.maximise,
        "cost": dict(zip(columns, model.cost.tolist(), strict=True)),
        "columns": {
            n: facts
            for n, *facts in zip(columns, model.lower, model.upper, model.integer, strict=True)
        },
        "rows": {
            n: facts for n, *facts in zip(rows, model.row_lower, model.row_upper, strict=True)
        },
        "entries": dict(zip(pairs, matrix.data.tolist(), strict=True)),
    }


def same(program: pulp.LpProblem, model: LinearModel) -> None:
    if model.shape[1] == 0:
        assert not program.variables()
        return
    theirs, ours = from_mps(program), from_library(model)
    assert theirs["maximise"] == ours["maximise"]
    for part in ("columns", "rows", "entries", "cost"):
        assert theirs[part].keys() == ours[part].keys(), part
        for name, value in theirs[part].items():
            assert np.allclose(ours[part][name], value, rtol=1e-7, atol=0), (part, name)


@some
@given(tiny_instances("mixed", spreads=(1,)))
def test_hall_form_mixed(document: Json) -> None:
    instance = instance_of(document)
    same(offline_ilp.build(instance, "hall").problem, assemble(instance, "hall").linear)


@some
@given(tiny_instances("single_type", spreads=(1,)))
def test_hall_form_single_type(document: Json) -> None:
    instance = instance_of(document)
    same(offline_ilp.build(instance, "hall").problem, assemble(instance, "hall").linear)


@some
@given(tiny_instances())
def test_node_form(document: Json) -> None:
    instance = instance_of(document)
    build = forked_ilp.build if instance.parallelism == "forked" else offline_ilp.build
    options = {} if instance.parallelism == "forked" else {"form": "node"}
    same(build(instance, **options).problem, assemble(instance, "node").linear)


@some
@given(tiny_instances("mixed", spreads=(1,)))
def test_relaxation(document: Json) -> None:
    instance = instance_of(document)
    same(primal_lp.build(instance).problem, assemble(instance, "hall").linear.relaxed())


@some
@given(tiny_instances("mixed", spreads=(1,)))
def test_dual(document: Json) -> None:
    instance = instance_of(document)
    same(dual_lp.build(instance).problem, assemble(instance, "hall").linear.relaxed().dual())
