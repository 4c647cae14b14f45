"""Instances with prices, and what every answer keeps."""

from fractions import Fraction

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from hadaropt.errors import InstanceError
from hadaropt.instance import Cluster, Instance
from hadaropt.io.documents import parse_json
from hadaropt.io.instances import instance_from_document
from hadaropt.pricing import cover, pricer
from hadaropt.schedule import Allocation, Schedule, check_schedule
from tests.instances_strategy import prices as price_strategy
from tests.instances_strategy import roomy_instances, tiny_instances, to_text

SETTINGS = settings(deadline=None, max_examples=200)
SCALE = 30  # the drawn prices are multiples of 1/30


def load(document):
    return instance_from_document(parse_json(to_text(document), "drawn", InstanceError))


def price_array(document, prices, per_node):
    """Drawn prices as integers in units of 1/30, (T, R) or (T, H, R)."""
    rounds, types = range(int(document["num_rounds"])), document["accelerators"]
    nodes = [node["name"] for node in document["nodes"]]
    if per_node:
        rows = [[[prices[t, h, r] for r in types] for h in nodes] for t in rounds]
    else:
        rows = [[prices[t, r] for r in types] for t in rounds]
    scaled = np.array(rows, dtype=object) * SCALE
    assert all(x.denominator == 1 for x in scaled.ravel())
    return scaled.astype(np.int64)


@st.composite
def priced(draw, per_node=None, **knobs):
    """A document with at least one job, prices on types or nodes, and what is left free."""
    knobs = {"min_jobs": 1, "max_jobs": 1, **knobs}
    document = draw(st.one_of(tiny_instances(**knobs), roomy_instances(**knobs)))
    per_node = draw(st.booleans()) if per_node is None else per_node
    return document, draw(price_strategy(document, per_node)), per_node


def verify(instance, prices, found, j=0):
    """Re-derive payoff, cost and completion of a priced schedule; return them unchanged."""
    job, cost, done = instance.jobs[j], Fraction(0), 0
    if found.completion is None:
        assert found.rounds == () and found.payoff == found.cost == 0
        return
    allocations = []
    for choice in found.rounds:
        t, use = choice.round, np.array(choice.use)
        price = prices[t] if use.ndim == prices.ndim - 1 else prices[t][None]
        cost += Fraction(int((use * price).sum()), SCALE)
        if use.ndim == 1:
            assert use.sum() == job.gang_size
            assert (use <= instance.cluster.pooled_capacity).all()
            slowest = min(instance.throughput[j][r] for r in np.flatnonzero(use))
            assert choice.progress == int(slowest * instance.round_seconds)
        else:
            cells = tuple(
                (int(h), int(r), int(use[h, r])) for h, r in zip(*np.nonzero(use), strict=True)
            )
            allocations.append(Allocation(t, cells, choice.copies))
        assert done < job.iterations
        done += choice.progress
    assert done >= job.iterations and found.rounds[-1].round == found.completion
    assert found.cost == cost
    assert found.payoff == instance.value(j, found.completion) - cost > 0
    if allocations:
        alone = Schedule(((),) * j + (tuple(allocations),) + ((),) * (len(instance.jobs) - j - 1))
        checked = check_schedule(instance, alone)
        assert checked.completion[j] == found.completion


def limit(monkeypatch, limits):
    """Force small jobs onto the paths of big ones."""
    for module in (cover, pricer):
        for name, value in limits.items():
            if hasattr(module, name):
                monkeypatch.setattr(module, name, value)


CLUSTER = Cluster.of({"n0": {"A": 2}, "n1": {"A": 2, "B": 1}})


def instance_of(job, rounds=4, **options):
    return Instance(CLUSTER, (job,), rounds, Fraction(1), **options)
