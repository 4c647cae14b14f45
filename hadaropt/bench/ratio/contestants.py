"""What a ratio suite compares: online policies, and round schedulers on the same instances."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hadaropt.bench.ratio.calibrated import Calibrated, run_calibrated
from hadaropt.instance import Instance
from hadaropt.names import known_name
from hadaropt.online.misinformed import Misinformed, declare
from hadaropt.online.run import MISINFORMED, run_online
from hadaropt.policies import Policy, make_policy, policy_names
from hadaropt.results import OnlineRun
from hadaropt.simulate.registry import scheduler_names
from hadaropt.simulate.rounds import run_rounds

ROUND = "round:"


@dataclass(frozen=True)
class InRounds(Policy):
    """A round scheduler as it is deployed: it plans all unfinished jobs again in every round.

    It sees a job at its release and never the future, but it revises, so that no theorem of the
    policies that commit at arrival says anything of it; R1 and R2 may.

    Parameters
    ----------
    scheduler : str
        A name that `hadaropt.simulate.registry.make_scheduler` takes.
    """

    revises = True
    scheduler: str = "hadar"

    @property
    def name(self) -> str:
        """Name for tables."""
        return ROUND + self.scheduler


def contestant_names() -> tuple[str, ...]:
    """Return the names of all policies, and of all round schedulers after ``round:``."""
    return (*policy_names(), *(ROUND + name for name in scheduler_names()))


def make_contestant(name: str) -> Policy:
    """Return the policy, or ``round:`` and a scheduler, of that name.

    Raises
    ------
    InstanceError
        If there is none; the nearest name is given.
    """
    if not name.startswith(ROUND):
        return make_policy(name)
    return InRounds(known_name("policy", name, contestant_names()).removeprefix(ROUND))


def run_contestant(instance: Instance, policy: Policy) -> OnlineRun:
    """Run a contestant; its value is that of THE checker, its dual a proven bound."""
    if isinstance(policy, Calibrated):
        return run_calibrated(instance, policy)
    inner, told = policy, None
    if isinstance(policy, Misinformed):
        inner, told = policy.inner, declare(instance, policy.iterations)
    if not isinstance(inner, InRounds):
        return run_online(instance, policy)
    run = run_rounds(instance, inner.scheduler, told)
    return OnlineRun(
        policy.name,
        run.schedule,
        run.completion,
        run.value,
        (Fraction(0),) * len(instance.jobs),
        None,
        run.bound,
        None,
        None,
        run.theorem,
        run.theorem_absent if inner is policy else MISINFORMED,
        seconds=run.seconds,
        instance=instance,
    )
