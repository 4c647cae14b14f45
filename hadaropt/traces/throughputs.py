"""Measured training throughputs: 26 model and batch types on V100, P100 and K80.

The figures shipped here are the consolidated measurements (all workers of the gang on one node)
of the Gavel artifact, stanford-futuredata/gavel (MIT, (c) 2020 Stanford Future Data Systems),
rounded half-even to 4 significant digits; 0 means that the model cannot run there. Unit:
iterations per second of the whole gang.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from types import MappingProxyType

from hadaropt.errors import InstanceError, TraceError, shown
from hadaropt.exact import Exact, to_fraction, to_text
from hadaropt.traces.table import Row, parse_table, read_text

#: Columns of a full throughput file, one measurement per row.
LONG_COLUMNS = ("job_type", "scale_factor", "worker_type", "consolidated", "steps_per_s")


class ThroughputTable:
    """Measured speed by model, gang size and accelerator type.

    Parameters
    ----------
    measurements : iterable of (model, gang_size, accelerator type, iterations per second)
        A type without measurement is absent from :meth:`throughput`, which an instance reads
        as 0: cannot run there.

    Raises
    ------
    TraceError
        If a measurement is negative or stands twice.
    """

    def __init__(self, measurements: Iterable[tuple[str, int, str, Fraction]]) -> None:
        table: dict[tuple[str, int], dict[str, Fraction]] = {}
        types: dict[str, None] = {}
        for model, gang, kind, speed in measurements:
            where = f"throughput of {shown(model)}, gang size {gang}, on {kind}"
            cell = table.setdefault((model, gang), {})
            if gang < 1 or speed < 0:
                raise TraceError(where, "must be >= 0 for a gang size >= 1", str(speed))
            if kind in cell:
                raise TraceError(where, "stands twice")
            cell[kind] = speed
            types[kind] = None
        self._table = {key: MappingProxyType(cell) for key, cell in table.items()}
        self.accelerators = tuple(types)

    @property
    def reference(self) -> str:
        """The type on which durations were measured unless told: V100, or else the first type.

        Raises
        ------
        TraceError
            If the table is empty.
        """
        if not self.accelerators:
            raise TraceError("throughputs", "must hold a measurement")
        return next((r for r in self.accelerators if r.lower() == "v100"), self.accelerators[0])

    @property
    def models(self) -> tuple[str, ...]:
        """All models, sorted by name."""
        return tuple(sorted({model for model, _ in self._table}))

    def model_types(self, gang_size: int) -> tuple[str, ...]:
        """Return the models measured at `gang_size`, sorted by name; empty if there is none."""
        return tuple(sorted(model for model, gang in self._table if gang == gang_size))

    def gang_sizes(self, model: str) -> tuple[int, ...]:
        """Return the gang sizes at which `model` was measured, ascending."""
        return tuple(sorted(gang for name, gang in self._table if name == model))

    def measured_gang(self, model: str, gang_size: int) -> int | None:
        """Return the gang size whose speeds stand for `gang_size`: itself if it was measured.

        Else one GPU; None if the model was not measured there either.
        """
        return next((g for g in (gang_size, 1) if (model, g) in self._table), None)

    def throughput(self, model: str, gang_size: int) -> Mapping[str, Fraction]:
        """Return iterations per second of the whole gang, by accelerator type.

        Raises
        ------
        KeyError
            If the model was not measured at that gang size.
        """
        try:
            return self._table[model, gang_size]
        except KeyError:
            sizes = self.gang_sizes(model)
            raise KeyError(
                f"no throughput of {model!r} at gang size {gang_size}; measured at {list(sizes)}"
            ) from None

    def linear(self, model: str, gang_size: int) -> dict[str, Fraction]:
        """Return `gang_size` times the speed measured on one GPU: linear scaling.

        Raises
        ------
        KeyError
            If the model was not measured on one GPU.
        """
        single = self.throughput(model, 1)
        return {kind: gang_size * speed for kind, speed in single.items()}

    def reference_named(self, name: str | None) -> str:
        """Return the type of that name as the table writes it, :attr:`reference` if None.

        Raises
        ------
        TraceError
            If it was not measured.
        """
        if name is None:
            return self.reference
        for kind in self.accelerators:
            if kind.lower() == name.lower():
                return kind
        known = ", ".join(self.accelerators)
        raise TraceError("reference", f"must be a measured type ({known})", shown(name))

    def with_relative(
        self, speeds: Mapping[str, Exact], *, reference: str | None = None
    ) -> ThroughputTable:
        """Return the table in which types run at multiples of the speed of a measured type.

        Every model runs on type r at `speeds[r]` times its speed on `reference`, whatever was
        measured on r; a model that does not run on the reference does not run on r.

        Parameters
        ----------
        speeds : mapping of type to number
            Each > 0.
        reference : str, optional
            A type of the table, matched without regard to case; :attr:`reference` if absent.

        Raises
        ------
        TraceError
            If a factor is not a number > 0, a type stands twice, or the reference was not measured.

        Examples
        --------
        >>> faster = measured().with_relative({"A100": "5/2"})
        >>> faster.throughput("A3C", 1)["A100"] / throughput("A3C", 1)["V100"]
        Fraction(5, 2)
        """
        written = {kind.lower(): kind for kind in self.accelerators}
        base = self.reference_named(reference)
        factors: dict[str, tuple[str, Fraction]] = {}
        for kind, value in speeds.items():
            try:
                factor = to_fraction(value, f"relative_speeds[{kind}]")
            except InstanceError as bad:
                raise TraceError(bad.path, bad.rule, bad.value) from None
            if factor <= 0:
                raise TraceError(f"relative_speeds[{kind}]", "must be > 0", to_text(factor))
            if kind.lower() in factors:
                raise TraceError(f"relative_speeds[{kind}]", "stands twice")
            factors[kind.lower()] = written.get(kind.lower(), kind), factor
        rows = []
        for (model, gang), cell in self._table.items():
            rows += [(model, gang, r, x) for r, x in cell.items() if r.lower() not in factors]
            if base in cell:
                rows += [(model, gang, r, x * cell[base]) for r, x in factors.values()]
        return ThroughputTable(rows)


@cache
def measured() -> ThroughputTable:
    """Return the table that ships with the package."""
    name = "throughputs.csv"
    table = parse_table(files(__package__).joinpath("data", name).read_text("utf-8"), name)
    kinds = table.first[2:]
    return ThroughputTable(
        (row.fields["model"], _integer(row, "gang_size"), kind, _number(row, kind))
        for row in table.rows()
        for kind in kinds
    )


def model_types(gang_size: int) -> tuple[str, ...]:
    """Return the models of the shipped table measured at `gang_size`, sorted by name.

    Examples
    --------
    >>> len(model_types(1)), len(model_types(4)), model_types(16)
    (26, 19, ())
    """
    return measured().model_types(gang_size)


def throughput(model: str, gang_size: int) -> Mapping[str, Fraction]:
    """Return iterations per second of the whole gang by type, from the shipped table.

    Examples
    --------
    >>> throughput("A3C", 1)["V100"]
    Fraction(897, 125)
    """
    return measured().throughput(model, gang_size)


def read_throughputs(path: str | PathLike[str], *, consolidated: bool = True) -> ThroughputTable:
    """Read a full throughput file, ``job_type,scale_factor,worker_type,consolidated,steps_per_s``.

    Parameters
    ----------
    path : path
        The file; accelerator types are kept as written.
    consolidated : bool
        Take the rows measured on one node (1), or those spread over nodes (0).

    Raises
    ------
    TraceError
        On wrong columns, a missing or malformed value, or a measurement that stands twice.
    """
    file = Path(path)
    table = parse_table(read_text(file), file.name)
    if set(table.first) != set(LONG_COLUMNS):
        rule = f"must have columns {list(LONG_COLUMNS)}, has {list(table.first)}"
        raise TraceError(file.name, rule)
    wanted = int(consolidated)
    return ThroughputTable(
        (
            row.fields["job_type"],
            _integer(row, "scale_factor"),
            row.fields["worker_type"],
            _number(row, "steps_per_s"),
        )
        for row in table.rows()
        if _integer(row, "consolidated") == wanted
    )


def _number(row: Row, column: str) -> Fraction:
    value = row.number(column)
    if value is None:
        raise TraceError(f"{row.place}: {column}", "must be a number", shown(row.fields[column]))
    return value


def _integer(row: Row, column: str) -> int:
    value = row.integer(column)
    if value is None:
        raise TraceError(f"{row.place}: {column}", "must be a number", shown(row.fields[column]))
    return value
