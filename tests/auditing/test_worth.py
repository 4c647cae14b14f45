"""Total utility of recorded schedules: never above the certified bound."""

from __future__ import annotations

import random
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from hadaropt import audit
from hadaropt.auditing import worth as of_worth
from hadaropt.auditing.capacity import Capacity
from hadaropt.auditing.fit import as_used
from hadaropt.auditing.floor import replays
from hadaropt.auditing.log import Log, make_log, whole_log, without_wider
from hadaropt.auditing.sentences import more_lines
from hadaropt.auditing.worth import Worth, worth
from hadaropt.certificates import verify
from hadaropt.errors import LimitError
from hadaropt.instance import Cluster
from hadaropt.utility import EffectiveThroughput, Linear, Utility
from tests.auditing.logs import Row, fitting_rows, trace
from tests.interrupting import cut_short

UTILITIES: tuple[Utility, ...] = (Linear(20, 1), EffectiveThroughput(100))


def judged(log: Log, utility: Utility, tau: Fraction | int, work: int = 200) -> Worth:
    asked = [(job.pool, (job.submit, job.service, job.gang)) for job in log.counted]
    done = replays(asked, log.capacity, kept=log.wider)
    return worth(log, utility, Fraction(tau), done, time_limit=None, work_limit=work)


def drawn(seed: int) -> Log:
    """Return a log of which every job starts at the first whole second at which it fits."""
    rows, gpus = fitting_rows(seed, most=7)
    return make_log(trace(rows), Cluster.of({"n": {"GPU": gpus}}))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("utility", UTILITIES, ids=lambda own: own.kind)
def test_no_schedule_is_worth_more_than_the_bound(utility: Utility, seed: int) -> None:
    found = judged(drawn(seed), utility, Fraction(5, 2))
    assert max(found.recorded, *found.rules.values()) <= found.bound
    if found.instance is None:
        assert (found.certificate, found.bound) == (None, found.short)
    else:
        assert found.certificate is not None
        checked = verify(found.instance, found.certificate).bound
        assert checked is not None
        assert checked + found.short == found.bound


def test_a_schedule_that_no_order_of_whole_rounds_has() -> None:
    """Two jobs of 10 s share a GPU in rounds of 10 s; the second begins in the middle of one."""
    log = make_log(trace([(0, [(0, 10)], 1), (5, [(10, 20)], 1)]), Cluster.parse("GPU=1"))
    found = judged(log, Linear(10, 1), 10)
    assert found.recorded == 10 + 9 == found.bound  # in rounds, it was there from the first on


def test_jobs_shorter_than_a_round_are_worth_at_most_their_peak() -> None:
    log = make_log(trace([(0, [(0, 4)], 1), (0, [(4, 8)], 1)]), Cluster.parse("GPU=1"))
    found = judged(log, Linear(10, 1), 10)
    assert found.recorded == found.bound == found.short == 20


def test_a_waiting_recorded_schedule_is_worth_less() -> None:
    jobs = trace([(0, [(0, 100)], 1), (0, [(100, 110)], 1)])
    found = judged(make_log(jobs, Cluster.parse("GPU=1")), Linear(20, 1), 10, work=5000)
    assert found.recorded == 11 + 10
    assert found.rules["shortest"] == 20 + 10 <= found.bound < 31


def test_what_has_no_bound_is_refused() -> None:
    rows: list[Row] = [(0, [(0, 9)], 1), (0, [(1, 9)], 1)]
    fits = make_log(trace(rows), Cluster.parse("GPU=2"))
    with pytest.raises(LimitError, match=r"2 jobs times 900,000,000 rounds, .*longer rounds"):
        judged(fits, Linear(10, 1), Fraction(1, 10**8))


@pytest.mark.parametrize(
    ("utility", "tau", "reason"),
    [
        (Linear(10, 1), Fraction(1, 10**5), "jobs times"),
        (Linear(10, 1), 1, r'cannot be priced: job "j0" holds its GPUs for 1,000,000 of the '),
        (Linear(10**20, 1), 100, r'cannot be priced: the utility of job "j0" is up to'),
    ],
    ids=["rounds", "table", "values"],
)
def test_an_audit_goes_on_without_a_utility_that_is_too_large(
    utility: Utility, tau: Fraction | int, reason: str
) -> None:
    jobs = trace([(0, [(0, 10**6)], 1), (0, [(10**6, 10**6 + 10)], 1)])
    found = audit(jobs, "GPU=1", utility=utility, round_seconds=tau)
    plain = audit(jobs, "GPU=1")
    assert (found.worth, found.avoidable) == (None, plain.avoidable)
    said = [line for line in more_lines(found) if line not in more_lines(plain)]
    assert re.match(f"The total utility is left out: rounds of .*{reason}", " ".join(said))
    assert "longer rounds (--round-seconds)" in " ".join(said)
    assert not re.search(r"solve_ilp|jobs\[|throughputs", " ".join(said))


def overheld(seed: int) -> Log:
    """Return a log that holds more than one GPU at times, on a cluster of one, as used."""
    draw = random.Random(seed)
    rows: list[Row] = []
    for submit in range(draw.randint(2, 6)):
        start = submit + draw.randint(0, 4)
        rows.append((submit, [(start, start + draw.randint(1, 9))], draw.randint(1, 2)))
    return without_wider(as_used(whole_log(trace(rows), Cluster.parse("GPU=1"))))


def shares(log: Log) -> Fraction:
    """Return the most that sharing each second could be worth, U = 20, 19, ... in rounds of 2 s.

    By a linear program of its own: jobs, rounds of completion, seconds.
    """
    jobs, tau = log.counted, 2
    end = max(job.submit for job in jobs) + sum(job.service for job in jobs) + 9
    free = Capacity.of(log.capacity["GPU"])
    names = [
        (j, f, t)
        for j, job in enumerate(jobs)
        for f in range(job.submit // tau, -(-end // tau))
        for t in range(job.submit, min(end, (f + 1) * tau))
    ]
    index = {name: i for i, name in enumerate(names)}
    done = {(j, f): len(names) + i for i, (j, f) in enumerate(dict.fromkeys(n[:2] for n in names))}
    size = len(names) + len(done)
    cost = np.zeros(size)
    rows, limits = [], []
    for (j, f), i in done.items():
        cost[i] = -max(0, 20 - (f - jobs[j].submit // tau))
        need = np.zeros(size)
        need[i] = jobs[j].service
        for (a, b, _), k in index.items():
            if (a, b) == (j, f):
                need[k] = -1
                at_once = np.zeros(size)
                at_once[k], at_once[i] = 1, -1
                rows.append(at_once)
                limits.append(0.0)
        rows.append(need)
        limits.append(0.0)
    for j in range(len(jobs)):
        rows.append(np.array([float(i in {k for (a, _), k in done.items() if a == j})
                              for i in range(size)]))  # fmt: skip
        limits.append(1.0)
    for t in range(end):
        held = np.zeros(size)
        for (j, _, at), k in index.items():
            if at == t:
                held[k] = jobs[j].gang
        rows.append(held)
        limits.append(float(free.work(t + 1) - free.work(t)))
    found = linprog(cost, A_ub=np.array(rows), b_ub=np.array(limits), bounds=(0, 1))
    return Fraction(-found.fun)


@pytest.mark.parametrize("seed", range(8))
def test_where_gpus_change_over_time_no_sharing_is_worth_more_than_the_bound(seed: int) -> None:
    log = overheld(seed)
    found = judged(log, Linear(20, 1), 2)
    assert max(found.recorded, *found.rules.values()) <= found.bound
    assert shares(log) <= found.bound + Fraction(1, 10**6)
    if found.instance is not None:
        assert found.certificate is not None
        checked = verify(found.instance, found.certificate).bound
        assert checked is not None
        assert checked + found.short - found.filled == found.bound


def test_gpus_that_are_there_for_a_while_bound_more_than_if_they_always_were() -> None:
    """A second GPU while the log held it; on two for good, both would be done at once."""
    rows: list[Row] = [(0, [(0, 100)], 1), (0, [(100, 200)], 1), (0, [(100, 110)], 1)]
    used = as_used(make_log(trace(rows), Cluster.parse("GPU=1")))
    found = judged(used, Linear(100, 1), 10, work=20_000)
    two = judged(make_log(trace(rows), Cluster.parse("GPU=2")), Linear(100, 1), 10, work=20_000)
    assert found.filled > 0 == two.filled
    assert found.recorded <= found.rules["shortest"] <= found.bound < two.bound


def test_an_audit_says_what_the_recorded_schedule_is_worth() -> None:
    jobs = trace([(0, [(0, 3000)], 1), (0, [(3000, 3400)], 1)])
    found = audit(jobs, "GPU=1", utility=Linear(20, 1), round_seconds=100)
    assert found.worth is not None
    assert found.worth.recorded < found.worth.rules["shortest"] <= found.worth.bound


def test_ctrl_c_in_the_bound_ends_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_short(monkeypatch, of_worth, "lagrangian_bound")
    with pytest.raises(KeyboardInterrupt):
        judged(drawn(0), Linear(20, 1), Fraction(5, 2))
