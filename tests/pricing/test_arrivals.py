"""The pass over arrivals takes the decisions of `price_job`, job by job."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.generate import generate
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.kernels.pricing.modes_pooled import pooled, undominated
from hadaropt.kernels.pricing.pareto import labels, trace_labels
from hadaropt.pricing import Pricer, arrivals, price_arrivals, price_job
from hadaropt.utility import EffectiveThroughput, Linear, Sigmoid, Step
from tests.instances_strategy import tiny_instances
from tests.pricing.cases import load


@st.composite
def cases(draw, **knobs):
    """A pooled instance of several jobs, price tables, and the table of each round."""
    model = draw(st.sampled_from(["mixed", "single_type"]))
    document = draw(
        tiny_instances(parallelism=model, spreads=(1,), min_jobs=2, max_jobs=5, **knobs)
    )
    instance = load(document)
    types, most = len(instance.cluster.accelerators), max(instance.cluster.pooled_capacity)
    count, step = draw(st.integers(1, 2)), st.integers(0, 9)
    size = count * types * (most + 1)
    steps = np.array(draw(st.lists(step, min_size=size, max_size=size)), np.int64)
    tables = np.cumsum(steps.reshape(count, types, most + 1), axis=2)
    rounds = instance.num_rounds
    table_of = draw(st.lists(st.integers(0, count - 1), min_size=rounds, max_size=rounds))
    return instance, tables, np.array(table_of, np.int64)


def one_by_one(instance, tables, table_of, scale, jobs):
    """Decisions, final prices and units by pricing each job on its own."""
    types = np.arange(tables.shape[1])
    used = np.zeros((instance.num_rounds, len(types)), np.int64)
    plans = [[] for _ in instance.jobs]
    completion = [-1] * len(instance.jobs)
    charge = [Fraction(0)] * len(instance.jobs)
    rows = np.arange(instance.num_rounds)
    for j in jobs:
        prices = tables[table_of[:, None], types, used]
        free = np.array(instance.cluster.pooled_capacity) - used
        best = price_job(instance, j, prices, scale=scale, free=free)
        if best.completion is not None:
            completion[j], charge[j] = best.completion, best.cost
            plans[j] = [(c.round, c.use) for c in best.rounds]
            for t, use in plans[j]:
                used[t] += use
    return completion, charge, plans, used, tables[table_of[rows][:, None], types, used]


def by_job(done):
    """(round, units) of every job, by job index."""
    jobs, bounds, rounds, use = done.plans()
    entries = list(zip(rounds.tolist(), map(tuple, use.tolist()), strict=True))
    found = [[] for _ in done.completion]
    for k, j in enumerate(jobs):
        found[j] = entries[bounds[k] : bounds[k + 1]]
    return found


def agree(case, scale):
    instance, tables, table_of = case
    jobs = sorted(range(len(instance.jobs)), key=lambda j: instance.jobs[j].release)
    done = price_arrivals(instance, tables, table_of, scale=scale, jobs=jobs)
    completion, charge, plans, used, prices = one_by_one(instance, tables, table_of, scale, jobs)
    assert list(done.completion) == completion
    assert [Fraction(int(c)) / scale for c in done.charge] == charge
    assert by_job(done) == plans
    assert np.array_equal(done.used, used) and np.array_equal(done.prices, prices)
    assert done.slack == {}
    return done


@given(cases(), st.sampled_from([1, Fraction(3, 7), 10]))
@settings(deadline=None, max_examples=200)
def test_decisions_of_the_pass_and_of_single_jobs_agree(case, scale):
    agree(case, scale)


def test_jobs_with_too_many_labels_are_priced_one_by_one(monkeypatch):
    monkeypatch.setattr(arrivals, "LABEL_BUDGET", 6)
    monkeypatch.setattr(arrivals, "_CHUNK", 2)
    seen = set()

    @given(cases(max_scale=100))
    @settings(deadline=None, max_examples=100, database=None)
    def check(case):
        done = agree(case, 1)
        alone = any(len(rounds) and len(jobs) == 1 for jobs, _, rounds, _ in done._chunks)
        seen.add((len(done._chunks) > 1, alone))

    check()
    assert (True, True) in seen


CLUSTER = Cluster.of({"n0": {"A": 3}, "n1": {"A": 1, "B": 2}})


def test_equal_tables_of_values_are_shared_and_kinds_mix():
    same = Sigmoid(peak=9, steepness="0.5", deadline=3)
    jobs = [
        Job("a", 0, 1, 5, {"A": 2, "B": 1}, same),
        Job("b", 0, 2, 3, {"A": 2}, same),
        Job("c", 1, 1, 4, {"A": 1, "B": 2}, Linear(5, "1/3")),
        Job("d", 1, 4, 2, {"A": 1, "B": 1}, EffectiveThroughput(7)),
        Job("e", 2, 9, 2, {"A": 1, "B": 1}, Step(7, 3)),
        Job("f", 7, 1, 2, {"A": 1}, Step(7, 3)),
        Job("g", 2, 1, 2, {}, Step(7, 3)),
    ]
    instance = Instance(CLUSTER, jobs, 6, Fraction(1))
    tables = np.cumsum(np.arange(10).reshape(1, 2, 5), axis=2)
    done = agree((instance, tables, np.zeros(6, np.int64)), 400)
    assert (done.completion[:4] >= 0).all() and (done.completion[4:] == -1).all()


def test_what_the_pass_refuses():
    slowed = Job("a", 0, 2, 2, {"A": 1}, Step(1, 4), spread_factor=Fraction(1, 2))
    fine = Job("a", 0, 2, 2, {"A": 1}, Step(1, 4))
    tables, table_of = np.zeros((1, 2, 5), np.int64), np.zeros(4, np.int64)
    with pytest.raises(ValueError, match="not pooled"):
        price_arrivals(Instance(CLUSTER, [slowed], 4), tables, table_of, scale=1, jobs=[0])
    instance = Instance(CLUSTER, [fine], 4)
    with pytest.raises(ValueError, match=r"must be \(K, 2, > 2\)"):
        price_arrivals(instance, tables[:, :, :2], table_of, scale=1, jobs=[0])
    with pytest.raises(ValueError, match="non-decreasing"):
        price_arrivals(instance, tables - np.arange(5), table_of, scale=1, jobs=[0])
    huge = Instance(CLUSTER, [Job("a", 0, 2, 2, {"A": 1}, Step(10**20, 4))], 4)
    with pytest.raises(OverflowError, match="is too large for prices in units"):
        price_arrivals(huge, tables, table_of, scale=1, jobs=[0])


@pytest.mark.parametrize("family", ["six_class", "measured_rates"])
def test_guided_labels_decide_as_all_labels_do(family):
    # Needs of thousands of units, sigmoids among the utilities, prices that rise.
    instance = generate(family, seed=3, num_jobs=25, num_rounds=40, load=1.2)
    scale, capacity = 2**20, np.array(instance.cluster.pooled_capacity, np.int64)
    types, rounds = len(capacity), instance.num_rounds
    steps = np.cumsum(np.full((1, types, int(capacity.max()) + 1), scale // 50), axis=2)
    table_of = np.zeros(rounds, np.int64)
    jobs = sorted(range(len(instance.jobs)), key=lambda j: instance.jobs[j].release)
    done = price_arrivals(instance, steps, table_of, scale=scale, jobs=jobs)
    used = np.zeros((rounds, types), np.int64)
    plans, accepted = by_job(done), 0
    for j in jobs:
        job, model = instance.jobs[j], Pricer(instance, scale).model(j)
        worth = Pricer(instance, scale).worth(j)
        window = slice(job.release, job.release + len(worth.floors))
        price, free = steps[0][np.arange(types), used][window], (capacity - used)[window]
        keys = pooled(price, free, job.gang_size, model.gang.admitted, 100, int(worth.floors[0]))
        progress = np.array(model.gang.progress, np.int64)
        options = undominated(progress, keys)
        none = np.empty(0, np.int64)
        least, first, at, paid, _ = labels(*options[:3], job.iterations, none, 100, 10**8)
        last = worth.best(least // 100)
        assert done.completion[j] == (job.release + last if last >= 0 else -1)
        if last < 0:
            continue
        accepted += 1
        choice = np.empty(last + 1, np.int64)
        trace_labels(*options[:3], job.iterations, last, least, first, at, paid, choice)
        ran = [job.release + n for n in range(last + 1) if choice[n] >= 0]
        assert [t for t, _ in plans[j]] == ran and done.charge[j] == least[last] // 100
        for t, use in plans[j]:
            used[t] += use
    assert accepted > 5 and np.array_equal(used, done.used)
