from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.instance import Cluster, Instance, Job
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.schedulers.discounted import POWER_BITS, Discount, score, scores
from hadaropt.simulate.view import QueuedJob, RoundView
from hadaropt.utility import Table

HALF = Fraction(1, 2)


def view_of(*values):
    jobs = tuple(Job(f"j{i}", 0, 1, 1, {"A": 1}, Table(v)) for i, v in enumerate(values))
    problem = RoundProblem.of_instance(Instance(Cluster.of({"n": {"A": 1}}), jobs, 50, 1))
    queue = tuple(QueuedJob(j, job, 1, Fraction(0)) for j, job in enumerate(problem.jobs))
    return RoundView(0, problem, queue)


@pytest.mark.parametrize("k", [1, 2, 3, 40])
def test_powers_lie_between_their_bounds(k):
    discount = Discount(k)
    for q in range(1, k + 1):
        low, high = discount.enclosed(q)
        assert low <= discount.exact(q) * 2**POWER_BITS <= high
        assert high - low <= q
        assert discount.floats()[q] == pytest.approx(float(discount.exact(q)))


def test_one_round_is_not_discounted():
    assert Discount(1).exact(1) == Discount(9).exact(1) == 1
    assert Discount(2).exact(2) == HALF


def test_scores_of_few_rounds_are_exact():
    view = view_of((8, 6, 4), (3, 3, 3))
    found = scores(view, [[1, 3, 0], [2, 2, 4]], Discount(3))
    exact = found.worth * found.unit
    assert exact.tolist() == [[8, Fraction(16, 9), 0], [2, 2, 0]]
    assert found.over == 0


values = st.lists(
    st.fractions(min_value=0, max_value=1000, max_denominator=10**7), min_size=30, max_size=30
)


@given(st.lists(values, min_size=1, max_size=3), st.integers(1, 30), st.data())
@settings(deadline=None, max_examples=25)
def test_no_set_differs_from_its_worth_by_more_than_is_said(drawn, k, data):
    view = view_of(*(tuple(sorted(v, reverse=True)) for v in drawn))
    count = st.integers(0, 31)
    needed = [[data.draw(count), data.draw(count)] for _ in drawn]
    discount = Discount(k)
    found = scores(view, needed, discount)
    exact = [[score(q, 0, n, discount) if n else Fraction(0) for n in row]
             for q, row in zip(view.queue, needed, strict=True)]  # fmt: skip
    off = [
        max(abs(s - int(w) * found.unit) for s, w in zip(row, worth, strict=True))
        for row, worth in zip(exact, found.worth, strict=True)
    ]
    assert sum(off) <= found.over
    assert ((found.worth > 0) == [[s > 0 for s in row] for row in exact]).all()
