"""A model that is exported and read back is the same model, number by number."""

from fractions import Fraction
from pathlib import Path

import highspy
import numpy as np
import pytest
from scipy import sparse

from hadaropt import write_instance
from hadaropt.offline.compact.formulation import assemble

from .conftest import SMALL_OPTIMUM, make_instance


def read(path: Path) -> highspy.Highs:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)  # another number would hold for the whole process
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    return highs


def by_name(names: list[str], values) -> dict[str, float]:
    assert len(set(names)) == len(names)
    return dict(zip(names, map(float, values), strict=True))


@pytest.mark.parametrize("program", ["ilp", "lp", "dual"])
@pytest.mark.parametrize("parallelism", ["single_type", "mixed", "forked"])
@pytest.mark.parametrize("suffix", [".mps", ".mps.gz"])
def test_reading_gives_the_same_numbers(run, tmp_path, program, parallelism, suffix):
    instance = make_instance(parallelism=parallelism)
    source, target = tmp_path / "i.json", tmp_path / f"model{suffix}"
    write_instance(instance, source)
    answer = run("export", source, "-o", target, "--program", program, "--json")
    assert answer.code == 0, answer.err
    model = assemble(instance).linear
    if program != "ilp":
        model = model.relaxed()
    if program == "dual":
        model = model.dual()
    lp = read(target).getLp()
    columns, rows = list(lp.col_names_), list(lp.row_names_)
    for ours, theirs in (
        ((model.column_names(), model.cost), (columns, lp.col_cost_)),
        ((model.column_names(), model.lower), (columns, lp.col_lower_)),
        ((model.column_names(), model.upper), (columns, lp.col_upper_)),
        ((model.row_names(), model.row_lower), (rows, lp.row_lower_)),
        ((model.row_names(), model.row_upper), (rows, lp.row_upper_)),
    ):
        assert by_name(*ours) == by_name(*theirs)
    matrix = lp.a_matrix_
    kind = (
        sparse.csc_matrix if matrix.format_ == highspy.MatrixFormat.kColwise else sparse.csr_matrix
    )
    arrays = tuple(np.array(a) for a in (matrix.value_, matrix.index_, matrix.start_))
    found = kind(arrays, shape=(len(rows), len(columns))).tocoo()
    entries = {
        (rows[i], columns[k]): v for i, k, v in zip(found.row, found.col, found.data, strict=True)
    }
    ours = model.matrix.tocoo()
    names = model.row_names(), model.column_names()
    assert entries == {
        (names[0][i], names[1][k]): v for i, k, v in zip(ours.row, ours.col, ours.data, strict=True)
    }
    integer = {
        name
        for name, whole in zip(columns, lp.integrality_, strict=False)
        if whole == highspy.HighsVarType.kInteger
    }
    assert integer == {name for name, whole in zip(names[1], model.integer, strict=True) if whole}
    assert (lp.sense_ == highspy.ObjSense.kMaximize) == model.maximise


@pytest.mark.parametrize("suffix", [".mps", ".lp"])
def test_the_file_has_the_optimum(run, instance_file, tmp_path, suffix):
    target = tmp_path / f"model{suffix}"
    assert run("export", instance_file, "-o", target).code == 0
    highs = read(target)
    highs.run()
    assert highs.getObjectiveValue() == pytest.approx(float(SMALL_OPTIMUM))
    assert Fraction(highs.getObjectiveValue()).limit_denominator(1000) == SMALL_OPTIMUM


def test_names_say_job_round_and_level(run, instance_file, tmp_path):
    target = tmp_path / "model.mps"
    run("export", instance_file, "-o", target)
    text = target.read_text()
    for name in ("run_0_0_0", "done_0_2", "once_1", "capacity_0_"):
        assert f" {name}" in text


def test_what_cannot_be_exported_is_a_usage_error(run, instance_file, tmp_path):
    assert "must end in" in run("export", instance_file, "-o", tmp_path / "m.txt").err
    assert run("export", instance_file, "-o", tmp_path / "m.txt").code == 2
    forked = tmp_path / "forked.json"
    write_instance(make_instance(parallelism="forked"), forked)
    answer = run("export", forked, "-o", tmp_path / "m.mps", "--form", "hall")
    assert answer.code == 2
    assert '--form = "hall", must be "node"' in answer.err
    empty = tmp_path / "empty.json"
    write_instance(make_instance(num_rounds=1), empty)
    answer = run("export", empty, "-o", tmp_path / "m.mps")
    assert answer.code == 2
    assert "nothing to export" in answer.err
    assert not (tmp_path / "m.mps").exists()
