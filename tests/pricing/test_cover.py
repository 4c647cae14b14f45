"""Least costs of every completion round, beyond the table too."""

import numpy as np
import pytest
from hypothesis import given, settings

from hadaropt.instance import Job
from hadaropt.pricing import least_costs, price_job
from hadaropt.utility import Step
from tests import oracle
from tests.pricing.cases import (
    SCALE,
    SETTINGS,
    instance_of,
    limit,
    load,
    price_array,
    priced,
    verify,
)


@given(priced())
@SETTINGS
def test_least_costs_of_every_completion_round(case):
    document, drawn, per_node = case
    instance, prices = load(document), price_array(document, drawn, per_node)
    found = least_costs(instance, 0, prices, scale=SCALE)
    values = instance.utility_values(0)
    worthy = sum(u > 0 for u in values)
    release = instance.jobs[0].release
    expected = oracle.least_costs(document, 0, drawn)
    for t in range(instance.num_rounds):
        inside = release <= t < release + worthy
        assert found[t] == (expected[t] if inside else None)


ROUNDED = {
    "DENSE_UNITS": 3,
    "LABEL_BUDGET": 0,
    "ROUNDED_UNITS": 3,
    "FORKED_LABELS": 3,
}


@pytest.mark.parametrize("limits", [{"DENSE_UNITS": 0}, ROUNDED], ids=["labels", "rounded"])
def test_beyond_the_table(limits, monkeypatch):
    limit(monkeypatch, limits)

    @given(priced(max_scale=1000))
    @settings(deadline=None, max_examples=150, database=None)
    def check(case):
        document, drawn, per_node = case
        instance, prices = load(document), price_array(document, drawn, per_node)
        found = price_job(instance, 0, prices, scale=SCALE)
        truth = oracle.max_payoff(document, 0, drawn)
        assert found.payoff <= truth <= found.payoff + found.slack
        assert found.exact == (found.slack == 0)
        assert found.exact or limits is ROUNDED
        verify(instance, prices, found)

    check()


def test_rounded_progress_reports_what_it_may_have_missed(monkeypatch):
    # 10 = 4 + 6, but in units of 4 rounded down that is 1 + 1 < 3.
    job = Job("a", 0, 1, 10, {"A": 4, "B": 6}, Step(9, 2))
    prices = np.ones((4, 2), np.int64)
    assert price_job(instance_of(job), 0, prices, scale=1).payoff == 7
    limit(monkeypatch, ROUNDED)
    found = price_job(instance_of(job), 0, prices, scale=1)
    assert (found.completion, found.payoff, found.slack, found.exact) == (None, 0, 7, False)
    # Rounded down it may still be right: 8 + 2 rounds of slack.
    easy = Job("a", 0, 1, 10, {"A": 4, "B": 8}, Step(9, 4))
    found = price_job(instance_of(easy), 0, prices, scale=1)
    assert (found.completion, found.payoff, found.exact) == (1, 7, True)
