"""The time axis of all plans, flattened: one entry per job and round, one per completion round.

All forms of the compact program (`hadaropt.offline.compact.hall`, its divisible form, and
`hadaropt.offline.compact.node`) share these variables and rows (j: job, t: round, f: completion
round):

- ``progress_j_t`` in 0 .. need: cumulated progress that counts, in units;
- ``done_j_f`` in {0, 1}: the job has completed by round f; it earns U(f) - U(f+1) if so;
- ``advance_j_t``: progress_t - progress_{t-1} - units made in t <= 0;
- ``complete_j_f``: need * done_f - progress_f <= 0;
- ``monotone_j_f``: done_{f-1} - done_f <= 0;
- ``active_j_t``: ways used in t + done_{t-1} - done_last <= 0 (runs only before it completes);
- ``once_j``: done_last <= 1, whose price is the payoff of the job.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hadaropt.mip.model import Entries, Floats, Ints, spans
from hadaropt.modes.plans import JobPlan


@dataclass(frozen=True)
class Windows:
    """Flat arrays over plans (p), their rounds (k) and their completion rounds (q).

    Attributes
    ----------
    job, gang, need, release, first, last : ndarray, shape (plans,)
    plan_of, round_of : ndarray, shape (K,)
        Plan and round of each pair k; the rounds are release .. last.
    starts : ndarray, shape (plans,)
        First pair of each plan.
    done_plan, done_round, done_pair : ndarray, shape (Q,)
        Plan, round and pair of each completion round; the rounds are first .. last.
    done_starts : ndarray, shape (plans,)
    done_cost : ndarray, shape (Q,)
        U(f) - U(f + 1), with 0 after the last.
    """

    job: Ints
    gang: Ints
    need: Ints
    release: Ints
    first: Ints
    last: Ints
    plan_of: Ints
    round_of: Ints
    starts: Ints
    done_plan: Ints
    done_round: Ints
    done_pair: Ints
    done_starts: Ints
    done_cost: Floats

    @classmethod
    def of(cls, plans: Sequence[JobPlan]) -> Windows:
        """Return the flat arrays of the plans."""
        fields = [(p.job, p.gang_size, p.need, p.release, p.first, p.last) for p in plans]
        table = np.array(fields, np.int64).reshape(-1, 6).T
        job, gang, need, release, first, last = (np.ascontiguousarray(column) for column in table)
        rounds = last - release + 1
        plan_of, position = spans(rounds)
        starts = np.cumsum(rounds) - rounds
        paid = last - first + 1
        done_plan, done_position = spans(paid)
        done_round = first[done_plan] + done_position
        # The quotient of integers is float(value), correctly rounded, in half the time.
        values = np.array([u.numerator / u.denominator for p in plans for u in p.values])
        following = np.append(values[1:], 0.0)[: len(values)]
        following[np.cumsum(paid) - 1] = 0.0
        return cls(
            job,
            gang,
            need,
            release,
            first,
            last,
            plan_of,
            release[plan_of] + position,
            starts,
            done_plan,
            done_round,
            starts[done_plan] + done_round - release[done_plan],
            np.cumsum(paid) - paid,
            values - following,
        )

    @property
    def pairs(self) -> int:
        """K: number of (plan, round) pairs."""
        return len(self.plan_of)

    @property
    def dones(self) -> int:
        """Q: number of (plan, completion round) pairs."""
        return len(self.done_plan)

    @property
    def row_counts(self) -> tuple[int, int, int, int, int]:
        """Rows advance, complete, monotone, active and once, in this order."""
        return self.pairs, self.dones, self.dones - len(self.job), self.pairs, len(self.job)

    def add_rows(self, entries: Entries, progress: int, done: int) -> tuple[int, int]:
        """Add the common rows, with ``progress`` and ``done`` the first columns of the two.

        The rows start at 0. Returns the first ``advance`` and the first ``active`` row, where the
        caller adds what runs: -units and +1.
        """
        advance = 0
        complete = advance + self.pairs
        monotone = complete + self.dones
        active = monotone + self.dones - len(self.job)
        once = active + self.pairs
        pair = np.arange(self.pairs)
        later = np.delete(pair, self.starts)
        entries.add(advance + pair, progress + pair, 1)
        entries.add(advance + later, progress + later - 1, -1)
        q = np.arange(self.dones)
        entries.add(complete + q, done + q, self.need[self.done_plan])
        entries.add(complete + q, progress + self.done_pair, -1)
        behind = np.delete(q, self.done_starts)
        row = monotone + np.arange(len(behind))
        entries.add(row, done + behind - 1, 1)
        entries.add(row, done + behind, -1)
        final = self.done_starts + self.last - self.first
        before_last = np.delete(q, final)
        entries.add(active + self.done_pair[before_last] + 1, done + before_last, 1)
        entries.add(active + pair, done + final[self.plan_of], -1)
        entries.add(once + np.arange(len(self.job)), done + final, 1)
        return advance, active

    def row_limits(self) -> Floats:
        """Upper limits of the common rows: 0, and 1 for ``once``."""
        counts = self.row_counts
        return np.repeat([0.0, 0.0, 0.0, 0.0, 1.0], counts)

    def row_names(self) -> list[str]:
        """Names of the common rows."""
        job = self.job
        pairs = [f"{job[p]}_{t}" for p, t in zip(self.plan_of, self.round_of, strict=True)]
        dones = [f"{job[p]}_{f}" for p, f in zip(self.done_plan, self.done_round, strict=True)]
        later = np.delete(np.arange(self.dones), self.done_starts)
        return [
            *(f"advance_{name}" for name in pairs),
            *(f"complete_{name}" for name in dones),
            *(f"monotone_{dones[q]}" for q in later),
            *(f"active_{name}" for name in pairs),
            *(f"once_{j}" for j in job),
        ]

    def column_names(self) -> list[str]:
        """Names of the ``progress`` columns, then of the ``done`` columns."""
        job = self.job
        return [
            *(f"progress_{job[p]}_{t}" for p, t in zip(self.plan_of, self.round_of, strict=True)),
            *(f"done_{job[p]}_{f}" for p, f in zip(self.done_plan, self.done_round, strict=True)),
        ]
