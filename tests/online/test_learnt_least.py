"""Prices that learn L (theorem T18): the guarantee is that of a rule that was told."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hadaropt
from hadaropt.errors import InstanceError
from hadaropt.online.learnt_least import LearntLeast, play_learnt
from hadaropt.online.mixed_hypotheses import check_learnt
from hadaropt.online.prices.doubling import Doubling
from hadaropt.online.prices.linear import LinearPrice
from hadaropt.online.prices.mixed_threshold import MixedThreshold
from hadaropt.online.prices.rounding import RoundedTables
from hadaropt.policies import PrimalDual
from tests.online.prices.test_random_threshold import one_round
from tests.online.test_mixed_hypotheses import known
from tests.theory.test_whole_bundles import best_whole

few = settings(deadline=None, max_examples=40)


def best(c, offers):
    return best_whole(c, [(w, Fraction(u)) for w, u in offers])


@few
@given(st.integers(1, 8), st.lists(st.tuples(st.integers(1, 8), st.integers(1, 60)), min_size=1))
def test_t18_bounds_the_optimum(c, drawn):
    offers = [(min(w, c), min(w, c) * v) for w, v in drawn[:9]]
    instance = one_round(c, *offers)
    found = hadaropt.run_online(instance, LearntLeast())
    told = hadaropt.run_online(instance, PrimalDual("mixed_threshold"))
    assert found.theorem is not None and found.theorem.id == "T18"
    assert found.theorem.foreknowledge == ("U", "m")
    assert best(c, offers) <= found.theorem.constant * found.value
    # as good a constant as that of the rule that is told L, but for the rounding of prices
    assert found.theorem.constant <= told.theorem.constant * Fraction(1_000_001, 1_000_000)


@pytest.mark.parametrize(("c", "values"), [(2, (1, 3, 9)), (3, (1, 8))])
def test_t18_over_all_short_sequences(c, values):
    kinds = [(w, w * v) for w in range(1, c + 1) for v in values]
    for offers in product(kinds, repeat=3):
        found = hadaropt.run_online(one_round(c, *offers), LearntLeast())
        assert best(c, offers) <= found.theorem.constant * found.value


@few
@given(st.integers(1, 12), st.lists(st.integers(1, 31), min_size=1, max_size=25))
def test_t18_neither_U_nor_L_is_told(c, values):
    offers = [(1, v) for v in values]
    found = hadaropt.run_online(one_round(c, *offers), LearntLeast(Doubling(5)))
    assert found.theorem is not None and found.theorem.foreknowledge == ("m",)
    assert sum(sorted(values)[-c:]) <= found.theorem.constant * found.value


def test_the_tables_fall_as_smaller_values_come():
    instance = one_round(4, (1, 50), (1, 60), (1, 10), (1, 20), (1, 1), (2, 100))
    learnt = play_learnt(instance, LearntLeast())
    assert [least for least, _ in learnt.posted] == [50, 10, 1]
    tables = [next(iter(found.tables.values())) for _, found in learnt.posted]
    for old, new in pairwise(tables):
        assert all(b <= a for a, b in zip(old, new, strict=True)) and new[0] < old[0]


def test_a_price_that_does_not_fall_as_a_declared_L_may_be_refuses_all():
    """Told L = 10 too large a rule takes nothing at all; the one that learns does."""
    instance = one_round(4, *[(1, 3)] * 6, (1, 30))
    wrong = hadaropt.run_online(instance, PrimalDual("mixed_threshold", L=10))
    assert wrong.theorem is None
    found = hadaropt.run_online(instance, LearntLeast())
    assert wrong.value <= 30 < found.value


def test_there_is_no_theorem_on_two_resources_or_where_nodes_matter():
    two = one_round(2, (1, 4), (1, 9), rounds=2)
    assert "T18 needs one resource" in hadaropt.run_online(two, LearntLeast()).theorem_absent
    cluster = hadaropt.Cluster.of({"a": {"A": 2}, "b": {"A": 2}})
    job = hadaropt.Job("j", 0, 2, 2, {"A": 2}, hadaropt.utility.Linear(10, 1))
    nodes = hadaropt.Instance(cluster, [job], 2, 1)
    found = hadaropt.run_online(nodes, LearntLeast())
    assert found.theorem is None


def test_prices_that_rise_are_refused_by_the_check():
    truth = known((1, 2, 4, 4), m=1, U=4, L=1)
    tables = [
        RoundedTables({(0, 0): t}, Fraction(1), 1.0, {}) for t in ((1, 2, 4, 4), (1, 3, 4, 4))
    ]
    assert check_learnt(truth, [(Fraction(2), tables[1]), (Fraction(2), tables[0])]).failure == ""
    rising = check_learnt(truth, [(Fraction(2), tables[0]), (Fraction(2), tables[1])])
    assert "with 1 GPUs sold one rose to 3" in rising.failure


def test_nothing_of_value_is_no_defect():
    found = hadaropt.run_online(one_round(2, (1, 0)), LearntLeast())
    assert found.value == 0 and found.theorem.constant == 1


def test_only_prices_above_the_least_value_learn_it():
    with pytest.raises(InstanceError, match="MixedThreshold or Doubling"):
        LearntLeast(LinearPrice())
    assert LearntLeast(MixedThreshold()).name == "learnt_least:mixed_threshold"
