"""Answers print in ten lines, show in notebooks, and turn into rows and data frames."""

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import hadaropt
from hadaropt.display import per_cent
from hadaropt.errors import InstanceError
from hadaropt.results import Prices, Result
from tests.cli.conftest import make_instance

ANSWERS = {
    "solved": lambda: hadaropt.solve(make_instance()),
    "tree": lambda: hadaropt.solve(make_instance(), "branch_and_price"),
    "lp": lambda: hadaropt.solve(make_instance(), "lp"),
    "online": lambda: hadaropt.run_online(make_instance(), "primal_dual:zero_start"),
    "online without prices": lambda: hadaropt.run_online(make_instance(), "fifo"),
    "rounds": lambda: hadaropt.run_rounds(make_instance(), "yarn"),
    "nothing": lambda: Result(method="ilp", termination="time_limit"),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_an_answer_prints_in_at_most_ten_lines(kind):
    answer = ANSWERS[kind]()
    lines = str(answer).splitlines()
    assert len(lines) <= 10
    labels = [line.split("  ")[0] for line in lines]
    assert {"value", "bound", "gap", "status", "jobs", "seconds"} <= set(labels)
    shown = answer._repr_html_()
    assert (shown.count("<tr>") == len(lines) and "&lt;" in shown) or "<= " not in str(answer)


def test_the_printed_answer_says_what_the_fields_say():
    printed = str(hadaropt.solve(make_instance()))
    assert "status       proved\n" in printed
    assert "value        126.5 (253/2)\n" in printed
    assert "gap          0 %\n" in printed
    assert "jobs         2 of 3 complete\n" in printed
    assert "the bound is the solver's word" in str(
        Result(method="ilp", termination="optimal", status="solver_optimal", bound=1.5)
    )


def test_a_name_in_an_answer_cannot_write_html():
    assert "<b>" not in Result(method="<b>", termination="optimal")._repr_html_()


def test_prices_have_names_and_are_exact():
    run = hadaropt.run_online(make_instance(), "primal_dual:zero_start")
    prices = run.prices
    by_type = prices.pool == "type"
    for row in run.to_rows("prices"):
        place = (row["round"], row["type"])
        place = place if by_type else (place[0], row["node"], place[1])
        assert prices[place] == prices.price(*place) == row["price"]
        assert isinstance(row["price"], Fraction)
    assert any(row["price"] for row in run.to_rows("prices"))


def test_a_wrong_place_of_a_price_is_named():
    prices = hadaropt.solve(make_instance()).prices
    with pytest.raises(KeyError, match=r"did you mean .*V100"):
        prices[0, "V10"]
    with pytest.raises(IndexError, match=r"must be prices\[round, type\]"):
        prices[0]
    with pytest.raises(KeyError, match="these prices know no names"):
        Prices(prices.units, prices.scale)[0, "V100"]


def test_names_of_prices_are_not_compared_and_survive_a_pickle():
    prices = hadaropt.solve(make_instance()).prices
    bare = Prices(prices.units, prices.scale, prices.pool)
    assert prices == bare and hash(prices) == hash(bare)
    assert pickle.loads(pickle.dumps(prices)).types == prices.types == ("V100", "P100")


def test_an_answer_compares_without_its_instance_and_keeps_it_in_a_pickle():
    found = hadaropt.solve(make_instance())
    assert found == replace(found, instance=None)
    assert pickle.loads(pickle.dumps(found)).instance == make_instance()


def test_unknown_rows_name_the_nearest():
    with pytest.raises(ValueError, match=r'what = "job", must be one of .*"jobs"'):
        hadaropt.solve(make_instance()).to_rows("job")


def test_policies_and_schedulers_are_found_by_name_and_an_unknown_one_names_the_nearest():
    instance = make_instance()
    run = hadaropt.run_online(instance, "random[seed=3]")
    assert run.schedule == hadaropt.run_online(instance, hadaropt.policies.Random(3)).schedule
    assert hadaropt.run_online(instance, "greedy-density").policy == "greedy_density"
    with pytest.raises(InstanceError, match="did you mean"):
        hadaropt.run_online(instance, "greedy_densty")
    with pytest.raises(InstanceError, match='did you mean "seed"'):
        hadaropt.run_online(instance, "random[sed=3]")
    with pytest.raises(InstanceError, match="did you mean"):
        hadaropt.run_rounds(instance, "hadra")


def test_the_object_comes_before_the_path_and_another_order_is_refused(tmp_path):
    instance = make_instance()
    found = hadaropt.solve(instance)
    file = tmp_path / "schedule.json"
    hadaropt.write_schedule(found.schedule, file, instance)
    assert hadaropt.read_schedule(file, instance).jobs == found.schedule.jobs
    with pytest.raises(TypeError, match=r"write_schedule\(schedule, path, instance\)"):
        hadaropt.write_schedule(instance, found.schedule, file)
    from hadaropt.certificates import certify, write_certificate

    with pytest.raises(TypeError, match=r"write_certificate\(certificate, path, instance\)"):
        write_certificate(instance, certify(instance, found), file)


def test_a_sigmoid_is_given_by_keywords():
    from hadaropt.utility import Sigmoid

    assert Sigmoid(peak=8, deadline=2, steepness=1).value(2, 1, Fraction(1)) == 4
    with pytest.raises(TypeError, match="Sigmoid"):
        Sigmoid(8, 2, 1)


def test_prices_print_in_a_line():
    prices = Prices(np.array([[0, 6], [3, 0]]), Fraction(4)).named(make_instance().cluster)
    assert str(prices) == "prices by type, 2 x 2: 2 above 0, the largest 1.5 (3/2) (P100, round 0)"
    by_node = Prices(np.array([[[0, 1]], [[2, 0]]]), Fraction(1), "node")
    assert str(by_node).endswith("2 x 1 x 2: 2 above 0, the largest 2 (0, 0, round 1)")
    assert str(Prices(np.array([[0, 0]]), Fraction(1))) == "prices by type, 1 x 2: all 0"
    assert str(hadaropt.solve(make_instance()).prices).startswith("prices by type, 6 x 2: ")


def test_an_instance_prints_in_a_line_and_shows_it_in_notebooks():
    own = make_instance()
    said = "3 jobs, 6 rounds of 360 s, mixed, 2 V100, 2 P100 on 2 nodes"
    assert str(replace(own, name="tiny")) == f"tiny: {said}"
    assert str(replace(own, name="")) == f"instance: {said}"
    assert replace(own, name="<b>")._repr_html_() == f"<p>&lt;b&gt;: {said}</p>"
    empty = hadaropt.Instance(hadaropt.Cluster((), ("n0",), ((),)), (), 1)
    assert str(empty) == "instance: 0 jobs, 1 round of 360 s, mixed, no GPUs on 1 node"


@pytest.mark.parametrize(
    ("gap", "said"),
    [
        (None, "none"),
        (float("inf"), "infinite"),
        (0.0, "0 %"),
        (1 / 7, "14.3 %"),
        (13.75, "1375 %"),
        (9.9999, "1000 %"),
    ],
)
def test_a_gap_is_printed_in_one_way(gap, said):
    assert per_cent(gap) == said
