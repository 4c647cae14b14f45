"""What every online policy owes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hadaropt.certificates import certify, verify
from hadaropt.errors import check_type, refuse_class, shown
from hadaropt.instance import Instance
from hadaropt.interrupts import uninterrupted
from hadaropt.io import instance_sha256
from hadaropt.policies import ArrivalPolicy, Policy, PrimalDual
from hadaropt.results import Pool
from hadaropt.schedule import Schedule, jobs_in_vain
from hadaropt.testing.conforming import conforming
from hadaropt.testing.duality import assert_schedule_feasible


def assert_policy_conforms(
    policy: Policy | str, instance: Instance, *, optimum: Fraction | None = None
) -> None:
    """Assert what every online policy owes, on one instance.

    Capacity and gangs (THE checker); whoever admits a job gives it the rounds that complete it
    (asked of an `ArrivalPolicy`; what is told wrong iterations cannot know); determinism; the
    instance is left as it is; never the future (jobs that arrive later, in the same round too,
    change nothing that was decided before: at equal foreknowledge for policies that declare some);
    value never above the optimum; its certificate accepted, with a bound not below the optimum.

    Parameters
    ----------
    policy : Policy or str
        Or the name of one, with parameters in brackets where it has some, as in `run_online`.
    instance : Instance
    optimum : Fraction, optional
        The optimum, if you have it; else the exact bound of the compact ILP is used.

    Raises
    ------
    AssertionError
        If a rule is broken, the policy raises, or there is none of that name.
    TypeError
        If ``policy`` is neither a policy nor a name, or ``instance`` is none.
    """
    from hadaropt.online.run import run_online

    check_type("instance", instance, Instance, "such as one of testing.instances()")
    policy = _with_foreknowledge(_as_policy(policy), instance)
    given = hash(instance), instance_sha256(instance)
    with conforming(_who(policy)):
        run = run_online(instance, policy)
        again = run_online(instance, policy)
        verified = verify(instance, certify(instance, run))
    if (hash(instance), instance_sha256(instance)) != given:
        raise AssertionError(f"policy {policy.name} changes the instance that it is given")
    assert_schedule_feasible(instance, run.schedule)
    vain = jobs_in_vain(run.schedule, run.completion)
    if vain and isinstance(policy, ArrivalPolicy):
        raise AssertionError(
            f"policy {policy.name} admits job {instance.jobs[vain[0]].name} with too little "
            "progress to complete"
        )
    if again.schedule != run.schedule:
        raise AssertionError(f"policy {policy.name} is not deterministic")
    best, bound = known_optimum(instance, optimum)
    if run.value > bound:
        raise AssertionError(f"policy {policy.name} is worth {run.value}, above OPT <= {bound}")
    if verified.bound is not None and verified.bound < best:
        raise AssertionError(
            f"policy {policy.name} certifies {verified.bound}, below the feasible value {best}"
        )
    _assert_no_future(policy, instance, run.schedule)


def _as_policy(policy: object) -> Policy:
    """Return the policy that is meant."""
    from hadaropt.online.policy_text import policy_from_text

    if isinstance(policy, str):
        with conforming("policy"):
            return policy_from_text(policy)
    refuse_class(policy)
    if not isinstance(policy, Policy):
        raise TypeError(
            f"policy = {shown(policy)}, must be a name of a policy, or an object of a subclass of "
            "hadaropt.policies.Policy"
        )
    return policy


def _who(policy: Policy) -> str:
    """Return the policy in words, whether or not it has a name."""
    try:
        return f"policy {policy.name}"
    except Exception:
        return f"policy {type(policy).__name__}"


def known_optimum(instance: Instance, optimum: Fraction | None) -> tuple[Fraction, Fraction]:
    """Return (best value known, proven bound)."""
    if optimum is not None:
        return optimum, optimum
    from hadaropt.offline.compact.solve import solve_ilp

    answer = uninterrupted(solve_ilp(instance))
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
        with conforming(f"{_who(policy)}, with {known} of {len(order)} jobs"):
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
