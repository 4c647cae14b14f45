"""The total utility of the recorded schedule, with a certified bound on that of any schedule.

A job submitted at a and complete at C has the flow time d = max(1, ceil(C / tau) - floor(a / tau))
in rounds of tau seconds, the rounds in which it is there, and is worth U(d). The bound is that of
an instance in which a job needs floor(p / tau) whole rounds, p its recorded service, from the round
in which it was submitted on. In a schedule in real time it holds its gang for shares 0 <= x_t <= 1
of the rounds in which it is there, at least floor(p / tau) in all, so that some mean of sets of
floor(p / tau) of these rounds holds no more in any round, and each set is complete by C. So the
schedule is worth no more than sum_j of the largest U less rent, plus the price of all GPUs: the
bound D(k) of the instance, at any prices k. A job shorter than a round is worth at most U(1).

Where the GPUs change over time, C(t), the instance has the most that there ever are, C, and
*fillers* that hold the others: in round t, m_t = C - ceil(mean of C(t) over the round) GPUs. In
the mean schedule jobs hold at most that mean, so it has room for every filler. With M the sum of
what the fillers are worth, the schedule and the fillers are worth no more than D(k), so the
schedule no more than D(k) - M. A filler is worth m_t max_j U_j(1) / W_j in each of its rounds: more
rent than that keeps every job out, so that no bound is lost.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.auditing.capacity import Capacity
from hadaropt.auditing.floor import Replayed
from hadaropt.auditing.log import Log, LoggedJob
from hadaropt.certificates import Certificate, certify, verify
from hadaropt.errors import USE_ILP, InstanceError, InvariantError, LimitError, shown
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.interrupts import uninterrupted
from hadaropt.offline.lagrangian.bound import lagrangian_bound
from hadaropt.schedule import Schedule
from hadaropt.utility import Step, Utility

SECONDS = 20.0
"""Limit of time of the search for prices."""
MOST = 50_000_000
"""Jobs times rounds of an instance that is made."""
FILLER_ROUNDS = 256
"""Rounds of one filler, at most: its table of progress is exact."""


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
        Of ``bound - short + filled`` on the instance.
    filled : Fraction
        The value M of the fillers: 0 unless the GPUs change over time.
    """

    round_seconds: Fraction
    recorded: Fraction
    rules: dict[str, Fraction]
    bound: Fraction
    short: Fraction
    instance: Instance | None
    certificate: Certificate | None
    filled: Fraction = Fraction(0)


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
        With a recorded schedule.
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
        If there is no recorded schedule.
    LimitError
        If jobs times rounds are more than `MOST`, or the instance is too large to be priced.
    """
    if not log.recorded:
        raise InstanceError("utility", "needs a log with starts and ends")
    jobs, tau = log.counted, round_seconds * log.ticks
    ends = [job.completion for job in jobs]
    last = max([*ends, *(max(run.completions) for run in done)])
    rounds = max(1, math.ceil(last / tau))
    if len(jobs) * rounds > MOST:
        raise _too_many(round_seconds, len(jobs), rounds)

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
    instance, certificate, bound, filled = None, None, Fraction(0), Fraction(0)
    if len(short) < len(jobs):
        instance, filled = _instance(log, utility, round_seconds, rounds)
        if len(instance.jobs) * rounds > MOST:
            raise _too_many(round_seconds, len(instance.jobs), rounds)
        try:
            answer = uninterrupted(
                lagrangian_bound(instance, time_limit=time_limit, work_limit=work_limit)
            )
        except LimitError as bad:
            raise LimitError(
                f"rounds of {float(round_seconds):g} s cannot be priced: "
                f"{_reason(bad, log, tau, instance)}; use longer rounds (--round-seconds) or "
                "smaller utilities (--utility)"
            ) from bad
        certificate = certify(instance, answer, schedule=Schedule.empty(instance))
        found = verify(instance, certificate)
        if found.bound is None:
            raise InvariantError("the certificate of a bound has no bound")
        bound = found.bound - filled
    own = total(ends)
    rules = {str(run.rule): total(run.completions) for run in done}
    if max(own, *rules.values()) > bound + top:
        raise InvariantError(f"a schedule is worth more than the bound {bound + top}")
    return Worth(round_seconds, own, rules, bound + top, top, instance, certificate, filled)


def _flow(job: LoggedJob, end: int, tau: Fraction) -> int:
    return max(1, math.ceil(end / tau) - math.floor(job.submit / tau))


def _rounds(job: LoggedJob, tau: Fraction) -> int:
    return max(1, math.floor(job.service / tau))


def _instance(
    log: Log, utility: Utility, round_seconds: Fraction, rounds: int
) -> tuple[Instance, Fraction]:
    """Return the instance, and what its fillers are worth."""
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
    dearest = max(
        utility.value(1, int(job.iterations), round_seconds) / job.gang_size for job in jobs
    )
    sizes, fillers = {}, []
    for pool, own in log.capacity.items():
        capacity = Capacity.of(own)
        sizes[pool] = max(capacity.counts)
        for first, end, gpus in _missing(capacity, tau, rounds):
            peak = Step((end - first) * gpus * dearest, end - first)
            speed = {pool: 1 / round_seconds}
            fillers.append(Job(f"filler of {pool} {first}", first, gpus, end - first, speed, peak))
    cluster = Cluster.of({pool: {pool: size} for pool, size in sizes.items()})
    filled = sum((filler.utility.value(1, 1, tau) for filler in fillers), Fraction(0))
    instance = Instance(cluster, (*jobs, *fillers), rounds, round_seconds, "single_type")
    return instance, filled


def _missing(capacity: Capacity, tau: Fraction, rounds: int) -> list[tuple[int, int, int]]:
    """Return (first round, round after the last, GPUs) that a pool has fewer than at its most."""
    most, before = max(capacity.counts), Fraction(0)
    stretches: list[tuple[int, int, int]] = []
    if capacity.constant:
        return stretches
    for t in range(rounds):
        after = Fraction(capacity.work((t + 1) * tau))
        gpus, before = most - math.ceil((after - before) / tau), after
        if not gpus:
            continue
        if stretches and stretches[-1][1:] == (t, gpus) and t - stretches[-1][0] < FILLER_ROUNDS:
            stretches[-1] = (stretches[-1][0], t + 1, gpus)
        else:
            stretches.append((t, t + 1, gpus))
    return stretches


def _too_many(round_seconds: Fraction, jobs: int, rounds: int) -> LimitError:
    return LimitError(
        f"rounds of {float(round_seconds):g} s give {jobs:,} jobs times {rounds:,} "
        f"rounds, must be <= {MOST:,}; use longer rounds (--round-seconds)"
    )


def _reason(bad: LimitError, log: Log, tau: Fraction, instance: Instance) -> str:
    """Return why the instance cannot be priced, in words of the log."""
    if "units of progress" in str(bad):
        longest = max(log.counted, key=lambda job: job.service)
        return (
            f"job {shown(longest.name)} holds its GPUs for {_rounds(longest, tau):,} of the "
            f"{instance.num_rounds:,} rounds of the log, and a table of both is too large"
        )

    def named(match: re.Match[str]) -> str:
        name = instance.jobs[int(match[1])].name
        own = shown(log.counted[int(name)].name) if name.isdigit() else shown(name)
        return f"the {match[2]} of job {own}"

    own = str(bad).removesuffix(f"; {USE_ILP}")
    return re.sub(r"jobs\[(\d+)\]\.(\w+)", named, own)
