"""The arrays of all jobs: progress, worths and options as they are in the instance."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import Cluster, Instance, Job
from hadaropt.errors import LimitError
from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM
from hadaropt.modes import gang_modes
from hadaropt.offline.infeasibility import why_unschedulable
from hadaropt.offline.lagrangian.job_table import JobTable, finer_table, job_table
from hadaropt.utility import EffectiveThroughput, Linear, Sigmoid, Step
from tests.instances_strategy import tiny_instances
from tests.offline.support import instance_of
from tests.oracle import Json


@pytest.mark.parametrize(
    "utility",
    [
        Linear("7.3", "0.31"),
        Linear(5, 0),
        Step("4/3", "3.5"),
        Sigmoid(peak="12.7", steepness="0.7", deadline=4),
        Sigmoid(peak="0.3", steepness="0.7", deadline=4),
        EffectiveThroughput("1/7"),
    ],
)
def test_worths_are_rounded_up_by_very_little(utility) -> None:
    from hadaropt.kernels.pricing.lagrangian import worth

    job = Job("a", 2, 1, 1, {"V100": 1}, utility)
    instance = Instance(Cluster.of({"n": {"V100": 1}}), (job,), 14, 1)
    table = job_table(instance)
    kind, a, b, last = (int(x[0]) for x in (table.kind, table.a, table.b, table.last))
    for d in range(1, 13):
        exact = instance.value(0, d + 1) * table.scale
        if d > last:
            assert exact == 0
            continue
        rounded = worth(kind, a, b, d, table.values)
        assert exact <= rounded <= exact + table.scale * Fraction(1, 10**7)


@pytest.mark.parametrize("parallelism", PARALLELISM)
@settings(max_examples=40, deadline=None)
@given(document=tiny_instances())
def test_it_holds_the_jobs_that_could_pay_and_what_they_can_do(
    parallelism: str, document: Json
) -> None:
    instance = instance_of(document).with_parallelism(parallelism)
    table = job_table(instance)
    rows = table.index.tolist()
    assert len(set(rows)) == len(rows) == len(table)
    for j in range(len(instance.jobs)):
        if why_unschedulable(instance, j) is None:
            assert j in rows
    for group, (first, end) in enumerate(itertools.pairwise(table.group_start.tolist())):
        own = slice(*table.option_start[group])
        for row in range(first, end):
            job, j = instance.jobs[rows[row]], rows[row]
            assert table.group_release[group] == job.release and table.gang[row] == job.gang_size
            assert table.exact[row]  # tiny progress is counted without rounding
            alone = {mode.iterations for mode in gang_modes(instance, j)}
            picks = table.picks[own].tolist()
            least = -(-job.iterations // max(mode.iterations for mode in gang_modes(instance, j)))
            single = [g for g, n in zip(table.gain[own].tolist(), picks, strict=True) if n == 1]
            assert len(set(single)) <= len(alone)
            if single:
                assert -(-int(table.need[row]) // max(single)) >= least
            assert max(picks) <= max(1, instance.max_copies(j))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 40),
    st.lists(st.integers(1, 12), min_size=1, max_size=3),
    st.integers(1, 6),
    st.data(),
)
def test_exact_units_are_enough_iff_the_iterations_are(iterations, speeds, rounds, data) -> None:
    types = [f"t{r}" for r in range(len(speeds))]
    cluster = Cluster.of({"n0": dict.fromkeys(types, 1)})
    job = Job("a", 0, 1, iterations, dict(zip(types, speeds, strict=True)), Linear(9, 1))
    table = job_table(Instance(cluster, (job,), rounds, 1))
    if -(-iterations // max(speeds)) > rounds:
        assert len(table) == 0
        return
    (need,) = table.need.tolist()
    assert table.exact.all() and len(table.gain) == len(speeds)
    units = dict(zip(sorted(speeds), sorted(table.gain.tolist()), strict=True))
    for _ in range(10):
        held = data.draw(st.lists(st.sampled_from(speeds), max_size=rounds))
        assert (sum(units[speed] for speed in held) >= need) == (sum(held) >= iterations)


def crowd() -> JobTable:
    return job_table(generate("six_class", seed=1, num_jobs=40, num_rounds=20))


def test_a_part_of_the_jobs_is_a_table_of_its_own() -> None:
    table = crowd()
    rows = np.arange(1, len(table), 3)
    part = table.subset(rows)
    assert len(part) == len(rows) and part.scale == table.scale
    for name in ("index", "weight", "need", "kind", "a", "b", "last", "exact", "gang"):
        assert np.array_equal(getattr(part, name), getattr(table, name)[rows])

    def release(of: JobTable) -> np.ndarray:
        return np.repeat(of.group_release, np.diff(of.group_start))

    def options(of: JobTable) -> np.ndarray:
        return np.repeat(of.option_start, np.diff(of.group_start), axis=0)

    assert np.array_equal(release(part), release(table)[rows])
    assert np.array_equal(options(part), options(table)[rows])
    every = table.sample(4)
    assert every.index.tolist() == table.index[2::4].tolist()
    assert len(table.subset(np.zeros(0, np.int64))) == 0


def test_finer_tables_are_made_as_long_as_they_are_small() -> None:
    instance = generate("measured_rates", seed=1, num_jobs=20, num_rounds=20)
    plain = job_table(instance, rounding="down")
    entries = plain.width * (instance.num_rounds + 1)
    assert finer_table(instance, "down", 1, entries) is not None
    assert finer_table(instance, "down", 1, entries - 1) is None
    finer = finer_table(instance, "down", 4, 10**9)
    assert finer is not None and finer.width > plain.width


@pytest.mark.parametrize("rounding", ["up", "down", "nearest"])
def test_rounded_progress_errs_to_its_side(rounding: str) -> None:
    instance = generate("measured_rates", seed=2, num_jobs=20, num_rounds=20)
    table = job_table(instance, rounding=rounding)  # type: ignore[arg-type]
    assert not table.exact.all()
    starts = np.repeat(np.arange(len(table.group_release)), np.diff(table.group_start))
    for row in np.flatnonzero(~table.exact.astype(bool)).tolist():
        j, group = int(table.index[row]), starts[row]
        first, end = table.option_start[group]
        fastest = max(mode.iterations for mode in gang_modes(instance, j))
        rounds = Fraction(int(table.need[row]), int(table.gain[first:end].max()))
        true = Fraction(instance.jobs[j].iterations, fastest)
        if rounding == "up":
            assert rounds <= true + Fraction(1, int(table.gain[first:end].max()))
        if rounding == "down":
            assert rounds >= true


def test_what_is_too_large_is_named() -> None:
    cluster = Cluster.of({"n0": {"V100": 1}})
    huge = Job("a", 0, 1, 2**62, {"V100": 2**62}, Linear(3, 1))
    with pytest.raises(LimitError, match=r"jobs\[0\] makes \d+ iterations .* must be < 2\*\*62"):
        job_table(Instance(cluster, (huge,), 4, 1))
    dear = Job("a", 0, 1, 1, {"V100": 1}, Linear(10**30, 1))
    cheap = Job("b", 0, 1, 1, {"V100": 1}, Linear(1, 1))
    with pytest.raises(LimitError, match=r"jobs\[1\]\.utility is up to 1e\+30 .*sums in 64 bits"):
        job_table(Instance(cluster, (cheap, dear), 4, 1))


def test_without_jobs_the_table_is_empty() -> None:
    table = job_table(Instance(Cluster.of({"n0": {"V100": 1}}), (), 4, 1))
    assert len(table) == 0 and table.width == 1 and table.ways == ()
