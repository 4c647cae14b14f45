"""Ejection chains: the best schedule is kept, whatever the search does."""

from __future__ import annotations

from hadaropt.offline.lns.ejection_chains import EjectionSearch
from tests.offline.lns.test_batch_insertion import setting


def test_building_keeps_the_best() -> None:
    _, relaxation, _ = setting("six_class")
    search = EjectionSearch(relaxation.instance, relaxation)
    assert search.export_seconds() == 0 and not search.many
    search.greedy()
    assert search.export_seconds() > 0
    greedy = search.value
    search.build(0.0)  # one insertion of all, in another order
    assert search.value >= greedy
    search.build(1e9)
    assert search.value > greedy
    assert search.state.value == search.value
