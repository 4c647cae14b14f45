"""What an audit assumes of the jobs of a log on types other than their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.auditing.log import Log, LoggedJob
from hadaropt.errors import InstanceError, TraceError, one_of, shown
from hadaropt.exact import Exact, to_fraction
from hadaropt.figures import counted
from hadaropt.traces.conversion import ModelDraw
from hadaropt.traces.throughputs import ThroughputTable

DRAWN = "drawn"


@dataclass(frozen=True)
class Assumed:
    """Speeds of the counted jobs of a log on every type of its cluster.

    Attributes
    ----------
    ratios : tuple of mapping of str to Fraction
        Of each counted job, f_jr = its speed on r / that on its recorded type; a type is absent
        where the job cannot run. Equal ones are one object.
    relative : mapping of str to Fraction, or None
        Speed of a GPU of each type, where that is the same for all jobs.
    models : mapping of str to int
        Jobs by model; empty without a table.
    text : str
        The assumption, to stand after "at".
    notes : tuple of str
        What else it rests on, in sentences.
    """

    ratios: tuple[Mapping[str, Fraction], ...]
    relative: Mapping[str, Fraction] | None
    models: Mapping[str, int]
    text: str
    notes: tuple[str, ...] = ()


def by_factors(log: Log, speeds: Mapping[str, Exact]) -> Assumed:
    """Return the assumption that every job gains alike from a faster type.

    Parameters
    ----------
    log : Log
    speeds : mapping of str to number
        Relative speed of a GPU of each type of the cluster, > 0.

    Raises
    ------
    InstanceError
        If a type has no speed, or one is not > 0, or the log does not give the types of its jobs.
    """
    _check_types(log, "relative_speeds")
    own = {kind: to_fraction(value, f"relative_speeds.{kind}") for kind, value in speeds.items()}
    for kind in log.pools:
        if kind not in own or own[kind] <= 0:
            rule = f"must be a number > 0 for every type ({', '.join(log.pools)})"
            raise InstanceError(f"relative_speeds.{kind}", rule, shown(speeds.get(kind)))
    there = {kind: own[kind] for kind, count in log.pools.items() if count}
    ratios = {pool: {kind: there[kind] / own[pool] for kind in there} for pool in log.pools}
    text = ", ".join(f"{kind} {float(speed):g}" for kind, speed in there.items())
    jobs = tuple(ratios[job.pool] for job in log.counted)
    return Assumed(jobs, there, {}, f"relative speeds {text}")


def by_table(
    log: Log,
    table: ThroughputTable,
    *,
    name: str = "the throughput table",
    model: str | None = None,
    seed: int = 0,
) -> Assumed:
    """Return the assumption that each job is as fast on every type as a table says of its model.

    A job that held its gang of W for p seconds on type r did X_r p iterations, X_r the speed of its
    model on W GPUs of r; on type s it needs p X_r / X_s seconds. Where W was not measured, the
    ratios are those of one GPU.

    Parameters
    ----------
    log : Log
    table : ThroughputTable
    name : str
        What the table is called in the sentence.
    model : str, optional
        Of the jobs that name none of the table: one of its models, or ``drawn``: for each job one
        that was measured at its gang size and runs on its type.
    seed : int
        Of what is drawn.

    Raises
    ------
    InstanceError
        If the log does not give the types of its jobs, a job ran on a type of which the table has
        no speed, its model is not in the table (and `model` is None), or that was measured neither
        at its gang size nor on one GPU.
    """
    _check_types(log, "throughputs")
    written = {kind.lower(): kind for kind in table.accelerators}
    kinds = {r: written[r.lower()] for r, n in log.pools.items() if n and r.lower() in written}
    maker = _Ratios(table, kinds, name)
    assign = _Assign(table, model, seed, maker)
    jobs, models = [], Counter[str]()
    for job in log.counted:
        if job.pool not in kinds:
            known = ", ".join(table.accelerators)
            rule = f"has speeds on {known}, and job {shown(job.name)} ran on {job.pool}"
            raise InstanceError("throughputs", f"{name} {rule}")
        own = assign.model(job)
        models[own] += 1
        jobs.append(maker.of(job, own))
    notes = [*assign.notes(), *maker.notes()]
    if idle := [kind for kind, count in log.pools.items() if count and kind not in kinds]:
        notes.append(f"{name} has no speeds on {', '.join(idle)}: there nobody runs.")
    text = f"the speeds that {name} gives their models ({assign.text()})"
    return Assumed(tuple(jobs), None, dict(sorted(models.items())), text, tuple(notes))


def _check_types(log: Log, place: str) -> None:
    if log.common:
        rule = (
            "needs a log that gives one GPU type for every job (--untyped drop leaves out others)"
        )
        raise InstanceError(place, rule)


class _Assign:
    """Gives each job its own model, or the one that is assumed."""

    def __init__(
        self, table: ThroughputTable, model: str | None, seed: int, maker: _Ratios
    ) -> None:
        known = table.models
        if model not in (None, DRAWN) and model not in known:
            assert model is not None
            raise InstanceError("model", one_of(model, (*known, DRAWN)), shown(model))
        self._known, self._model, self._seed, self._maker = set(known), model, seed, maker
        self._table = table
        self._draws: dict[str, ModelDraw] = {}
        self._assigned = Counter[bool]()
        self._foreign: dict[str, None] = {}

    def model(self, job: LoggedJob) -> str:
        if job.model in self._known:
            self._assigned[False] += 1
            assert job.model is not None
            return job.model
        if job.model is not None:
            self._foreign[job.model] = None
        if self._model is None:
            rule = (
                "names no model; name its column (--columns model=COLUMN), or assume one (--model)"
                if job.model is None
                else f"{one_of(job.model, sorted(self._known))}; or assume one (--model)"
            )
            own = None if job.model is None else shown(job.model)
            raise InstanceError(f"throughputs: model of job {shown(job.name)}", rule, own)
        self._assigned[True] += 1
        return self._model if self._model != DRAWN else self._draw(job)

    def _draw(self, job: LoggedJob) -> str:
        kind = self._maker.kinds[job.pool]
        draw = self._draws.setdefault(kind, ModelDraw(self._table, kind, self._seed))
        try:
            return draw.model(job.name, job.gang, f"job {shown(job.name)}")
        except TraceError as bad:
            raise InstanceError(bad.path, bad.rule, bad.value) from None

    def text(self) -> str:
        """Return where the models are from."""
        logged, assigned = self._assigned[False], self._assigned[True]
        if not assigned:
            return "as the log names them"
        given = (
            f"drawn at seed {self._seed}" if self._model == DRAWN else f"taken to be {self._model}"
        )
        if not logged:
            return f"none of which the log names: {given}"
        return f"{counted(logged, 'job')} as the log names them, {assigned:,} {given}"

    def notes(self) -> list[str]:
        """Return what is said of models that the table does not have."""
        few = ", ".join(list(self._foreign)[:3])
        more = len(self._foreign) - 3
        rest = f" and {more} more" if more > 0 else ""
        return [f"Models of the log that the table does not have: {few}{rest}."] if few else []


class _Ratios:
    """Makes f_jr of a model, a gang size and a recorded type, once each."""

    def __init__(self, table: ThroughputTable, kinds: Mapping[str, str], name: str) -> None:
        self.kinds = kinds
        self._table, self._name = table, name
        self._made: dict[tuple[str, int, str], Mapping[str, Fraction]] = {}
        self._guessed = Counter[int]()

    def of(self, job: LoggedJob, model: str) -> Mapping[str, Fraction]:
        gang = self._table.measured_gang(model, job.gang)
        if gang != job.gang:
            self._guessed[job.gang] += 1
        key = model, job.gang, job.pool
        if key not in self._made:
            self._made[key] = self._make(job, model, gang)
        return self._made[key]

    def _make(self, job: LoggedJob, model: str, gang: int | None) -> Mapping[str, Fraction]:
        place = f"throughputs: job {shown(job.name)}"
        if gang is None:
            measured = ", ".join(map(str, self._table.gang_sizes(model)))
            rule = f"{model} was not measured at its gang size nor on one GPU (at {measured})"
            raise InstanceError(place, rule, str(job.gang))
        speeds = self._table.throughput(model, gang)
        own = speeds.get(self.kinds[job.pool], Fraction(0))
        if not own:
            rule = f"ran on {job.pool}, where {self._name} says that {model} cannot run"
            raise InstanceError(f"{place}, of {job.gang} GPUs,", rule)
        found = {kind: speeds.get(named, Fraction(0)) / own for kind, named in self.kinds.items()}
        return {kind: ratio for kind, ratio in found.items() if ratio}

    def notes(self) -> list[str]:
        """Return what is said of gang sizes that were not measured."""
        if not self._guessed:
            return []
        gangs = ", ".join(map(str, sorted(self._guessed)[:8]))
        more = " and others" if len(self._guessed) > 8 else ""
        jobs = counted(sum(self._guessed.values()), "job")
        return [
            f"The gangs of {gangs}{more} GPUs ({jobs}) were not measured with their models: how "
            "much faster a type is was taken from one GPU."
        ]
