"""For tests of your own: strategies, and assertions on schedules, duals, policies and prices.

Needs the extra ``testing``. Every assertion raises `AssertionError` with the reason.

Examples
--------
>>> from hypothesis import given, settings
>>> import hadaropt
>>> from hadaropt import testing
>>> @given(testing.instances(max_jobs=3))
... @settings(max_examples=5, deadline=None)
... def test_my_policy(instance):
...     testing.assert_policy_conforms(hadaropt.policies.Fifo(), instance)
>>> test_my_policy()
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction

import numpy as np

from hadaropt.certificates import certify, verify
from hadaropt.certificates.options import ExactPrices
from hadaropt.certificates.payoffs import max_payoffs
from hadaropt.errors import HadaroptError, MissingExtraError, ScheduleError
from hadaropt.instance import PARALLELISM, Cluster, Instance, Job
from hadaropt.io import instance_sha256
from hadaropt.policies import Policy, PriceFunction, PrimalDual
from hadaropt.results import Pool, Prices
from hadaropt.schedule import CheckedSchedule, Schedule, check_schedule
from hadaropt.utility import (
    Completion,
    EffectiveThroughput,
    Linear,
    Sigmoid,
    Step,
    Table,
    Utility,
)

try:
    from hypothesis import strategies as st
except ImportError:
    raise MissingExtraError("testing", "hypothesis") from None

TYPES = ("V100", "P100", "K80")


@st.composite
def clusters(draw: st.DrawFn, max_nodes: int = 3, max_types: int = 3, max_gpus: int = 4) -> Cluster:
    """Clusters of 1 .. max_nodes nodes, ragged, some without GPUs of a type."""
    types = TYPES[: draw(st.integers(1, max_types))]
    count = draw(st.integers(1, max_nodes))
    row = st.tuples(*(st.integers(0, max_gpus) for _ in types))
    rows = draw(st.lists(row, min_size=count, max_size=count))
    return Cluster(types, tuple(f"n{h}" for h in range(count)), tuple(rows))


def utilities(max_rounds: int = 6) -> st.SearchStrategy[Utility]:
    """Utilities of every family, non-increasing, some worth nothing."""
    value = st.integers(0, 30)
    days = st.integers(0, max_rounds)
    tables = st.lists(value, max_size=max_rounds).map(lambda v: Table(tuple(sorted(v)[::-1])))
    return st.one_of(
        st.builds(Linear, value, st.integers(0, 6)),
        st.builds(Step, value, days),
        st.builds(Sigmoid, peak=value, steepness=st.sampled_from(("0", "0.5", "2")), deadline=days),
        st.builds(EffectiveThroughput, st.sampled_from((0, 1, "1/3"))),
        st.builds(Completion, st.integers(0, 5), days),
        tables,
    )


@st.composite
def jobs(draw: st.DrawFn, cluster: Cluster, name: str, num_rounds: int, max_gang: int = 4) -> Job:
    """Jobs that fit the cluster or not, with ties, zeros and any order of the types."""
    speeds = {r: draw(st.sampled_from((0, 1, 2, "1.5", 3))) for r in cluster.accelerators}
    return Job(
        name,
        draw(st.integers(0, num_rounds)),
        draw(st.integers(1, max_gang)),
        draw(st.integers(1, 8)),
        speeds,  # type: ignore[arg-type]
        draw(utilities(num_rounds)),
        draw(st.sampled_from((Fraction(1), Fraction(1), Fraction(1, 2), Fraction(9, 10)))),
        draw(st.sampled_from((None, 1, 2, 3))),
    )


@st.composite
def instances(
    draw: st.DrawFn,
    max_jobs: int = 4,
    max_rounds: int = 5,
    parallelism: str | None = None,
    max_nodes: int = 3,
    max_gpus: int = 4,
) -> Instance:
    """Small instances of one parallelism model, or of all three."""
    cluster = draw(clusters(max_nodes=max_nodes, max_gpus=max_gpus))
    rounds = draw(st.integers(1, max_rounds))
    count = draw(st.integers(0, max_jobs))
    model = draw(st.sampled_from(PARALLELISM)) if parallelism is None else parallelism
    return Instance(
        cluster,
        tuple(draw(jobs(cluster, f"j{j}", rounds)) for j in range(count)),
        rounds,
        Fraction(1),
        model,  # type: ignore[arg-type]
        draw(st.sampled_from((Fraction(0), Fraction(1, 4), Fraction(2)))),
    )


@st.composite
def price_tables(draw: st.DrawFn, instance: Instance, pool: Pool = "type") -> Prices:
    """Prices of every GPU in every round, many of them 0."""
    shape: tuple[int, ...] = (instance.num_rounds, len(instance.cluster.accelerators))
    if pool == "node":
        shape = (shape[0], len(instance.cluster.nodes), shape[1])
    size = int(np.prod(shape))
    units = draw(st.lists(st.sampled_from((0, 0, 1, 2, 5, 16)), min_size=size, max_size=size))
    return Prices(np.array(units, np.int64).reshape(shape), Fraction(4), pool)


def assert_schedule_feasible(instance: Instance, schedule: Schedule) -> CheckedSchedule:
    """Assert that THE checker accepts the schedule; return its exact facts."""
    try:
        return check_schedule(instance, schedule)
    except ScheduleError as bad:
        raise AssertionError(f"infeasible schedule: {bad}") from bad


def assert_dual_feasible(
    instance: Instance, prices: Prices, payoffs: Sequence[Fraction | float], *, exact: bool = True
) -> None:
    """Assert mu_j >= u_s - sum k w^s for all schedules of every job, and k, mu >= 0.

    Parameters
    ----------
    instance : Instance
    prices : Prices
        k.
    payoffs : sequence of J numbers
        mu.
    exact : bool
        True: no tolerance at all. False: 1e-6 of slack relative to the largest payoff, for duals
        that come from a solver.
    """
    if prices.units.size and int(prices.units.min()) < 0:
        raise AssertionError(f"a price is {int(prices.units.min())} / {prices.scale}, must be >= 0")
    best = _max_payoffs(instance, prices)
    slack = Fraction(0) if exact else Fraction(1, 10**6) * max([Fraction(1), *best])
    for job, payoff, least in zip(instance.jobs, payoffs, best, strict=True):
        if Fraction(payoff) < 0 or Fraction(payoff) + slack < least:
            raise AssertionError(
                f"dual infeasible: job {job.name} has payoff {payoff}, but a schedule of it is "
                f"worth {least} at these prices"
            )


def _max_payoffs(instance: Instance, prices: Prices) -> tuple[Fraction, ...]:
    return max_payoffs(instance, _exact(instance, prices)).upper


def _exact(instance: Instance, prices: Prices) -> ExactPrices:
    return ExactPrices.of(instance, prices.exact(), by_node=prices.pool == "node")


def assert_weak_duality(instance: Instance, schedule: Schedule, prices: Prices) -> None:
    """Assert value(schedule) <= D(k), both exact."""
    value = assert_schedule_feasible(instance, schedule).value
    bound = max_payoffs(instance, _exact(instance, prices)).bound
    if value > bound:
        raise AssertionError(f"weak duality broken: value {value} > D(k) = {bound}")


def assert_policy_conforms(
    policy: Policy, instance: Instance, *, optimum: Fraction | None = None
) -> None:
    """Assert what every online policy owes, on one instance.

    Capacity and gangs (THE checker); determinism; the instance is left as it is; never the future
    (jobs that arrive later, in the same round too, change nothing that was decided before: at equal
    foreknowledge for policies that declare some); value never above the optimum; its certificate
    accepted, with a bound not below the optimum.

    Parameters
    ----------
    policy : Policy
    instance : Instance
    optimum : Fraction, optional
        The optimum, if you have it; else the exact bound of the compact ILP is used.
    """
    from hadaropt.online.run import run_online

    policy = _with_foreknowledge(policy, instance)
    given = hash(instance), instance_sha256(instance)
    try:
        run = run_online(instance, policy)
        again = run_online(instance, policy)
        verified = verify(instance, certify(instance, run))
    except HadaroptError as bad:
        raise AssertionError(f"policy {policy.name}: {bad}") from bad
    if (hash(instance), instance_sha256(instance)) != given:
        raise AssertionError(f"policy {policy.name} changes the instance that it is given")
    assert_schedule_feasible(instance, run.schedule)
    if again.schedule != run.schedule:
        raise AssertionError(f"policy {policy.name} is not deterministic")
    best, bound = _optimum(instance, optimum)
    if run.value > bound:
        raise AssertionError(f"policy {policy.name} is worth {run.value}, above OPT <= {bound}")
    if verified.bound is not None and verified.bound < best:
        raise AssertionError(
            f"policy {policy.name} certifies {verified.bound}, below the feasible value {best}"
        )
    _assert_no_future(policy, instance, run.schedule)


def _optimum(instance: Instance, optimum: Fraction | None) -> tuple[Fraction, Fraction]:
    """Return (best value known, proven bound)."""
    if optimum is not None:
        return optimum, optimum
    from hadaropt.offline.compact.solve import solve_ilp

    answer = solve_ilp(instance)
    value = Fraction(0) if answer.value is None else answer.value
    if isinstance(answer.bound, Fraction):
        return value, answer.bound
    return value, value * Fraction(1_000_001, 1_000_000)


def _with_foreknowledge(policy: Policy, instance: Instance) -> Policy:
    """Return the policy with the foreknowledge of the whole instance fixed, if it uses any."""
    if not isinstance(policy, PrimalDual) or policy.foreknowledge is not None:
        return policy
    from hadaropt.modes import is_pooled
    from hadaropt.online.foreknowledge import compute_foreknowledge

    pool: Pool = "type" if is_pooled(instance) else "node"
    pool = pool if policy.pool == "auto" else policy.pool
    return replace(policy, pool=pool, foreknowledge=compute_foreknowledge(instance, pool))


def _assert_no_future(policy: Policy, instance: Instance, schedule: Schedule) -> None:
    from hadaropt.online.run import run_online

    order = sorted(range(len(instance.jobs)), key=lambda j: instance.jobs[j].release)
    for known in range(1, len(order)):
        later = instance.jobs[order[known]].release
        if policy.revises and instance.jobs[order[known - 1]].release == later:
            continue  # what is planned for the jobs of one round is planned for all of them
        kept = sorted(order[:known])
        past = replace(instance, jobs=tuple(instance.jobs[j] for j in kept))
        part = run_online(past, policy).schedule
        for i, j in enumerate(kept):
            before, after = part.jobs[i], schedule.jobs[j]
            if policy.revises:
                before = tuple(a for a in before if a.round < later)
                after = tuple(a for a in after if a.round < later)
            if before != after:
                hidden = ", ".join(instance.jobs[i].name for i in order[known:])
                raise AssertionError(
                    f"policy {policy.name} looks into the future: job {instance.jobs[j].name} is "
                    f"decided differently without the jobs that arrive after it ({hidden})"
                )


def assert_price_conforms(
    price: PriceFunction | str,
    instance: Instance,
    *,
    theorem: bool = False,
    optimum: Fraction | None = None,
) -> None:
    """Assert what every price function owes, on one instance, with prices per type and per node.

    Tables: one per resource, of the right length, exact, >= 0, non-decreasing. Equal foreknowledge
    gives equal tables and is left as it was. The policy ``PrimalDual(price=price)`` conforms
    (`assert_policy_conforms`): above all its certificate is accepted. Where a theorem holds,
    OPT <= constant P + additive.

    Parameters
    ----------
    price : PriceFunction or str
    instance : Instance
    theorem : bool
        Whether the hypotheses of the theorem have to hold as well, at right foreknowledge.
    optimum : Fraction, optional
        As in `assert_policy_conforms`.
    """
    from hadaropt.modes import is_pooled
    from hadaropt.online.foreknowledge import compute_foreknowledge
    from hadaropt.online.prices.registry import make_price
    from hadaropt.online.prices.rounding import round_tables
    from hadaropt.online.run import run_online

    policy, best = PrimalDual(price=price), _optimum(instance, optimum)[0]
    function = make_price(price) if isinstance(price, str) else price
    for pool in _pools(is_pooled(instance)):
        known = compute_foreknowledge(instance, pool)
        before = deepcopy(known)
        try:
            first = round_tables(function.name, known, function.tables(known))
            again = round_tables(function.name, known, function.tables(known))
        except (HadaroptError, TypeError) as bad:
            raise AssertionError(str(bad)) from bad
        if known != before:
            raise AssertionError(f"price {function.name} changes the foreknowledge that it is told")
        if first != again:
            raise AssertionError(f"price {function.name} is not deterministic")
        chosen = replace(policy, pool=pool)
        assert_policy_conforms(chosen, instance, optimum=optimum)
        run = run_online(instance, chosen)
        if run.theorem is None and theorem:
            raise AssertionError(f"price {function.name} has no theorem: {run.theorem_absent}")
        if run.theorem is not None:
            guarantee = run.theorem.constant * run.value + run.theorem.additive
            if best > guarantee:
                raise AssertionError(f"price {function.name}: OPT >= {best} > {guarantee}")


def _pools(pooled: bool) -> tuple[Pool, ...]:
    """Return how prices may be pooled with a theorem."""
    return ("type", "node") if pooled else ("node",)
