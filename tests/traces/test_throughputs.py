"""The shipped throughput table and full tables of users."""

from __future__ import annotations

import csv
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from hadaropt.traces import TraceError
from hadaropt.traces.throughputs import (
    ThroughputTable,
    measured,
    model_types,
    read_throughputs,
    throughput,
)

HEADER = "job_type,scale_factor,worker_type,consolidated,steps_per_s\n"


def test_shape_of_the_shipped_table() -> None:
    assert measured().accelerators == ("V100", "P100", "K80")
    assert [len(model_types(gang)) for gang in (1, 2, 4, 8, 16)] == [26, 19, 19, 19, 0]
    assert measured().gang_sizes("A3C") == (1,)


def test_the_reference_is_a_v100_or_else_the_first_type() -> None:
    assert measured().reference == "V100"
    own = ThroughputTable([("M", 1, "A100", Fraction(3)), ("M", 1, "H100", Fraction(7))])
    assert own.reference == "A100"
    assert own.with_relative({"MI300": 2}).throughput("M", 1)["MI300"] == 6
    with pytest.raises(TraceError, match="throughputs, must hold a measurement"):
        _ = ThroughputTable([]).reference


def test_large_batches_do_not_fit_on_k80() -> None:
    assert throughput("ResNet-50 (batch size 128)", 4)["K80"] == 0


def test_unmeasured_gang_scales_linearly_and_says_so() -> None:
    with pytest.raises(KeyError, match=r"gang size 16; measured at \[1\]"):
        throughput("A3C", 16)
    assert measured().linear("A3C", 16)["V100"] == 16 * Fraction("7.176")


def test_shipped_table_is_the_measured_one_rounded_to_four_digits(data: Path) -> None:
    four = Context(prec=4)
    with (data / "gavel" / "throughputs.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["consolidated"] == "1"]
    assert len(rows) == 249
    for row in rows:
        rounded = four.plus(Decimal(row["steps_per_s"]))
        ours = throughput(row["job_type"], int(row["scale_factor"]))[row["worker_type"].upper()]
        assert ours == Fraction(rounded), row


def test_full_table_keeps_types_and_digits_as_written(data: Path) -> None:
    path = data / "gavel" / "throughputs.csv"
    single, spread = read_throughputs(path), read_throughputs(path, consolidated=False)
    name = "ResNet-18 (batch size 16)"
    assert single.throughput(name, 1)["k80"] == Fraction("4.795294551566172")
    assert spread.throughput(name, 1)["v100"] == Fraction("32.353384328946916")
    assert "k80" not in spread.throughput("ResNet-50 (batch size 64)", 2)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("A,1,v100,1,2\nA,1,v100,1,3\n", "gang size 1, on v100, stands twice"),
        ("A,1,v100,1,-2\n", "= -2, must be >= 0"),
        ("A,0,v100,1,2\n", "must be >= 0 for a gang size >= 1"),
        ("A,1,v100,1,nan\n", 't.csv line 2: steps_per_s = "nan", must be a number'),
        ("A,1.5,v100,1,2\n", 't.csv line 2: scale_factor = "1.5", must be an integer'),
    ],
)
def test_bad_tables_are_refused(tmp_path: Path, rows: str, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(HEADER + rows)
    with pytest.raises(TraceError) as caught:
        read_throughputs(path)
    assert message in str(caught.value)


def test_wrong_columns_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(TraceError, match=r"t\.csv, must have columns .*, has \['a', 'b'\]"):
        read_throughputs(path)
