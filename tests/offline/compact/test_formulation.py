"""Which form of the compact program is exact, and its assembly."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from hadaropt import (
    Cluster,
    Instance,
    Job,
    solve_ilp,
)
from hadaropt.offline.compact.formulation import assemble, exact_form
from hadaropt.utility import (
    Linear,
)
from tests.instances_strategy import contended_instances
from tests.offline.support import instance_of
from tests.oracle import Json


@settings(deadline=None, max_examples=40)
@given(contended_instances(parallelism="mixed", spreads=(1,)))
def test_forms_agree(document: Json) -> None:
    instance = instance_of(document)
    assert exact_form(instance) == "hall"
    assert solve_ilp(instance, form="hall").value == solve_ilp(instance, form="node").value


def test_hall_form_is_refused_where_it_is_not_exact() -> None:
    job = Job("a", 0, 2, 10, {"V100": 5}, Linear(3, 1), "1/2")
    two = Cluster.of({"n0": {"V100": 1}, "n1": {"V100": 1}})
    instance = Instance(two, (job,), 9, 1)
    with pytest.raises(ValueError, match=r"jobs\[0\] is slowed to 1/2"):
        solve_ilp(instance, form="hall")
    plain = replace(instance, jobs=(replace(job, spread_factor=1),))
    with pytest.raises(ValueError, match=r"jobs\[0\] may run as copies"):
        assemble(plain.with_parallelism("forked"), "hall")
    with pytest.raises(ValueError, match="form"):
        assemble(plain, "pooled")  # type: ignore[arg-type]
