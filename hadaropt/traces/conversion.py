"""From a trace, which has only durations, to a workload, which has iterations and throughputs."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from hadaropt.errors import InstanceError, TraceError, shown
from hadaropt.instance import Cluster
from hadaropt.traces.throughputs import ThroughputTable, measured
from hadaropt.traces.trace import Trace, TraceJob
from hadaropt.workload import Workload, WorkloadJob

#: 5 nodes of 4 GPUs of each of the three measured types.
DEFAULT_CLUSTER = "V100=5x4,P100=5x4,K80=5x4"

#: Gang sizes that a warning names.
MOST_NAMED = 8

#: How the speeds of a type that nobody measured are given.
GIVE_SPEEDS = "give speeds by --throughputs FILE, or as multiples of a V100 by --relative-speeds"


def to_workload(
    trace: Trace,
    cluster: Cluster | None = None,
    *,
    model_seed: int = 0,
    reference: str | None = None,
    table: ThroughputTable | None = None,
) -> Workload:
    """Give every job of a trace a model, its throughputs, and a number of iterations.

    A job whose own model is in the table keeps it. Any other job draws one among the models
    measured at its gang size, or among all models with linear scaling (W_j times the speed on one
    GPU) where none was measured at that size; only models that run on the reference type are
    drawn. The draw is a SHA-256 of seed and job name, so it does not depend on the other jobs: a
    sample of a trace keeps the models of the whole. Iterations are those of the trace where the
    job's own model is in the table, else

        Q_j = max(1, floor(duration * X_j,reference)).

    Accelerator types are matched without regard to case and named as the cluster names them; a
    type of the cluster that the table does not have cannot run anything, so that its GPUs stay
    idle (:func:`idle_types` names them, :meth:`ThroughputTable.with_relative` gives them speeds).
    The trace's own `gpu_type` says where a job ran, not where it may run, and is not used.

    Parameters
    ----------
    trace : Trace
    cluster : Cluster, optional
        5 nodes x 4 GPUs of each of V100, P100 and K80 by default.
    model_seed : int
        Names one assignment of models; results on traces must state it.
    reference : str, optional
        The type on which the trace's durations are taken to have been measured: V100 if the table
        has it, else its first type (:attr:`ThroughputTable.reference`).
    table : ThroughputTable, optional
        The shipped one by default.

    Returns
    -------
    Workload
        Jobs in the order of the trace.

    Raises
    ------
    TraceError
        If the table lacks the reference type or every type of the cluster, a job has neither a
        duration nor a model of the table, or its model was measured neither at its gang size nor on
        one GPU.
    InstanceError
        If a job is larger than a workload can hold.
    """
    speeds = measured() if table is None else table
    target = Cluster.parse(DEFAULT_CLUSTER) if cluster is None else cluster
    written = {kind.lower(): kind for kind in speeds.accelerators}
    known = ", ".join(speeds.accelerators)
    base = speeds.reference_named(reference)
    names = {written[r.lower()]: r for r in target.accelerators if r.lower() in written}
    if not names:
        rule = f"must have a type of known speed ({known}); {GIVE_SPEEDS}"
        raise TraceError("cluster.accelerators", rule, ", ".join(target.accelerators))
    draw = ModelDraw(speeds, base, model_seed)
    jobs = []
    for j, job in enumerate(trace.jobs):
        iterations, by_type = draw.size_and_speeds(job, f"{trace.source} jobs[{j}]")
        own = {names[kind]: speed for kind, speed in by_type.items() if kind in names and speed}
        try:
            jobs.append(
                WorkloadJob(
                    name=job.name,
                    submit_seconds=job.submit_seconds,
                    gang_size=job.num_gpus,
                    iterations=iterations,
                    throughput=own,
                    weight=job.weight,
                )
            )
        except InstanceError as bad:
            raise bad.below(f"{trace.source} jobs[{j}]") from None
    return Workload(target, tuple(jobs), trace.source)


def idle_types(workload: Workload) -> tuple[str, ...]:
    """Return the types of the cluster that have GPUs and on which no job of the workload can run.

    Examples
    --------
    >>> cluster = Cluster.parse("V100=2x4,A100=2x4")
    >>> job = WorkloadJob("a", 0, 1, 10, {"V100": 1})
    >>> idle_types(Workload(cluster, (job,), "ours"))
    ('A100',)
    """
    if not workload.jobs:
        return ()
    used = {kind for job in workload.jobs for kind, speed in job.throughput.items() if speed}
    sizes = workload.cluster.gpus_by_type.items()
    return tuple(kind for kind, count in sizes if count and kind not in used)


def idle_warning(types: Iterable[str], hint: str = GIVE_SPEEDS) -> str:
    """Return what to say of types without speeds."""
    return f"no job has a speed on {', '.join(types)}, whose GPUs stay idle; {hint}"


def guessed_gangs(trace: Trace, table: ThroughputTable | None = None) -> tuple[int, ...]:
    """Return the gang sizes of a trace at which no speed is known, in order.

    There :func:`to_workload` takes W GPUs to be W times as fast as one.

    Of a model that the table has its own sizes count, else those at which any was measured.
    """
    speeds = measured() if table is None else table
    guessed = set()
    for job in trace.jobs:
        own = () if job.model is None else speeds.gang_sizes(job.model)
        if job.num_gpus not in own if own else not speeds.model_types(job.num_gpus):
            guessed.add(job.num_gpus)
    return tuple(sorted(guessed))


def guess_warning(gangs: Sequence[int]) -> str:
    """Return what to say of gang sizes without measured speeds."""
    few = ", ".join(map(str, gangs[:MOST_NAMED]))
    more = f" and {len(gangs) - MOST_NAMED} more sizes" if len(gangs) > MOST_NAMED else ""
    return (
        f"gangs of {few}{more} were not measured: W GPUs are taken to be W times as fast "
        "as one, which is too fast; measure them for --throughputs FILE"
    )


class ModelDraw:
    """Draws models of a table at a seed; only those that run on the reference type are drawn.

    Parameters
    ----------
    table : ThroughputTable
    reference : str
        A type of the table, as it writes it.
    seed : int
    """

    def __init__(self, table: ThroughputTable, reference: str, seed: int) -> None:
        self._table, self._reference, self._seed = table, reference, seed
        self._choices: dict[int, tuple[str, ...]] = {}

    def size_and_speeds(self, job: TraceJob, place: str) -> tuple[int, Mapping[str, Fraction]]:
        """Return the iterations of a job and the speed of its gang by type."""
        if job.model is not None and self._table.gang_sizes(job.model):
            speeds = self._speeds(job.model, job.num_gpus, place)
            if job.iterations is not None:
                return job.iterations, speeds
        elif job.duration_seconds is not None:
            model = self.model(job.name, job.num_gpus, place)
            speeds = self._speeds(model, job.num_gpus, place)
        else:
            rule = "is not in the throughput table, and the job has no duration"
            raise TraceError(f"{place}.model", rule, shown(job.model))
        assert job.duration_seconds is not None
        speed = speeds.get(self._reference, Fraction(0))
        return max(1, math.floor(job.duration_seconds * speed)), speeds

    def model(self, name: str, gang: int, place: str) -> str:
        """Return the model of the job of that name, among those measured at its gang size.

        Where none was, among those measured on one GPU.

        Raises
        ------
        TraceError
            If none runs on the reference type.
        """
        if gang not in self._choices:
            there = self._table.model_types(gang) or self._table.model_types(1)
            self._choices[gang] = tuple(
                model
                for model in there
                if self._speeds(model, gang, place).get(self._reference, Fraction(0)) > 0
            )
        choices = self._choices[gang]
        if not choices:
            rule = f"has no measured model that runs on {self._reference}"
            raise TraceError(f"{place}.num_gpus", rule, str(gang))
        digest = hashlib.sha256(f"{self._seed}/{name}".encode()).digest()
        return choices[int.from_bytes(digest, "big") % len(choices)]

    def _speeds(self, model: str, gang: int, place: str) -> Mapping[str, Fraction]:
        size = self._table.measured_gang(model, gang)
        if size is None:
            measured = ", ".join(map(str, self._table.gang_sizes(model)))
            rule = f"is no gang size of {shown(model)}, measured at {measured} and not on one GPU"
            raise TraceError(f"{place}.num_gpus", rule, str(gang))
        if size == gang:
            return self._table.throughput(model, gang)
        return self._table.linear(model, gang)
