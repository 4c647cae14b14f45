"""Clusters, jobs and instances built in Python: exact, validated once, immutable."""

from __future__ import annotations

import dataclasses
import math
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from hadaropt.errors import InstanceError
from hadaropt.instance import PARALLELISM, Cluster, Instance, Job
from hadaropt.io import instance_from_document
from hadaropt.utility import Linear
from tests import oracle
from tests.instances_strategy import tiny_instances
from tests.oracle import Json

CLUSTER = Cluster.of({"n0": {"V100": 2, "K80": 1}, "n1": {"K80": 3}})


def job(name: str = "a", **fields: Any) -> Job:
    """A job of 2 GPUs that runs on both types."""
    plain: dict[str, Any] = {
        "release": 0,
        "gang_size": 2,
        "iterations": 10,
        "throughput": {"V100": 4, "K80": 1},
        "utility": Linear(10, 1),
    }
    return Job(name, **{**plain, **fields})


def test_shapes_and_orders() -> None:
    assert CLUSTER.accelerators == ("V100", "K80")
    assert CLUSTER.nodes == ("n0", "n1")
    assert CLUSTER.capacity == ((2, 1), (0, 3))
    assert CLUSTER.pooled_capacity == (2, 4)
    assert Cluster.of({"n0": {"V100": 2}}, ["K80", "V100"]).capacity == ((0, 2),)


def test_cluster_from_text() -> None:
    parsed = Cluster.parse("v100=2x4, K80=3")
    assert parsed.accelerators == ("v100", "K80")
    assert parsed.capacity == ((4, 0), (4, 0), (0, 3))


@pytest.mark.parametrize(
    "text", ["", "v100", "=2", "v100=", "v100=0x4", "v100=2x", "v100=2x4,v100=1", "v100=-1"]
)
def test_bad_cluster_text(text: str) -> None:
    with pytest.raises(InstanceError, match=r"^cluster\[\d\]"):
        Cluster.parse(text)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((("V100",), (), ()), "nodes = [], must have at least one node"),
        ((("V100", "V100"), ("n",), ((1, 1),)), "is a duplicate of accelerators[0]"),
        ((("V100",), ("n", "n"), ((1,), (1,))), "is a duplicate of nodes[0].name"),
        ((("",), ("n",), ((1,),)), "must be a non-empty string"),
        ((("V100",), ("n",), ()), "capacity = 0, must have 1 rows"),
        ((("V100",), ("n",), ((1, 2),)), "nodes[0].gpus = 2, must have 1 counts"),
        ((("V100",), ("n",), ((-1,),)), "nodes[0].gpus.V100 = -1, must be >= 0"),
        ((("V100",), ("n",), ((0.5,),)), "nodes[0].gpus.V100 = 1/2, must be an integer"),
    ],
)
def test_bad_cluster(arguments: Any, text: str) -> None:
    with pytest.raises(InstanceError) as caught:
        Cluster(*arguments)
    assert text in str(caught.value)


def test_unknown_accelerator_on_a_node() -> None:
    with pytest.raises(InstanceError, match=r"nodes\[0\].gpus.T4, is an unknown accelerator"):
        Cluster.of({"n": {"T4": 1}}, ["V100"])


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"name": ""}, "must be a non-empty string"),
        ({"name": 3}, "must be a non-empty string"),
        ({"name": "\ud800"}, "must not hold half a character"),
        ({"release": -1}, "release = -1, must be >= 0"),
        ({"release": 1.5}, "release = 3/2, must be an integer"),
        ({"gang_size": 0}, "gang_size = 0, must be >= 1"),
        ({"gang_size": 2**31}, "must be <= 2147483647 (overflow)"),
        ({"iterations": 0}, "iterations = 0, must be >= 1"),
        ({"iterations": 2**62 + 1}, "(overflow)"),
        ({"throughput": {"V100": -1}}, "throughput.V100 = -1, must be >= 0"),
        ({"throughput": {"V100": math.nan}}, "throughput.V100 = nan, must be finite"),
        ({"throughput": {"V100": math.inf}}, "throughput.V100 = inf, must be finite"),
        ({"throughput": 3}, "throughput = 3, must map types to numbers"),
        ({"spread_factor": 0}, "spread_factor = 0, must be > 0 and <= 1"),
        ({"spread_factor": "1.01"}, "spread_factor = 101/100, must be > 0 and <= 1"),
        ({"max_copies": 0}, "max_copies = 0, must be >= 1"),
        ({"utility": 3}, "utility = 3, must be a Utility"),
    ],
)
def test_bad_job(fields: Json, text: str) -> None:
    with pytest.raises(InstanceError) as caught:
        job(**fields)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"num_rounds": 0}, "num_rounds = 0, must be >= 1"),
        ({"round_seconds": 0}, "round_seconds = 0, must be > 0"),
        ({"round_seconds": "-1/2"}, "round_seconds = -1/2, must be > 0"),
        ({"consolidation_seconds": -1}, "consolidation_seconds = -1, must be >= 0"),
        ({"parallelism": "both"}, 'parallelism = "both", must be one of single_type, mixed'),
        ({"jobs": (job(), job())}, 'jobs[1].name = "a", is a duplicate of jobs[0].name'),
        (
            {"jobs": (job(throughput={"T4": 1}),)},
            "jobs[0].throughput.T4, is an unknown accelerator (known: K80, V100)",
        ),
        ({"name": 3}, "name = 3, must be a string"),
    ],
)
def test_bad_instance(fields: Json, text: str) -> None:
    with pytest.raises(InstanceError) as caught:
        Instance(**{"cluster": CLUSTER, "jobs": (job(),), "num_rounds": 4, **fields})
    assert text in str(caught.value)


def test_numbers_of_every_kind_are_exact() -> None:
    kinds: list[Any] = [Fraction(1, 10), "1/10", "0.1", "1e-1", 0.1, Decimal("0.1")]
    speeds = {job(throughput={"V100": x}).throughput["V100"] for x in kinds}
    assert speeds == {Fraction(1, 10)}
    assert job(gang_size=np.int64(2)).gang_size == 2
    assert type(job(gang_size=np.int64(2)).gang_size) is int
    assert job(iterations="4.0").iterations == 4


def test_immutable() -> None:
    instance = Instance(CLUSTER, (job(),), 4)
    for thing, name in ((instance, "jobs"), (CLUSTER, "nodes"), (instance.jobs[0], "release")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, name, ())


def test_zero_throughput_is_the_same_as_none() -> None:
    assert job(throughput={"V100": 4, "K80": 0}) == job(throughput={"V100": 4})


def test_progress_by_hand() -> None:
    jobs = (job(throughput={"V100": "0.29"}, spread_factor="1/2"),)
    instance = Instance(CLUSTER, jobs, 4, Fraction(100), "forked", Fraction(30))
    assert instance.progress(0) == (29, 0)
    assert instance.progress(0, spread=True) == (14, 0)
    assert instance.progress(0, copies=True) == (20, 0)  # floor(0.29 * 70)
    longer = dataclasses.replace(instance, consolidation_seconds=Fraction(101))
    assert longer.progress(0, copies=True) == (0, 0)


def test_admitted_types() -> None:
    speeds = {"A": 2, "B": 0, "C": 2, "D": 1}
    cluster = Cluster.of({"n": dict.fromkeys("ABCD", 1)})
    instance = Instance(cluster, (job(throughput=speeds),), 1)
    assert [instance.admitted(0, r) for r in range(4)] == [(0, 2), (), (0, 2), (0, 2, 3)]


def test_max_copies() -> None:
    jobs = (job("a"), job("b", max_copies=1), job("c", max_copies=9))
    instance = Instance(CLUSTER, jobs, 1)
    assert [instance.max_copies(j) for j in range(3)] == [1, 1, 1]
    forked = instance.with_parallelism("forked")
    assert [forked.max_copies(j) for j in range(3)] == [2, 1, 2]


@pytest.mark.parametrize(
    ("fields", "parallelism", "reason"),
    [
        ({"release": 4}, "mixed", "release 4 is not before the horizon of 4 rounds"),
        ({"throughput": {}}, "mixed", "its throughput is zero on every type"),
        ({"gang_size": 7}, "mixed", "its gang of 7 exceeds the 6 GPUs"),
        ({"gang_size": 7}, "forked", "its gang of 7 exceeds the 6 GPUs"),
        ({"gang_size": 5}, "single_type", "its gang of 5 exceeds the 4 GPUs"),
        ({"gang_size": 3, "throughput": {"V100": 1}}, "mixed", "its gang of 3 exceeds the 2 GPUs"),
    ],
)
def test_unschedulable_has_its_reason(fields: Json, parallelism: Any, reason: str) -> None:
    instance = Instance(CLUSTER, (job(**fields), job("b")), 4, parallelism=parallelism)
    assert reason in str(instance.unschedulable(0))
    assert instance.unschedulable(1) is None


@settings(deadline=None, max_examples=200)
@given(tiny_instances())
def test_agrees_with_the_oracle(document: Json) -> None:
    instance = instance_from_document(document)
    rounds = oracle.num_rounds(document)
    for j, entry in enumerate(document["jobs"]):
        release = oracle.release(entry)
        values = [oracle.utility(document, entry, t - release + 1) for t in range(release, rounds)]
        assert list(instance.utility_values(j)) == values
        options = oracle.round_options(document, entry)
        if instance.unschedulable(j):
            assert release >= rounds or not options
        elif not options:  # only a gang too large for the GPUs that it can use has no option
            pytest.fail("no option, yet no reason is given")
        for option in options:
            used = {r for (_, r), _ in option.use}
            nodes = {h for (h, _), _ in option.use}
            if not option.copies:
                speeds = instance.progress(j, spread=len(nodes) > 1)
                slowest = min(speeds[instance.cluster.accelerators.index(r)] for r in used)
                assert slowest == option.progress


@settings(deadline=None, max_examples=50)
@given(tiny_instances())
def test_pickles(document: Json) -> None:
    instance = instance_from_document(document)
    assert pickle.loads(pickle.dumps(instance)) == instance


def test_parallelism_names() -> None:
    assert PARALLELISM == ("single_type", "mixed", "forked")
