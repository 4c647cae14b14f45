"""`run_online`: run a policy on an instance and report value, bound and theorem."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from hadaropt.errors import (
    InstanceError,
    InvariantError,
    limited,
    refuse_class,
    shown,
)
from hadaropt.instance import Instance, check_instance
from hadaropt.online.arrivals import commit_arrivals
from hadaropt.online.foreknowledge import price_scale
from hadaropt.online.heuristics import commit_each, greedy_density, random_choice, without_prices
from hadaropt.online.hypotheses import check_hypotheses, check_threshold
from hadaropt.online.learnt_least import LearntLeast, play_learnt
from hadaropt.online.misinformed import Misinformed, play
from hadaropt.online.mixed_hypotheses import check_mixed_threshold, check_too_small
from hadaropt.online.policy_text import policy_from_text
from hadaropt.online.prices.registry import theorem_of
from hadaropt.online.primal_dual import Decisions, commit_at_arrival
from hadaropt.online.quotation import Quotation, quote
from hadaropt.online.sums_hypotheses import check_sums
from hadaropt.policies import (
    ArrivalPolicy,
    Fifo,
    GreedyDensity,
    Policy,
    PrimalDual,
    Random,
    RollingHorizon,
)
from hadaropt.pricing import DualBound, dual_bound
from hadaropt.pricing.small import plain_if_small
from hadaropt.results import OnlineRun, Theorem
from hadaropt.schedule import check_schedule

WITHOUT_DUAL = frozenset({"T9", "T14", "T16", "T19", "T20"})
"""Theorems that bound OPT, and not D at the final prices."""
TOLD = {"T16": ("L", "m"), "T19": ("U", "L"), "T20": ("L", "m")}
"""Theorem -> what its prices are told rightly, where that is not all."""

MISINFORMED = "the policy is told wrong iterations: a plan may not complete its job"


@limited("the prices of the policy")
def run_online(instance: Instance, policy: Policy | str) -> OnlineRun:
    """Run a policy that commits at arrival, and return its value with a proven bound.

    Jobs arrive in order of release (ties: index); the policy sees one job at a time and decides
    irrevocably. The result carries P, the payoffs, the final prices, the certified D(k) >= OPT, and
    the theorem whose hypotheses were checked on this very run, or None with the reason.

    Parameters
    ----------
    instance : Instance
    policy : Policy or str
        From `hadaropt.policies`; or its name, with parameters in brackets where it has some, such
        as ``primal_dual:step`` or ``random[seed=3]``.

    Raises
    ------
    InstanceError
        If there is no policy of that name; the nearest is given.
    TypeError
        If ``instance`` is none, ``policy`` is a class, or a policy of your own does not do what
        `ArrivalPolicy` says.
    InvariantError
        If the run contradicts weak duality (a defect).

    Examples
    --------
    >>> import hadaropt
    >>> from hadaropt.utility import Linear
    >>> cluster = hadaropt.Cluster.of({"n0": {"V100": 1}})
    >>> job = hadaropt.Job("a", 0, 1, 600, {"V100": 1}, Linear(10, 1))
    >>> instance = hadaropt.Instance(cluster, [job], 4, 360)
    >>> run = hadaropt.run_online(instance, "primal_dual:zero_start")
    >>> run.value, run.completion
    (Fraction(9, 1), (1,))
    """
    check_instance(instance)
    refuse_class(policy)
    policy = policy_from_text(policy) if isinstance(policy, str) else policy
    runners = (runner for kind, runner in RUNNERS.items() if isinstance(policy, kind))
    runner = next(runners, None)
    if runner is None:
        raise InstanceError("policy", "must be a policy of hadaropt.policies", shown(policy))
    instance.check_size()
    started = time.perf_counter()
    with plain_if_small(instance):
        run = runner(instance, policy)
    checked = check_schedule(instance, run.schedule)
    if checked.value != run.value or checked.completion != run.completion:
        raise InvariantError(f"policy {policy.name} claims {run.value}, not {checked.value}")
    if run.bound < run.value:
        raise InvariantError(f"the bound {run.bound} is below the feasible value {run.value}")
    prices = None if run.prices is None else run.prices.named(instance.cluster)
    seconds = time.perf_counter() - started
    return replace(run, seconds=seconds, prices=prices, instance=instance)


def _collected(instance: Instance, decisions: Decisions) -> Fraction:
    return sum(
        (instance.value(j, f) for j, f in enumerate(decisions.completion) if f is not None),
        Fraction(0),
    )


def _own_dual(decisions: Decisions, bound: DualBound) -> tuple[Fraction, bool]:
    """Return the dual value that the algorithm keeps, and whether it is feasible, so a bound."""
    kept = sum(decisions.payoffs, Fraction(0)) + bound.capacity_cost
    pairs = zip(decisions.payoffs, bound.payoffs, strict=True)
    return kept, all(payoff >= upper for payoff, upper in pairs)


def _without_prices(instance: Instance, policy: Policy, decisions: Decisions) -> OnlineRun:
    """Return the run of a policy that has no prices; its bound is that of zero prices."""
    return OnlineRun(
        policy.name,
        decisions.schedule,
        decisions.completion,
        _collected(instance, decisions),
        decisions.payoffs,
        None,
        dual_bound(instance, decisions.prices).value,
        None,
        None,
        None,
        "the policy has no prices",
    )


def _run_fifo(instance: Instance, policy: Policy) -> OnlineRun:
    decisions = commit_at_arrival(instance, None, "type", price_scale(instance))
    return _without_prices(instance, policy, decisions)


def _run_greedy(instance: Instance, policy: Policy) -> OnlineRun:
    decisions = commit_each(instance, greedy_density)
    return _without_prices(instance, policy, decisions)


def _run_random(instance: Instance, policy: Policy) -> OnlineRun:
    assert isinstance(policy, Random)
    decisions = commit_each(instance, random_choice(policy.seed))
    return _without_prices(instance, policy, decisions)


def _run_rolling(instance: Instance, policy: Policy) -> OnlineRun:
    from hadaropt.online.rolling_horizon import rolling_horizon  # loads the solver

    assert isinstance(policy, RollingHorizon)
    schedule = rolling_horizon(instance, policy.time_limit)
    completion = check_schedule(instance, schedule).completion
    decisions = without_prices(instance, schedule, completion)
    return _without_prices(instance, policy, decisions)


def _run_arrivals(instance: Instance, policy: Policy) -> OnlineRun:
    assert isinstance(policy, ArrivalPolicy)
    schedule = commit_arrivals(instance, policy)
    completion = check_schedule(instance, schedule).completion
    return _without_prices(instance, policy, without_prices(instance, schedule, completion))


def _run_misinformed(instance: Instance, policy: Policy) -> OnlineRun:
    assert isinstance(policy, Misinformed)
    schedule, payoffs, prices = play(instance, policy)
    checked = check_schedule(instance, schedule)
    decisions = without_prices(instance, schedule, checked.completion)
    bound = dual_bound(instance, decisions.prices if prices is None else prices)
    return OnlineRun(
        policy.name,
        schedule,
        checked.completion,
        checked.value,
        payoffs,
        prices,
        bound.value,
        None,
        None,
        None,
        MISINFORMED,
        {"iterations": f"declared {policy.iterations}; a number is a factor on the true ones"},
    )


def _run_primal_dual(instance: Instance, policy: Policy) -> OnlineRun:
    assert isinstance(policy, PrimalDual)
    return run_quoted(instance, policy, quote(instance, policy))


def run_quoted(instance: Instance, policy: PrimalDual, quoted: Quotation) -> OnlineRun:
    """Run a primal-dual policy with the price tables of a quotation.

    Raises
    ------
    InvariantError
        If the run contradicts its theorem (a defect).
    """
    pool, tables, told = quoted.pool, quoted.tables, quoted.told
    decisions = commit_at_arrival(instance, tables, pool, told.scale)
    bound = dual_bound(instance, decisions.prices)
    primal = _collected(instance, decisions)
    theorem, absent = _theorem(quoted, decisions)
    if theorem is not None and theorem.id not in WITHOUT_DUAL:
        guarantee = theorem.constant * primal + theorem.additive
        if bound.value > guarantee and bound.exact:
            raise InvariantError(f"{theorem.id} promises D <= {guarantee}, but D = {bound.value}")
    return OnlineRun(
        policy.name,
        decisions.schedule,
        decisions.completion,
        primal,
        decisions.payoffs,
        decisions.prices,
        bound.value,
        *_own_dual(decisions, bound),
        theorem,
        absent,
        {**tables.parameters, "U, L, m": told.origin, "L": str(told.least_density)},
        posted=tables.posted(),
    )


def _theorem(quoted: Quotation, decisions: Decisions) -> tuple[Theorem | None, str]:
    """Return the theorem that holds for these tables on this instance, or why none does."""
    truth, tables = quoted.truth, quoted.tables
    if not quoted.pooled and quoted.pool == "type":
        return None, "prices are pooled, but nodes matter here: a job may be priced in and not fit"
    id = theorem_of(quoted.price)
    if id == "T9":
        checked = check_threshold(truth, tables)
    elif id in {"T14", "T16"}:
        checked = check_mixed_threshold(truth, tables, capped=id == "T16")
        if id == "T14" and checked.violation is not None and checked.violation.hypothesis == "F":
            larger = check_too_small(truth, tables)
            id, checked = ("T20", larger) if not larger.failure else (id, checked)
    elif id == "T19":
        checked = check_sums(truth, tables)
    else:
        checked = check_hypotheses(truth, tables)
    if checked.failure:
        return None, checked.failure
    theorem = Theorem(
        id,
        checked.constant,
        checked.additive + decisions.slack,
        TOLD.get(id, ("U", "L", "m")),
        tables.closed_form,
        truth.spread,
    )
    return theorem, ""


def _run_learnt(instance: Instance, policy: Policy) -> OnlineRun:
    assert isinstance(policy, LearntLeast)
    learnt = play_learnt(instance, policy)
    decisions, tables = learnt.decisions, [found for _, found in learnt.posted]
    bound = dual_bound(instance, decisions.prices)
    theorem, absent = learnt.theorem(policy)
    return OnlineRun(
        policy.name,
        decisions.schedule,
        decisions.completion,
        _collected(instance, decisions),
        decisions.payoffs,
        decisions.prices,
        bound.value,
        *_own_dual(decisions, bound),
        theorem,
        absent,
        {
            **(tables[-1].parameters if tables else {}),
            "U, m": learnt.truth.origin,
            "L": "learnt: " + ", ".join(str(least) for least, _ in learnt.posted),
        },
    )


RUNNERS: dict[type[Policy], Callable[[Instance, Policy], OnlineRun]] = {
    PrimalDual: _run_primal_dual,
    Fifo: _run_fifo,
    GreedyDensity: _run_greedy,
    Random: _run_random,
    RollingHorizon: _run_rolling,
    ArrivalPolicy: _run_arrivals,
    Misinformed: _run_misinformed,
    LearntLeast: _run_learnt,
}
