"""Why jobs can never earn anything."""

from __future__ import annotations

from hypothesis import given, settings

from hadaropt.offline.infeasibility import why_unschedulable
from tests.instances_strategy import tiny_instances
from tests.offline.support import instance_of
from tests.oracle import Json, optimum


@settings(deadline=None, max_examples=150)
@given(tiny_instances())
def test_reasons_are_right(document: Json) -> None:
    """A job has a reason iff the oracle, given it alone, earns nothing."""
    instance = instance_of(document)
    for j, job in enumerate(document["jobs"]):
        alone, _ = optimum({**document, "jobs": [job]})
        assert (alone == 0) == (why_unschedulable(instance, j) is not None)
