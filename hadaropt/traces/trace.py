"""What a trace is: jobs with arrivals, gang sizes and durations, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from types import MappingProxyType
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TraceJob:
    """One job of a trace.

    Attributes
    ----------
    name : str
        The trace's own id, or ``job-000017`` (row in the file, from 0) where it has none.
    submit_seconds : Fraction
        Exact seconds since the first submit among the kept jobs, >= 0.
    num_gpus : int
        GPUs held while running, >= 1.
    duration_seconds : Fraction or None
        Exact running time, > 0; None only in formats that give iterations instead.
    gpu_type : str or None
        As written in the file (possibly a list of admissible types, ``V100M16|V100M32``).
    status : str
        As written; ``UNKNOWN`` where the format has none.
    model : str or None
        Model name as written, where the format has one.
    iterations : int or None
        Iterations as written, >= 1. They count steps of the trace's own `model`; only where that
        model is in a throughput table can they be turned into a running time.
    weight : Fraction
        Priority weight, > 0; 1 where the format has none.
    attempts : tuple of (start, end)
        When the job held its GPUs, on the clock of `submit_seconds`, in the order of the file;
        empty where the format does not say.
    nodes : tuple of (node, GPUs)
        The nodes that it held last and how many GPUs on each, where the format says.
    queue, user : str or None
        As written, where the format has them.
    """

    name: str
    submit_seconds: Fraction
    num_gpus: int
    duration_seconds: Fraction | None
    gpu_type: str | None = None
    status: str = "UNKNOWN"
    model: str | None = None
    iterations: int | None = None
    weight: Fraction = Fraction(1)
    attempts: tuple[tuple[Fraction, Fraction], ...] = ()
    nodes: tuple[tuple[str, int], ...] = ()
    queue: str | None = None
    user: str | None = None


@dataclass(frozen=True)
class Trace:
    """The kept jobs of one file, and an account of every row that was not kept.

    ``rows == len(jobs) + sum(dropped.values())`` always holds: a dropped row is counted once,
    under the first reason that applies. Some of them are no job of their own but are part of a kept
    one, such as the runs of a requeued job: `parts` says of which.

    Attributes
    ----------
    format : str
        Name of the format, a key of :func:`hadaropt.traces.format_names`.
    source : str
        Name of the file.
    jobs : tuple of TraceJob
        Ascending in `submit_seconds`; ties in file order.
    dropped : mapping of str to int
        Reason to number of rows.
    rows : int
        Records in the file (header and blank lines are not records).
    conventions : tuple of str
        How this format is read: units, clock, retries, fractional GPUs.
    origin_seconds : Fraction
        The first submit on the trace's own clock, so that nothing of it is lost.
    calendar : str or None
        The wall clock of `origin_seconds` (which then counts seconds since 1970-01-01 00:00 on
        that clock), or None where the trace only has time since its own start.
    parts : mapping of str to tuple of str
        Reason to the names of the jobs that its rows are part of, one for each such row.
    """

    format: str
    source: str
    jobs: tuple[TraceJob, ...]
    dropped: Mapping[str, int]
    rows: int
    conventions: tuple[str, ...] = ()
    origin_seconds: Fraction = Fraction(0)
    calendar: str | None = None
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Freeze the counts and check that every row is accounted for."""
        for name in ("dropped", "parts"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        kept, lost = len(self.jobs), sum(self.dropped.values())
        if kept + lost != self.rows:
            raise ValueError(f"rows = {self.rows}, must be {kept} kept + {lost} dropped")
        for reason, names in self.parts.items():
            most = self.dropped.get(reason, 0)
            if len(names) > most:
                raise ValueError(f"parts[{reason!r}] has {len(names)} rows, must have <= {most}")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with plain dicts, because a mapping proxy cannot be pickled."""
        values = {own.name: getattr(self, own.name) for own in fields(self)}
        plain = {"dropped": dict(self.dropped), "parts": dict(self.parts)}
        return Trace, tuple((values | plain).values())

    @property
    def merged(self) -> dict[str, int]:
        """Dropped rows that are part of a kept job, by reason."""
        return merged_rows(self.parts, self.jobs)

    @property
    def lost(self) -> dict[str, int]:
        """Dropped rows that are part of no kept job, by reason."""
        return dict(Counter(self.dropped) - Counter(self.merged))


def one_type(kind: str | None) -> bool:
    """Whether a GPU type as written is one, and not missing or a list of admissible ones."""
    return kind is not None and "|" not in kind


class Named(Protocol):
    """A job of any kind that has a name."""

    @property
    def name(self) -> str: ...  # noqa: D102


def merged_rows(parts: Mapping[str, tuple[str, ...]], jobs: Iterable[Named]) -> dict[str, int]:
    """Return how many rows of each reason are part of one of the jobs.

    Examples
    --------
    >>> merged_rows({"job step": ("a", "a", "b")}, [TraceJob("a", Fraction(0), 1, None)])
    {'job step': 2}
    """
    if not parts:
        return {}
    kept = {job.name for job in jobs}
    counts = {reason: sum(name in kept for name in names) for reason, names in parts.items()}
    return {reason: count for reason, count in counts.items() if count}
