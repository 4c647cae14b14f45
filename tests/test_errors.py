"""Arguments that are easily mistaken for others are told apart."""

import pytest

import hadaropt
from hadaropt.errors import PlacedError, nearest, refuse_class
from hadaropt.simulate.bounds import workload_bounds
from tests.cli.conftest import make_instance


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda own: hadaropt.run_rounds(own, "yarn"), "of type Instance: Workload.to_instance"),
        (workload_bounds, "of type RoundProblem: RoundProblem.of_workload makes one"),
        (lambda _: hadaropt.solve("own.json"), "of type Instance: read one with"),
        (hadaropt.solve, "of type Instance: .*Workload.to_instance makes one"),
        (
            lambda own: hadaropt.run_online(own, hadaropt.policies.Fifo()),
            "of type Instance: read one with",
        ),
    ],
)
def test_arguments_of_the_wrong_kind_are_named(call, message):
    job = hadaropt.WorkloadJob("a", 0, 1, 1, {"V100": 1})
    workload = hadaropt.Workload(hadaropt.Cluster.of({"n0": {"V100": 1}}), (job,))
    with pytest.raises(TypeError, match=message):
        call(workload)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda own: hadaropt.solve(own, time_limit="3"), 'time_limit = "3", must be a number'),
        (lambda own: hadaropt.solve(own, target_gap="1 %"), 'target_gap = "1 %", must be a number'),
        (lambda own: hadaropt.solve(own, seed=1.5), "seed = 1.5, must be an integer"),
        (lambda own: hadaropt.solve(own, callback=3), "callback = 3, must be callable"),
        (lambda own: hadaropt.write_instance("a.json", own), r"write_instance\(instance, path\)"),
        (lambda own: hadaropt.write_workload("a.json", own), r"write_workload\(workload, path\)"),
        (lambda own: hadaropt.certify(hadaropt.solve(own), own), r"certify\(instance, run\)"),
        (
            lambda own: hadaropt.verify(own, hadaropt.solve(own)),
            r"certify\(instance, run\) makes one",
        ),
        (lambda own: hadaropt.sensitivity(own, "x"), r"solve\(instance\) returns one"),
    ],
)
def test_arguments_in_another_order_are_told(call, message):
    with pytest.raises(TypeError, match=message):
        call(make_instance())


@pytest.mark.parametrize(
    ("call", "near"),
    [
        (lambda own: hadaropt.solve(own, "AUTO"), "auto"),
        (lambda own: hadaropt.solve_ilp(own, form="noed"), "node"),
        (lambda own: own.with_parallelism("fork"), "forked"),
        (lambda own: hadaropt.utility.make_utility("lineer", {}), "linear"),
        (lambda own: hadaropt.run_online(own, "primal_dual:zero"), "primal_dual:zero_start"),
        (lambda own: hadaropt.solv, "solve"),
        (lambda own: hadaropt.solve(own).valeu, "value"),
        (lambda own: hadaropt.Cluster.of({"n0": {"V100": 1}}, ("V10",)), "V10"),
    ],
)
def test_unknown_names_come_with_the_nearest(call, near):
    with pytest.raises((ValueError, AttributeError, hadaropt.InstanceError), match=near) as caught:
        call(make_instance())
    assert f'did you mean "{near}"?' in str(caught.value)


def test_capitals_make_no_difference_and_what_is_far_is_not_named():
    assert nearest("t7", ["T6", "T7"]) == "T7"
    assert nearest("hadar", ["hadare", "hadar:exact"], by_family=True) == "hadar:exact"
    assert nearest("zzz", ["fifo"]) is None


def test_a_family_alone_is_no_likeness():
    known = ["fifo", "primal_dual:last_unit", "primal_dual:step"]
    assert nearest("primal_dual:quadratic", known) is None
    assert nearest("primal_dual:stepp", known) == "primal_dual:step"
    assert nearest("primaldual:step", known) == "primal_dual:step"
    assert nearest("vale", ["value"], cutoff=0.95) is None


@pytest.mark.parametrize(("value", "text"), [("", 'x = "", must'), (" ", 'x = " ", must')])
def test_a_value_of_which_nothing_can_be_seen_is_quoted(value, text):
    error = PlacedError("x", "must be so", value)
    assert str(error).startswith(text)
    assert error.value == value


def test_a_class_is_no_object():
    refuse_class(3)
    with pytest.raises(TypeError, match=r"^Job is a class: give Job\(\)$"):
        refuse_class(hadaropt.Job)
