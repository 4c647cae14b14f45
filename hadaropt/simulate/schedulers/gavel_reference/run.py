"""A trace under the reference, with recorded allocations or with allocations of our own."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from hadaropt.errors import InstanceError, shown
from hadaropt.simulate.schedulers.gavel_reference.fifo import ReferenceFifo
from hadaropt.simulate.schedulers.gavel_reference.inputs import TYPES, read_jobs
from hadaropt.simulate.schedulers.gavel_reference.mechanism import Mechanism, Policy, Shares, View
from hadaropt.simulate.schedulers.gavel_reference.replay import Replay
from hadaropt.simulate.schedulers.gavel_reference.result import ReferenceRun
from hadaropt.simulate.shares.policy import Candidate, SharePolicy

FIFO = "fifo"


def simulate_gavel_reference(
    trace: str | PathLike[str],
    throughputs: str | PathLike[str],
    counts: Mapping[str, int],
    policy: str,
    *,
    round_seconds: float = 360.0,
    seed: int = 0,
    replay: str | PathLike[str] | None = None,
) -> ReferenceRun:
    """Simulate a trace as Gavel's public simulator does.

    Parameters
    ----------
    trace : path
        Gavel trace in the reduced csv form.
    throughputs : path
        Measured throughputs, one measurement per row.
    counts : mapping of str to int
        GPUs of each type; the types are v100, p100 and k80 (matched without regard to case).
    policy : str
        Name of the policy, such as ``max_min_fairness_perf``; ``fifo`` or one of `POLICIES`, unless
        its allocations are replayed.
    round_seconds : float
        Length of a round, > 0.
    seed : int
        Seed of the run; the order of types is shuffled with seed + 5.
    replay : path
        Recorded allocations (see `Replay`). Without them the policy is solved by HiGHS: the same
        objective, but another optimal point, which moves average JCTs by several per cent.

    Raises
    ------
    InstanceError
        If the cluster has other types, or a parameter is out of range.
    TraceError
        If a file cannot be read as what it is said to be, or records another run.
    """
    own = _counts(counts)
    if not policy:
        raise InstanceError("policy", "must be named", shown(policy))
    if not 0 < round_seconds < float("inf"):
        raise InstanceError("round_seconds", "must be finite and > 0", str(round_seconds))
    jobs = read_jobs(trace, throughputs, tuple(kind for kind in TYPES if own.get(kind)))
    answer = _policy(policy, seed) if replay is None else Replay(replay)
    run = Mechanism(jobs, own, answer, policy, round_seconds, seed)
    run.run()
    return ReferenceRun.of(run)


def _policy(name: str, seed: int) -> Policy:
    return ReferenceFifo(seed) if name == FIFO else _Solved(name)


class _Solved:
    """A policy that is solved anew."""

    def __init__(self, name: str) -> None:
        self._policy = SharePolicy(name, as_reference=True)

    def __call__(self, view: View) -> Shares:
        kinds = list(view.counts)
        jobs = [
            Candidate(
                key,
                job.scale_factor,
                [job.throughput[kind] for kind in kinds],
                job.weight,
                view.remaining[key],
                view.now - job.arrival,
            )
            for key, job in view.jobs.items()
        ]
        found = self._policy.shares(jobs, list(view.counts.values()))
        return {key: dict(zip(kinds, map(float, row), strict=True)) for key, row in found.items()}


def _counts(counts: Mapping[str, int]) -> dict[str, int]:
    own = {}
    for kind, count in counts.items():
        if kind.lower() not in TYPES:
            rule = f"is no type of the reference (known: {', '.join(TYPES)})"
            raise InstanceError(f"cluster.{kind}", rule)
        if kind.lower() in own:
            raise InstanceError(f"cluster.{kind}", "stands twice")
        if count < 0:
            raise InstanceError(f"cluster.{kind}", "must be >= 0", shown(count))
        own[kind.lower()] = count
    if not any(own.values()):
        raise InstanceError("cluster", "must have a GPU")
    return own
