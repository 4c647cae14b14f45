"""The online algorithm: hypotheses, guarantees and certificates on random tiny instances."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

import hadaropt
from hadaropt.io import instance_from_document
from hadaropt.online.primal_dual import arrival_order
from hadaropt.policies import PRICE_NAMES, Fifo, PrimalDual
from tests import oracle
from tests.instances_strategy import contended_instances, tiny_instances

BUNDLED = ("last_unit", "telescoped")
policies = st.one_of(
    st.builds(PrimalDual, st.sampled_from(PRICE_NAMES), st.sampled_from(("auto", "node"))),
    st.builds(
        PrimalDual, st.sampled_from([n for n in PRICE_NAMES if n not in BUNDLED]), st.just("type")
    ),
)
instances = st.one_of(tiny_instances(), contended_instances())


@given(instances, policies)
@settings(deadline=None, max_examples=200)
def test_value_optimum_bound_and_theorem_are_in_order(document, policy):
    instance = instance_from_document(document)
    run = hadaropt.run_online(instance, policy)
    optimum = oracle.optimum(document)[0]
    assert run.value <= optimum <= run.bound
    if run.theorem is not None:
        assert run.dual_feasible
        assert optimum <= run.online_dual
        guarantee = run.theorem.constant * run.value + run.theorem.additive
        assert optimum <= guarantee
        if run.theorem.id != "T9":  # below its threshold T9 bounds the optimum, not the dual value
            assert run.online_dual <= guarantee
    else:
        assert run.theorem_absent


@given(instances, policies)
@settings(deadline=None, max_examples=100)
def test_the_certificate_of_a_run_is_accepted_and_gives_the_same_bound(document, policy):
    instance = instance_from_document(document)
    run = hadaropt.run_online(instance, policy)
    verified = hadaropt.verify(instance, hadaropt.certify(instance, run))
    assert (verified.value, verified.bound) == (run.value, run.bound)


@given(instances)
@settings(deadline=None, max_examples=100)
def test_decisions_depend_on_the_past_only(document):
    """Jobs that arrive later change nothing that is decided before."""
    instance = instance_from_document(document)
    run = hadaropt.run_online(instance, Fifo())
    order = arrival_order(instance)
    for k in range(len(order)):
        kept = sorted(order[: k + 1])
        fewer = {**document, "jobs": [document["jobs"][j] for j in kept]}
        part = hadaropt.run_online(instance_from_document(fewer), Fifo())
        assert [part.completion[kept.index(j)] for j in kept] == [run.completion[j] for j in kept]


@given(instances)
@settings(deadline=None, max_examples=60)
def test_payoffs_are_the_best_that_fit(document):
    """Replay a run without prices: each payoff is the maximum over what fitted at its arrival."""
    instance = instance_from_document(document)
    run = hadaropt.run_online(instance, Fifo())
    cluster = instance.cluster
    free = {
        (t, node, kind): count
        for t in range(instance.num_rounds)
        for node, row in zip(cluster.nodes, cluster.capacity, strict=True)
        for kind, count in zip(cluster.accelerators, row, strict=True)
    }
    nothing = dict.fromkeys(free, Fraction(0))
    for j in arrival_order(instance):
        assert run.payoffs[j] == oracle.max_payoff(document, j, nothing, free)
        for allocation in run.schedule.jobs[j]:
            for h, r, count in allocation.gpus:
                free[allocation.round, cluster.nodes[h], cluster.accelerators[r]] -= count


@given(tiny_instances(parallelism="mixed"))
@settings(deadline=None, max_examples=50)
def test_wrong_foreknowledge_never_breaks_the_certificate(document):
    instance = instance_from_document(document)
    optimum = oracle.optimum(document)[0]
    for factor in ("1/2", 2, 10):
        run = hadaropt.run_online(instance, PrimalDual(U=factor, L=factor, m=factor))
        assert run.value <= optimum <= run.bound
        if run.theorem is not None:
            assert optimum <= run.theorem.constant * run.value + run.theorem.additive
