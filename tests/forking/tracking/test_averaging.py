from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from hadaropt.errors import TrackerError
from hadaropt.forking import consolidate, step_average

floats = st.floats(allow_nan=False, allow_infinity=False)
narrow = st.floats(width=32, allow_nan=False, allow_infinity=False)
vectors = st.lists(st_numpy.arrays(np.float64, 3, elements=floats), min_size=1, max_size=4)


def average(arrays, steps):
    copies = {f"n{i}": {"w": array} for i, array in enumerate(arrays)}
    return step_average(copies, {f"n{i}": n for i, n in enumerate(steps)})["w"]


@settings(max_examples=60, deadline=None)
@given(vectors, st.data())
def test_the_average_is_the_exact_one_but_for_rounding(arrays, data):
    steps = [data.draw(st.integers(1, 10**6)) for _ in arrays]
    found = average(arrays, steps)
    for i, x in enumerate(found):
        values = [Fraction(a[i]) for a in arrays]
        exact = sum(v * n for v, n in zip(values, steps, strict=True)) / sum(steps)
        size = max(abs(v) for v in values)
        assert min(values) <= Fraction(x) <= max(values)
        assert abs(Fraction(x) - exact) <= size * Fraction(1, 2**48) + Fraction(1, 2**1070)


@settings(max_examples=30, deadline=None)
@given(
    st_numpy.arrays(
        np.float32, 4, elements=st.floats(width=32, allow_nan=False, allow_infinity=False)
    )
)
def test_equal_copies_are_returned_bit_for_bit(array):
    found = average([array, array.copy(), array.copy()], [3, 1, 7])
    assert found.dtype == np.float32
    assert np.array_equal(found, array)
    assert not np.shares_memory(found, array)


def test_steps_are_the_weights():
    assert average([np.zeros(1), np.ones(1)], [3, 1])[0] == 0.25
    assert average([np.zeros(1), np.ones(1)], [1, 3])[0] == 0.75


def test_nested_trees_numbers_and_texts():
    copies = {
        "a": {"layers": [np.array([1.0]), (2.0, 4)], "kind": "adam", "none": None},
        "b": {"layers": [np.array([3.0]), (4.0, 9)], "kind": "adam", "none": None},
    }
    found = step_average(copies, {"a": 1, "b": 1})
    assert found == {"layers": [np.array([2.0]), [3.0, 9]], "kind": "adam", "none": None}


def test_counters_keep_the_largest_and_truth_values_stay():
    copies = {
        "a": {"count": np.array([5, 9]), "flag": np.array([True])},
        "b": {"count": np.array([7, 8]), "flag": np.array([True])},
    }
    found = step_average(copies, {"a": 9, "b": 1})
    assert found["count"].tolist() == [7, 9]
    assert found["count"].dtype.kind == "i"
    assert found["flag"].tolist() == [True]


def test_batch_norm_statistics_are_those_of_the_mixture():
    rng = np.random.default_rng(3)
    seen = {"a": rng.normal(0, 1, (300, 2)), "b": rng.normal([5, -1], 2, (100, 2))}
    copies = {
        node: {"bn.running_mean": x.mean(axis=0), "bn.running_var": x.var(axis=0)}
        for node, x in seen.items()
    }
    found = step_average(copies, {"a": 300, "b": 100})
    together = np.concatenate(list(seen.values()))
    assert np.allclose(found["bn.running_mean"], together.mean(axis=0), rtol=1e-12)
    assert np.allclose(found["bn.running_var"], together.var(axis=0), rtol=1e-12)


def test_a_lone_running_variance_is_averaged_like_any_other():
    found = step_average({"a": {"running_var": 1.0}, "b": {"running_var": 3.0}}, {"a": 1, "b": 1})
    assert found == {"running_var": 2.0}


def state(value: float, counter: int):
    moments = {"m": [np.array([value])], "t": counter, "kind": "adam"}
    return {"parameters": {"w": np.array([value])}, "optimiser": moments}


@pytest.mark.parametrize(("policy", "moment", "counter"), [("average", 2.5, 8), ("reset", 0.0, 0)])
def test_optimiser_policies(policy, moment, counter):
    copies = {"a": state(1.0, 4), "b": state(3.0, 8)}
    found = consolidate(copies, {"a": 1, "b": 3}, optimiser=policy)
    assert found["parameters"]["w"].tolist() == [2.5]
    assert found["optimiser"] == {"m": [np.array([moment])], "t": counter, "kind": "adam"}
    assert type(found["optimiser"]["t"]) is int


ONE = {"w": np.array([1.0, 2.0])}


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"w": np.array([1.0, np.nan])}, r'copies\["b"\].w\[1\] = nan, must be finite'),
        ({"w": np.array([-np.inf, 0])}, r'copies\["b"\].w\[0\] = -inf, must be finite'),
        ({"w": np.ones(3)}, r'copies\["b"\].w = \(3,\), must have shape \(2,\) as copies\["a"\].w'),
        ({"w": np.ones(2, np.float32)}, r'copies\["b"\].w = float32, must be float64'),
        ({"v": np.ones(2)}, r'copies\["b"\].w, is missing, copies\["a"\] holds it'),
        ({"w": np.ones(2), "v": 1}, r'copies\["b"\].v, is unknown to copies\["a"\]'),
        ({"w": {"x": 1}}, r"must hold numbers"),
        ({"w": np.array(["a", "b"])}, r"must hold numbers"),
        (3, r'copies\["b"\] = int, must be a mapping'),
    ],
)
def test_copies_that_cannot_be_averaged(other, message):
    with pytest.raises(TrackerError, match=message):
        step_average({"a": ONE, "b": other}, {"a": 1, "b": 1})


def test_lists_texts_and_truth_values_that_differ():
    for a, b, rule in [
        ([1.0], [1.0, 2.0], "must hold 1 items"),
        ("adam", "sgd", 'must equal "adam"'),
        (None, 1.0, "must equal None"),
        (np.array([True]), np.array([False]), "truth values have no average"),
    ]:
        with pytest.raises(TrackerError, match=rule):
            step_average({"a": {"x": a}, "b": {"x": b}}, {"a": 1, "b": 1})


@pytest.mark.parametrize("count", [0, -2])
def test_steps_below_one(count):
    with pytest.raises(TrackerError, match=rf'steps\["b"\] = {count}, must be >= 1'):
        step_average({"a": ONE, "b": ONE}, {"a": 1, "b": count})


def test_copies_and_steps_must_name_the_same_nodes():
    with pytest.raises(TrackerError, match="must name the nodes"):
        step_average({"a": ONE}, {"b": 1})
    with pytest.raises(TrackerError, match="must hold a copy"):
        step_average({}, {})
    with pytest.raises(TrackerError, match=r'optimiser = "sum", must be one of average, reset'):
        consolidate({"a": state(1.0, 1)}, {"a": 1}, optimiser="sum")  # type: ignore[arg-type]


def test_torch_state_dicts():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    torch.manual_seed(0)
    nets = [torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)) for _ in range(2)]
    for net, rows in zip(nets, (8, 16), strict=True):
        net(torch.randn(rows, 3))
    nets[1](torch.randn(4, 3))
    copies = {name: net.state_dict() for name, net in zip("ab", nets, strict=True)}
    found = step_average(copies, {"a": 1, "b": 3})
    weight = copies["a"]["0.weight"] / 4 + 3 * copies["b"]["0.weight"] / 4
    assert torch.allclose(found["0.weight"], weight)
    assert found["1.num_batches_tracked"].item() == 2
    assert {n: t.dtype for n, t in found.items()} == {n: t.dtype for n, t in copies["a"].items()}
    nets[0].load_state_dict(found)
    half = {n: {"w": torch.ones(2, dtype=torch.bfloat16) * k} for n, k in (("a", 1), ("b", 3))}
    assert step_average(half, {"a": 1, "b": 1})["w"].equal(torch.full((2,), 2.0).bfloat16())
