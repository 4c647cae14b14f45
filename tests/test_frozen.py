"""Values are immutable to the bottom, and equal, hashed and pickled by what they hold."""

import copy
import json
import math
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import hadaropt
from hadaropt.errors import InstanceError
from hadaropt.exact import to_fraction
from hadaropt.frozen import FrozenDict, OnDemand, freeze, thaw
from hadaropt.offline.lagrangian.bound import lagrangian_bound
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.online.quotation import quote, record_arrivals
from hadaropt.policies import Fifo, PrimalDual
from hadaropt.results import Prices, Result, SolverFacts
from hadaropt.schedule import Allocation, Schedule
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.metrics import metrics
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import make_scheduler
from hadaropt.utility import Linear, Table


def small():
    cluster = hadaropt.Cluster.of({"n0": {"V100": 2}, "n1": {"K80": 1}})
    jobs = [hadaropt.Job(f"j{j}", j, 1, 3, {"V100": 2, "K80": 1}, Linear(9, 1)) for j in range(2)]
    return hadaropt.Instance(cluster, jobs, 4, 1)


def workload():
    cluster = hadaropt.Cluster.of({"n0": {"V100": 2}})
    return hadaropt.Workload(cluster, [hadaropt.WorkloadJob("a", 0, 1, 9, {"V100": 2})])


def values():
    instance = small()
    run = hadaropt.run_online(instance, PrimalDual())
    bound = lagrangian_bound(instance)
    bound = replace(bound, relaxation_value=math.nan)  # a nan is among the values
    certificate = hadaropt.certify(instance, run)
    problem = RoundProblem.of_instance(instance)
    simulated = simulate_rounds(problem, make_scheduler("hadar"))
    _, arrivals = record_arrivals(instance, PrimalDual())
    quoted = quote(instance, PrimalDual())
    return {
        "cluster": instance.cluster,
        "job": instance.jobs[0],
        "instance": instance,
        "workload": workload(),
        "table": Table((3, 2)),
        "schedule": run.schedule,
        "prices": run.prices,
        "online run": run,
        "run without prices": hadaropt.run_online(instance, Fifo()),
        "theorem": run.theorem,
        "bound without schedule": bound,
        "solved": hadaropt.solve_ilp(instance),
        "tree": branch_and_price(instance),
        "certificate": certificate,
        "verification": hadaropt.verify(instance, certificate),
        "checked": hadaropt.check_schedule(instance, run.schedule),
        "policy": PrimalDual(foreknowledge=quoted.told),
        "quotation": quoted,
        "arrival": arrivals[0],
        "problem": problem,
        "simulated": simulated,
        "metrics": metrics(simulated),
        "of a workload": simulate_rounds(
            RoundProblem.of_workload(workload()), make_scheduler("yarn")
        ),
    }


VALUES = values()


@pytest.mark.parametrize("name", VALUES)
def test_a_value_equals_what_comes_back_from_its_pickle(name):
    value = VALUES[name]
    again = pickle.loads(pickle.dumps(value))
    assert again == value and value == again
    assert hash(again) == hash(value)
    assert copy.deepcopy(value) == value
    assert len({value, again}) == 1


def test_values_that_differ_are_unequal():
    one = Prices(np.array([[1, 2]]), Fraction(1))
    assert one == Prices(np.array([[1, 2]]), Fraction(1))
    others = [
        Prices(np.array([[1, 3]]), Fraction(1)),
        Prices(np.array([[1], [2]]), Fraction(1)),
        Prices(np.array([[1, 2]]), Fraction(2)),
        Prices(np.array([[1, 2]]), Fraction(1), "node"),
        "prices",
    ]
    assert all(one != other for other in others)
    run = VALUES["online run"]
    assert run != replace(run, value=run.value + 1)
    assert run != replace(run, foreknowledge={})


def test_no_mapping_of_a_value_can_be_changed():
    instance, run = small(), VALUES["online run"]
    with pytest.raises(TypeError, match="cannot be changed"):
        instance.jobs[0].throughput["V100"] = 1000
    with pytest.raises(TypeError, match="cannot be changed"):
        workload().jobs[0].throughput.clear()
    with pytest.raises(TypeError, match="cannot be changed"):
        run.foreknowledge["U, L, m"] = "none"
    with pytest.raises(TypeError, match="cannot be changed"):
        VALUES["simulated"].finish[0] = Fraction(0)
    with pytest.raises(TypeError, match="cannot be changed"):
        VALUES["policy"].foreknowledge.capacity |= {}


def test_no_array_of_a_value_can_be_changed():
    given = np.array([[1, 2]])
    prices = Prices(given, Fraction(1))
    given[0, 0] = 7
    assert prices.units[0, 0] == 1
    for own in (prices, pickle.loads(pickle.dumps(prices)), copy.deepcopy(prices)):
        with pytest.raises(ValueError, match="read-only"):
            own.units[0, 0] = 7
    with pytest.raises(ValueError, match="read-only"):
        VALUES["arrival"].free[0] = 0


def test_lists_that_are_given_become_tuples():
    schedule = Schedule([[Allocation(0, [[0, 0, 1]])]], completion=[1])
    assert schedule == Schedule(((Allocation(0, ((0, 0, 1),)),),), completion=(1,))
    hash(schedule)
    tree = {"nodes": [{"leaf": [1, 2]}]}
    result = Result(method="ilp", termination="optimal", branching_tree=tree)
    hash(result)
    tree["nodes"].append(1)
    assert thaw(result.branching_tree) == {"nodes": [{"leaf": [1, 2]}]}


def test_a_frozen_mapping_is_a_dict_in_all_else():
    frozen = FrozenDict({"a": 1, "b": 2})
    assert frozen == {"b": 2, "a": 1} and hash(frozen) == hash(FrozenDict({"b": 2, "a": 1}))
    assert json.dumps(frozen) == '{"a": 1, "b": 2}'
    assert {**frozen, "c": 3} == frozen | {"c": 3} == {"a": 1, "b": 2, "c": 3}
    assert freeze(frozen) is frozen
    facts = SolverFacts("s", "1", {"threads": 1})
    assert facts == pickle.loads(pickle.dumps(facts))


def test_numbers_of_numpy_are_exact_or_refused():
    assert to_fraction(np.int64(3), "x") == 3
    assert to_fraction(np.uint8(3), "x") == 3
    assert to_fraction(np.float64(0.1), "x") == Fraction(1, 10)
    for number in (np.float32(0.1), np.float16(0.1), np.longdouble(0.1)):
        with pytest.raises(InstanceError, match=r"x = .*, must be a number that says its decimal"):
            to_fraction(number, "x")
    for value in (np.bool_(True), np.array(3), complex(1)):
        with pytest.raises(InstanceError, match="must be a number"):
            to_fraction(value, "x")


def test_what_is_made_on_demand_is_a_sequence_of_equal_entries():
    made = OnDemand(3, lambda i: {"i": [i]})
    plain = [{"i": [i]} for i in range(3)]
    assert made == plain and plain == made and made == OnDemand(3, plain.__getitem__)
    assert made != plain[:2] and made != OnDemand(3, lambda i: {}) and made != 3
    assert made[1] == plain[1] == made[-2] and made[1:] == plain[1:] and made[0] is not made[0]
    assert list(made) == plain and list(reversed(made)) == plain[::-1] and repr(made) == repr(plain)
    assert thaw(made) == plain and freeze(made) == freeze(plain)
    for copied in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert type(copied) is list and copied == plain
    with pytest.raises(IndexError):
        made[3]
    with pytest.raises(TypeError):
        hash(made)
