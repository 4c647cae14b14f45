"""The total utility of the recorded schedule, with a certified bound on that of any schedule.

A job submitted at a and complete at C has the flow time d = max(1, ceil(C / tau) - floor(a / tau))
in rounds of tau seconds, the rounds in which it is there, and is worth U(d). The bound is that of
an instance in which a job needs floor(p / tau) whole rounds, p its recorded service, from the round
in which it was submitted on. In a schedule in real time it holds its gang for shares 0 <= x_t <= 1
of the rounds in which it is there, at least floor(p / tau) in all, so that some mean of sets of
floor(p / tau) of these rounds holds no more in any round, and each set is complete by C. So the
schedule is worth no more than sum_j of the largest U less rent, plus the price of all GPUs: the
bound D(k) of the instance, at any prices k. A job shorter than a round is worth at most U(1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.auditing.floor import Replayed
from hadaropt.auditing.log import Log, LoggedJob
from hadaropt.certificates import Certificate, certify, verify
from hadaropt.errors import USE_ILP, InstanceError, InvariantError, LimitError
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.offline.lagrangian.bound import lagrangian_bound
from hadaropt.schedule import Schedule
from hadaropt.utility import Utility

SECONDS = 20.0
"""Limit of time of the search for prices."""
MOST = 50_000_000
"""Jobs times rounds of an instance that is made."""


@dataclass(frozen=True)
class Worth:
    """Total utilities, of the jobs that count.

    Attributes
    ----------
    round_seconds : Fraction
        tau.
    recorded : Fraction
        Of the recorded schedule.
    rules : mapping of str to Fraction
        Of the rules in continuous time.
    bound : Fraction
        No schedule is worth more.
    short : Fraction
        The part of the bound that is U(1) of the jobs that are shorter than a round.
    instance : Instance or None
        Of the other jobs; None if there are none.
    certificate : Certificate or None
        Of ``bound - short`` on the instance.
    """

    round_seconds: Fraction
    recorded: Fraction
    rules: dict[str, Fraction]
    bound: Fraction
    short: Fraction
    instance: Instance | None
    certificate: Certificate | None


def worth(
    log: Log,
    utility: Utility,
    round_seconds: Fraction,
    done: Sequence[Replayed],
    *,
    time_limit: float | None = SECONDS,
    work_limit: int | None = None,
) -> Worth:
    """Return what the recorded schedule is worth, and the certified bound.

    Parameters
    ----------
    log : Log
        With a recorded schedule, on GPUs that do not change over time.
    utility : Utility
        Of every job; a job counts as many iterations as its service has whole rounds, one at least.
    round_seconds : Fraction
        tau > 0.
    done : sequence of Replayed
        The counted jobs under the rules.
    time_limit, work_limit
        Of the search for prices, as for `hadaropt.offline.lagrangian_bound`.

    Raises
    ------
    InstanceError
        If there is no recorded schedule, or the GPUs change over time.
    LimitError
        If jobs times rounds are more than `MOST`, or the instance is too large to be priced.
    """
    if not log.recorded:
        raise InstanceError("utility", "needs a log with starts and ends")
    if log.over_time:
        rule = "is not bounded where the capacity is what the recorded schedule held"
        raise InstanceError("utility", rule)
    jobs, tau = log.counted, round_seconds * log.ticks
    ends = [job.completion for job in jobs]
    last = max([*ends, *(max(run.completions) for run in done)])
    rounds = max(1, math.ceil(last / tau))
    if len(jobs) * rounds > MOST:
        raise LimitError(
            f"rounds of {float(round_seconds):g} s give {len(jobs):,} jobs times {rounds:,} "
            f"rounds, must be <= {MOST:,}; use longer rounds (--round-seconds)"
        )

    def total(completions: Sequence[int]) -> Fraction:
        return sum(
            (
                utility.value(_flow(job, end, tau), _rounds(job, tau), round_seconds)
                for job, end in zip(jobs, completions, strict=True)
            ),
            Fraction(0),
        )

    short = [job for job in jobs if job.service < tau]
    top = utility.value(1, 1, round_seconds) * len(short)
    instance, certificate, bound = None, None, Fraction(0)
    if len(short) < len(jobs):
        instance = _instance(log, utility, round_seconds, rounds)
        try:
            answer = lagrangian_bound(instance, time_limit=time_limit, work_limit=work_limit)
        except LimitError as bad:
            raise LimitError(
                f"rounds of {float(round_seconds):g} s cannot be priced: "
                f"{str(bad).removesuffix(f'; {USE_ILP}')}; use longer rounds (--round-seconds) or "
                "smaller utilities (--utility)"
            ) from bad
        certificate = certify(instance, answer, schedule=Schedule.empty(instance))
        found = verify(instance, certificate)
        if found.bound is None:
            raise InvariantError("the certificate of a bound has no bound")
        bound = found.bound
    own = total(ends)
    rules = {str(run.rule): total(run.completions) for run in done}
    if max(own, *rules.values()) > bound + top:
        raise InvariantError(f"a schedule is worth more than the bound {bound + top}")
    return Worth(round_seconds, own, rules, bound + top, top, instance, certificate)


def _flow(job: LoggedJob, end: int, tau: Fraction) -> int:
    return max(1, math.ceil(end / tau) - math.floor(job.submit / tau))


def _rounds(job: LoggedJob, tau: Fraction) -> int:
    return max(1, math.floor(job.service / tau))


def _instance(log: Log, utility: Utility, round_seconds: Fraction, rounds: int) -> Instance:
    tau = round_seconds * log.ticks
    jobs = [
        Job(
            f"{i}",
            math.floor(job.submit / tau),
            job.gang,
            _rounds(job, tau),
            {job.pool: 1 / round_seconds},
            utility,
        )
        for i, job in enumerate(log.counted)
        if job.service >= tau
    ]
    cluster = Cluster.of({pool: {pool: size} for pool, size in log.pools.items()})
    return Instance(cluster, tuple(jobs), rounds, round_seconds, "single_type")
