"""Round schedulers by name."""

from __future__ import annotations

import pytest

from hadaropt.errors import InstanceError
from hadaropt.simulate.registry import BUILT_IN, find_scheduler, make_scheduler, scheduler_names


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_name_makes_a_new_scheduler_of_that_name(name):
    one, other = make_scheduler(name), make_scheduler(name)
    assert one is not other and one.name == other.name == name == find_scheduler(name)
    assert callable(one.plan)


def test_names_are_listed_once():
    assert scheduler_names() == BUILT_IN and len(set(BUILT_IN)) == len(BUILT_IN) > 20


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("hadr", "hadar"),
        ("gavel", "gavel:max_min_fairness"),
        ("Yarn", "yarn"),
        ("tires", "tiresias"),
    ],
)
def test_an_unknown_name_is_told_the_nearest(name, near):
    with pytest.raises(InstanceError, match=f'^scheduler = "{name}".*did you mean "{near}'):
        make_scheduler(name)
    with pytest.raises(InstanceError, match=r"^scheduler = 3, must be one of hadar"):
        make_scheduler(3)
