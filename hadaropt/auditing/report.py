"""The door: audit a log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path

from hadaropt.auditing.any_type import AnyType, any_type
from hadaropt.auditing.assumed import Assumed, by_factors, by_table
from hadaropt.auditing.bounds import GANG_BITS
from hadaropt.auditing.changed import changed_log
from hadaropt.auditing.fit import Misfit, as_used, misfits
from hadaropt.auditing.floor import PoolFloor, Replayed, floors, replays
from hadaropt.auditing.log import Log, LoggedJob, whole_log, without_wider
from hadaropt.auditing.replay import Asked
from hadaropt.auditing.rounds import in_rounds
from hadaropt.auditing.waiting import Measures, by_group, idle_while_waiting, measures
from hadaropt.auditing.whatif import WhatIf, parse_change, what_if
from hadaropt.auditing.worth import Worth, worth
from hadaropt.errors import InstanceError, LimitError, check_path, shown
from hadaropt.exact import Exact, to_fraction
from hadaropt.instance import Cluster
from hadaropt.traces.registry import read_trace
from hadaropt.traces.throughputs import ThroughputTable, measured, read_throughputs
from hadaropt.traces.trace import Trace
from hadaropt.utility import Utility

MEASURED = "measured"
"""Names the table of throughputs that comes with the package."""


@dataclass(frozen=True)
class Audit:
    """What an audit finds; times in ticks of the log, on its clock from the first submit.

    Attributes
    ----------
    log : Log
    misfits : tuple of Misfit
        Where the recorded schedule does not fit the cluster; empty: it fits, or there is none.
    recorded : Measures or None
        Of the recorded schedule, on the jobs that count.
    by_queue, by_type, by_gang : mapping to Measures
        The same by group; empty without a recorded schedule.
    idle : Fraction or None
        GPU-seconds that stood idle while somebody waited who would have fitted.
    floor : mapping of str to PoolFloor
        Bounds by pool.
    service : int
        Sum of submit + service over the jobs that count.
    schedulers : mapping of str to Measures
        What else can run the same jobs reaches: rules in continuous time on pooled GPUs, and
        schedulers in rounds (``NAME in rounds``) on the nodes.
    replayed : tuple of Replayed
    incomplete : tuple of str
        Schedulers that did not complete every job.
    changes : tuple of WhatIf
    any_type : AnyType or None
        Bounds under another assumption: any type, at assumed speeds.
    worth : Worth or None
        Total utility, where one is given and the recorded schedule fits.
    worth_left_out : str or None
        Why a total utility that was asked for is too large to be bounded.
    """

    log: Log
    misfits: tuple[Misfit, ...]
    recorded: Measures | None
    by_queue: Mapping[str | int, Measures]
    by_type: Mapping[str | int, Measures]
    by_gang: Mapping[str | int, Measures]
    idle: Fraction | None
    floor: Mapping[str, PoolFloor]
    service: int
    schedulers: Mapping[str, Measures]
    replayed: tuple[Replayed, ...]
    incomplete: tuple[str, ...]
    changes: tuple[WhatIf, ...]
    any_type: AnyType | None = None
    worth: Worth | None = None
    worth_left_out: str | None = None

    @property
    def jobs(self) -> int:
        """How many jobs count."""
        return len(self.log.counted)

    @property
    def least_waiting(self) -> Fraction:
        """Ticks that any schedule makes the jobs wait, all together."""
        total = sum((own.completions for own in self.floor.values()), Fraction(0))
        return max(Fraction(0), total - self.service)

    @property
    def least_waiting_in_one_piece(self) -> Fraction:
        """The same of schedules without preemption."""
        total = sum((own.in_one_piece for own in self.floor.values()), Fraction(0))
        return max(Fraction(0), total - self.service)

    @property
    def least_jct(self) -> Fraction:
        """Seconds that no mean JCT is below."""
        submits = sum(job.submit for job in self.log.counted)
        total = max(
            sum((own.completions for own in self.floor.values()), Fraction(0)),
            Fraction(self.service),
        )
        return self.log.seconds((total - submits) / self.jobs)

    @property
    def least_last(self) -> Fraction:
        """Seconds after the first submit before which no schedule completes the last job."""
        return self.log.seconds(max(own.last for own in self.floor.values()))

    @property
    def in_one_piece(self) -> bool:
        """Whether every counted job of the log ran in one piece."""
        return self.log.recorded and all(len(job.attempts) == 1 for job in self.log.counted)

    @property
    def best(self) -> tuple[str, Measures]:
        """The scheduler of this package that makes the jobs wait least, and its measures."""
        return min(self.schedulers.items(), key=lambda item: item[1].waiting)

    @property
    def avoidable(self) -> tuple[Fraction, Fraction] | None:
        """Shares of the recorded waiting: what a scheduler here avoids, and what none exceeds.

        None where there is no recorded schedule, it does not fit, or nobody waited.
        """
        if self.recorded is None or self.misfits or self.recorded.waiting == 0:
            return None
        waited = self.recorded.waiting
        reached = Fraction(max(0, waited - self.best[1].waiting), waited)
        return reached, (waited - self.least_waiting) / waited

    @property
    def avoidable_in_one_piece(self) -> Fraction | None:
        """Share that no schedule without preemption exceeds; None also if the log's has some."""
        if self.avoidable is None or self.recorded is None or not self.in_one_piece:
            return None
        return 1 - self.least_waiting_in_one_piece / self.recorded.waiting


def audit(
    source: str | PathLike[str] | Trace,
    cluster: Cluster | str | None = None,
    *,
    nodes: str | PathLike[str] | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    zone: str | None = None,
    used: bool = False,
    everyone: bool = False,
    typed: bool = False,
    schedulers: Sequence[str] = (),
    round_seconds: Exact = 360,
    changes: Sequence[str] = (),
    relative_speeds: Mapping[str, Exact] | None = None,
    throughputs: ThroughputTable | str | PathLike[str] | None = None,
    model: str | None = None,
    model_seed: int = 0,
    utility: Utility | None = None,
    callback: Callable[[str], None] | None = None,
) -> Audit:
    """Say what the waiting in a log was, and how much of it no schedule could have avoided.

    Parameters
    ----------
    source : path or Trace
    cluster : Cluster or str, optional
        The cluster that ran it (``"V100=4x8"``); inferred if neither it nor ``nodes`` is given.
    nodes : path, optional
        A node list of openb, Philly or PAI.
    format, columns, zone
        As for `hadaropt.traces.read_trace`.
    used : bool
        While more GPUs of a pool are held than it has, it has as many as are held (the nodes then
        count for nothing), so that a record that does not fit gets its bounds. Rules here leave
        gangs wider than the pool where they were recorded.
    everyone : bool
        Count jobs that failed, were cancelled or cut too.
    typed : bool
        Leave out jobs that do not have one GPU type: one of them makes all GPUs one pool.
    schedulers : sequence of str
        Round schedulers that run the jobs too, such as ``hadar`` and ``srtf``.
    round_seconds : number
        Their rounds, and those of the utility.
    changes : sequence of str
        ``add=TYPE:NODESxGPUS``, ``drop=TYPE:NODESxGPUS``, ``load=FACTOR`` or ``gangs=MOST``,
        each by itself; the schedulers run after each too, and assumed speeds bound it too.
    relative_speeds : mapping of str to number, optional
        Of a GPU of each type: bounds mean JCT and last completion also for schedules that may run
        a job on other types than its own.
    throughputs : ThroughputTable or path, optional
        The same, at the speeds that a table gives the model of each job (``"measured"``: the one
        that comes with the package).
    model : str, optional
        Of the jobs that name none of the table, as for `hadaropt.auditing.assumed.by_table`.
    model_seed : int
        Of models that are ``drawn``.
    utility : Utility, optional
        Of every job: total utility too, with a certified bound (see `hadaropt.auditing.worth`).
        Where that is too large, it is left out and ``worth_left_out`` says why.
    callback : callable, optional
        Called with what runs next, before each run of a round scheduler.

    Raises
    ------
    TraceError
        If the log cannot be read, or holds no job that can be audited.
    InstanceError
        If the cluster, a change or what is assumed of speeds is malformed.
    LimitError
        If a job holds more GPUs than can be bounded; it is named.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from hadaropt.traces import Trace, TraceJob
    >>> runs = {"long": (0, 300), "short": (300, 400)}
    >>> jobs = [TraceJob(name, Fraction(0), 1, Fraction(e - s), attempts=((Fraction(s),
    ...         Fraction(e)),)) for name, (s, e) in runs.items()]
    >>> found = audit(Trace("normalised", "ours", tuple(jobs), {}, 2), "V100=1")
    >>> found.avoidable  # short first: 100 s of waiting and not 300
    (Fraction(2, 3), Fraction(2, 3))
    """
    if not isinstance(source, Trace):
        check_path("source", source)
    if nodes is not None:
        check_path("nodes", nodes)
    trace = source if isinstance(source, Trace) else read_trace(
        source, format=format, columns=columns, zone=zone
    )  # fmt: skip
    own = Cluster.parse(cluster) if isinstance(cluster, str) else cluster
    if nodes is not None:
        from hadaropt.auditing.nodes import read_nodes

        own = read_nodes(Path(nodes))
    log = whole_log(trace, own, from_node_list=nodes is not None, everyone=everyone, typed=typed)
    if used:
        log = as_used(log)
    log = without_wider(log)
    _check_gangs(log)
    if throughputs is not None and relative_speeds is not None:
        raise InstanceError("throughputs", "cannot be given beside relative_speeds")
    if throughputs is None and model is not None:
        raise InstanceError("model", "is for throughputs, which are not given")
    table = None if throughputs is None else _table(throughputs)
    told_of = tuple(relative_speeds or ()) if table is None else table[0].accelerators
    parsed = [
        parse_change(
            text,
            log.pools,
            log.types,
            over_time=bool(log.over_time),
            elsewhere=() if log.common else told_of,
        )
        for text in changes
    ]
    after = [changed_log(log, change, nodes=bool(schedulers)) for change in parsed]
    counted = log.counted
    asked: list[tuple[str, Asked]] = [
        (job.pool, (job.submit, job.service, job.gang)) for job in counted
    ]
    done = replays(asked, log.capacity, kept=log.wider)
    floor = floors(asked, log.capacity, log.ticks, done)
    reached: dict[str, Measures] = {run.rule: measures(counted, run.completions) for run in done}
    tau = to_fraction(round_seconds, "round_seconds")

    def assume(log: Log) -> Assumed | None:
        if table is not None:
            return by_table(log, table[0], name=table[1], model=model, seed=model_seed)
        return None if relative_speeds is None else by_factors(log, relative_speeds)

    told = callback or _quiet
    ran, incomplete = _all_in_rounds(log, schedulers, tau, told)
    reached |= {name: measures(counted, ends) for name, ends in ran.items()}
    other = None
    if (assumed := assume(log)) is not None:
        other = _any_type(log, assumed, schedulers, tau, done, told)
    own_misfits = tuple(misfits(log))
    valued, left_out = None, None
    if utility is not None and not own_misfits:
        try:
            valued = worth(log, utility, tau, done)
        except LimitError as bad:
            left_out = str(bad)
    recorded = None
    queues, kinds, gangs = (dict[str | int, Measures]() for _ in range(3))
    if log.recorded:
        ends = [job.completion for job in counted]
        recorded = measures(counted, ends)
        queues, kinds, gangs = (by_group(counted, ends, own) for own in (_queue, _kind, _gang))
    return Audit(
        log,
        own_misfits,
        recorded,
        queues,
        kinds,
        gangs,
        idle_while_waiting(log) if log.recorded else None,
        floor,
        sum(job.submit + job.service for job in counted),
        reached,
        tuple(done),
        incomplete,
        tuple(
            _changed(
                what_if(log, asked, change, floor),
                later,
                schedulers,
                tau,
                assume,
                table is not None,
                told,
            )
            for change, later in zip(parsed, after, strict=True)
        ),
        other,
        valued,
        left_out,
    )


def _table(
    throughputs: ThroughputTable | str | PathLike[str],
) -> tuple[ThroughputTable, str]:
    """Return the table of throughputs and what it is called in sentences."""
    if isinstance(throughputs, ThroughputTable):
        return throughputs, "the throughput table"
    if throughputs == MEASURED:
        return measured(), "the measured table"
    return read_throughputs(throughputs), f"the table {Path(throughputs).name}"


def _all_in_rounds(
    log: Log,
    schedulers: Sequence[str],
    tau: Fraction,
    told: Callable[[str], None],
    ratios: Sequence[Mapping[str, Fraction]] | None = None,
) -> tuple[dict[str, Sequence[int]], tuple[str, ...]]:
    """Return the completions that schedulers reach, and those that do not complete every job."""
    reached: dict[str, Sequence[int]] = {}
    incomplete = []
    for name in schedulers:
        told(name)
        ends = in_rounds(log, log.counted, name, tau, ratios).completions
        if ends is None:
            incomplete.append(name)
        else:
            reached[f"{name} in rounds"] = ends
    return reached, tuple(incomplete)


def _any_type(
    log: Log,
    assumed: Assumed,
    schedulers: Sequence[str],
    tau: Fraction,
    done: Sequence[Replayed],
    told: Callable[[str], None],
) -> AnyType:
    """Return the bounds at assumed speeds, and what the schedulers reach there."""
    jobs = log.counted
    submits = sum(job.submit for job in jobs)
    ran, incomplete = _all_in_rounds(
        log, schedulers, tau, lambda name: told(f"{name} on any type"), assumed.ratios
    )
    reached = {
        name: (log.seconds(Fraction(sum(ends) - submits, len(jobs))), log.seconds(max(ends)))
        for name, ends in ran.items()
    }
    best = min(map(sum, (*(run.completions for run in done), *ran.values())))
    return replace(any_type(log, assumed, best), reached=reached, incomplete=incomplete)


def _changed(
    found: WhatIf,
    log: Log,
    schedulers: Sequence[str],
    tau: Fraction,
    assume: Callable[[Log], Assumed | None],
    by_models: bool,
    told: Callable[[str], None],
) -> WhatIf:
    """Return a change with what the schedulers reach after it, and with the assumed speeds."""

    def tell(text: str) -> None:
        told(f"{found.change.text}: {text}")

    ran, incomplete = _all_in_rounds(log, schedulers, tau, tell)
    reached = {name: sum(ends) for name, ends in ran.items()}
    found = replace(found, reached=reached, incomplete=incomplete)
    if found.change.gangs is not None and by_models:
        why = (
            "a table gives speeds of models at their recorded gangs, which gangs= changes; "
            "relative speeds of the types are answered"
        )
        return replace(found, any_type_left_out=why)
    if (assumed := assume(log)) is None:
        return found
    other = _any_type(log, assumed, schedulers, tau, [found.best], tell)
    return replace(found, any_type=other)


def _quiet(text: str) -> None:
    """Tell nobody."""


def _check_gangs(log: Log) -> None:
    for job in log.counted:
        if job.gang >= 1 << GANG_BITS:
            raise LimitError(
                f"{log.source}: job {shown(job.name)} holds {job.gang} GPUs, must be < "
                f"2**{GANG_BITS} to be bounded"
            )


def _queue(job: LoggedJob) -> str | None:
    return job.queue


def _kind(job: LoggedJob) -> str | None:
    return job.kind


def _gang(job: LoggedJob) -> int:
    return job.gang
