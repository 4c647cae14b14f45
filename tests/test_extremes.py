"""Numbers at the edge: what a float cannot tell apart, and what is too large for a table."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hadaropt import Cluster, Instance, Job, check_schedule, run_online, solve, solve_ilp
from hadaropt.cli.common.exits import BAD_INPUT
from hadaropt.cli.common.failures import exit_code, is_defect
from hadaropt.errors import InstanceError, LimitError
from hadaropt.io import instance_from_document
from hadaropt.offline.lagrangian.bound import lagrangian_bound
from hadaropt.policies import Fifo, Random, RollingHorizon
from hadaropt.results import relative_gap
from hadaropt.utility import Linear

TWO_TYPES = Cluster.of({"n0": {"V100": 2}, "n1": {"P100": 2}})


def tiny(
    peak: object = 100, speed: object = 4, iterations: int = 4000, slow: object = 1
) -> Instance:
    """Two jobs, the first of them with whatever is extreme."""
    decay = Fraction(str(peak)) / 10
    jobs = [
        Job("a", 0, 2, iterations, {"V100": speed, "P100": slow}, Linear(peak, decay)),  # type: ignore[dict-item,arg-type]
        Job("b", 1, 2, 1000, {"V100": 2, "P100": "0.7"}, Linear("40.5", 3)),  # type: ignore[dict-item,arg-type]
    ]
    return Instance(TWO_TYPES, jobs, 6)  # type: ignore[arg-type]


def test_a_value_below_the_exact_bound_is_not_called_optimal() -> None:
    jobs = [
        Job("a", 0, 2, 4000, {"V100": 4, "P100": "1.5"}, Linear(10**12, 10**11)),
        Job("b", 1, 2, 1000, {"V100": 2, "P100": "0.7"}, Linear("1e-12", "1e-13")),
    ]
    found = solve_ilp(Instance(TWO_TYPES, jobs, 6))
    if found.bound == found.value:
        assert found.status == "proved"
    else:
        assert (found.status, found.termination) == ("feasible", "tolerance")
        assert found.gap > 0


def test_gaps_are_rounded_up() -> None:
    assert relative_gap(Fraction(8 * 10**11) + Fraction(1, 10**12), Fraction(8 * 10**11)) > 0
    assert relative_gap(Fraction(1, 3) + 1, Fraction(1)) >= Fraction(1, 3)
    assert relative_gap(Fraction(10**400), Fraction(0)) == math.inf
    assert relative_gap(Fraction(2), Fraction(2)) == 0 == relative_gap(1.0, Fraction(2))
    assert relative_gap(Fraction(2), math.nan) == math.inf


DISAGREEING = {
    "format": "hadaropt-instance/1",
    "round_seconds": "3/2",
    "num_rounds": 2,
    "parallelism": "mixed",
    "accelerators": ["A", "B", "C"],
    "nodes": [
        {"name": "n0", "gpus": {"A": 1, "C": 2}},
        {"name": "n1", "gpus": {"A": 1, "C": 1}},
    ],
    "jobs": [
        {
            "name": "j0",
            "release": 0,
            "gang_size": 1,
            "iterations": 5000000,
            "throughput": {"A": 2, "B": 3, "C": 3000000},
            "utility": {"kind": "effective_throughput", "scale": 4},
        },
        {
            "name": "j2",
            "release": 0,
            "gang_size": 2,
            "iterations": 2,
            "throughput": {"A": 1, "B": "1/2", "C": 1000000},
            "utility": {"kind": "linear", "peak": "1e-9", "decay": "0.1"},
            "spread_factor": "0.9",
        },
    ],
}


def test_the_cross_check_allows_what_the_solver_cannot_tell_apart() -> None:
    instance = instance_from_document(DISAGREEING)
    found = solve(instance, cross_check=True)
    assert found.schedule is not None
    assert found.value == check_schedule(instance, found.schedule).value
    assert found.value == Fraction(20000000000000003, 3000000000)
    assert found.status == "proved"


def test_a_range_beyond_the_solver_is_a_limit() -> None:
    with pytest.raises(LimitError, match=r"jobs\[0\]\.iterations = .* 100000000 times the gcd"):
        solve_ilp(tiny(speed="1/360", iterations=10**9, slow="400000001/360"))


def test_arguments_of_the_wrong_kind_are_refused() -> None:
    with pytest.raises(TypeError, match=r'instance: expected a hadaropt.Instance, got "tiny.json"'):
        solve_ilp("tiny.json")  # type: ignore[arg-type]
    with pytest.raises(InstanceError, match=r"threads = -1, must be >= 0"):
        solve_ilp(tiny(), threads=-1)
    with pytest.raises(InstanceError, match=r"seed = -1, must be >= 0"):
        solve_ilp(tiny(), seed=-1)
    with pytest.raises(InstanceError, match=r"jobs = {}, must be a sequence"):
        Instance(TWO_TYPES, {}, 3)  # type: ignore[arg-type]
    with pytest.raises(InstanceError, match=r"jobs\[0\] = 3, must be a Job"):
        Instance(TWO_TYPES, (3,), 3)  # type: ignore[arg-type]
    for limit in (-1, math.nan):
        with pytest.raises(InstanceError, match=r"time_limit = .*, must be >= 0 or None"):
            RollingHorizon(time_limit=limit)
    with pytest.raises(InstanceError, match="seed = -1, must be >= 0"):
        Random(seed=-1)


def test_what_the_tables_cannot_hold_goes_to_the_compact_program() -> None:
    wide = tiny(speed="4e12", slow="1e-12")
    with pytest.raises(LimitError, match=r"units of progress, must be <= .*--method ilp"):
        lagrangian_bound(wide)
    found = solve(wide)
    assert (found.method, found.status) == ("auto", "proved")
    assert found.value == solve_ilp(wide).value
    assert "since a table of 7 rounds" in found.raw_status
    assert found.history[-1][1:] == (found.value, found.bound)
    fast = tiny(speed=2**62, slow=2**61, iterations=2**62)
    with pytest.raises(LimitError, match=r"jobs\[0\] makes .* must be < 2\*\*62"):
        lagrangian_bound(fast)
    assert solve(fast).status == "proved"


def test_what_nothing_can_hold_is_a_limit_not_a_defect() -> None:
    with pytest.raises(LimitError, match=r"jobs\[0\]\.utility is too large"):
        solve(tiny(peak="1e399"))
    with pytest.raises(LimitError, match=r"jobs\[0\]\.utility is too large"):
        lagrangian_bound(tiny(peak="1e399"))
    long = Instance(TWO_TYPES, tiny().jobs, 2**31 - 1)
    for call in (solve, solve_ilp, lagrangian_bound, lambda instance: run_online(instance, Fifo())):
        with pytest.raises(LimitError, match="num_rounds = 2147483647, times 2 accelerators"):
            call(long)
    assert exit_code(LimitError("too large")) == exit_code(MemoryError()) == BAD_INPUT
    assert not is_defect(LimitError("too large"))


def test_an_empty_cluster_has_the_value_0() -> None:
    empty = Instance(Cluster.of({"n": {}}), (), 6)
    assert (solve(empty).value, solve(empty).status) == (0, "proved")
    assert run_online(empty, Fifo()).value == 0
