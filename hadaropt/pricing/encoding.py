"""Rows of many jobs as columns for the kernels, with shared tables of utilities and of speeds."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import groupby

import numpy as np

from hadaropt.instance import Instance
from hadaropt.kernels.pricing.arrivals import Jobs
from hadaropt.kernels.pricing.utility import TABLE
from hadaropt.pricing.cover import INF
from hadaropt.pricing.model import Bools, Ints, Levels, gang_levels, to_units
from hadaropt.pricing.worth import Code, worth

_COLUMNS = ("gang", "need", "kind", "a", "b", "c", "last")


class Rows:
    """Jobs with their gang, need and utility; equal tables of values are stored once.

    Attributes
    ----------
    jobs : list of int
        Indices of the jobs, in order of the rows.
    entries : int
        Size of the tables of values.
    """

    def __init__(self) -> None:
        self.jobs: list[int] = []
        self.entries = 1
        self._rows: list[tuple[int, ...]] = []
        self._tables: list[Code] = []
        self._known: dict[tuple[object, object], int] = {}

    def add(self, j: int, gang: int, need: int, code: Code, *further: int) -> None:
        """Append job j; `further` integers become further columns."""
        a, b, c = code.parameters
        if code.kind == TABLE:
            values = code.values
            key = code.parameters, values.tobytes() if isinstance(values, np.ndarray) else values
            if key not in self._known:
                self._known[key] = self.entries
                self._tables.append(code)
                self.entries += code.last
            a = self._known[key]
            b = c = 0
        self.jobs.append(j)
        self._rows.append((gang, need, code.kind, a, b, c, code.last, *further))

    @cached_property
    def _array(self) -> Ints:
        return np.array(self._rows, np.int64)

    def column(self, name: str) -> Ints:
        """Return one of the columns gang, need, kind, a, b, c, last."""
        return self.columns(_COLUMNS.index(name), 1).ravel()

    def columns(self, first: int, size: int) -> Ints:
        """Return adjacent columns as a contiguous array."""
        return np.ascontiguousarray(self._array[:, first : first + size])

    def further(self, place: int) -> Ints:
        """Return a further column."""
        return self.columns(len(_COLUMNS) + place, 1).ravel()

    def parameters(self) -> Ints:
        """Return the utility parameters a, b, c, (J, 3)."""
        return self.columns(_COLUMNS.index("a"), 3)

    def tables(self) -> tuple[Ints, Ints]:
        """Return the tables of floors and of ranks of fractions."""
        floors, ranks = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)]
        for _, alike in groupby(self._tables, _alike):
            found = worth(_joined(list(alike)))
            floors.append(found.floors)
            ranks.append(found.parts)
        return np.concatenate(floors), np.concatenate(ranks)


def _alike(code: Code) -> object:
    """Return what tables have in common of which the values can be evaluated together."""
    return code.parameters if isinstance(code.values, np.ndarray) else id(code)


def _joined(codes: list[Code]) -> Code:
    """Return one table of tables that are alike."""
    if len(codes) == 1:
        return codes[0]
    values: Ints = np.concatenate([code.values for code in codes])
    return Code(TABLE, codes[0].parameters, len(values), values)


class PooledRows(Rows):
    """Rows of jobs to which nodes do not matter, for `hadaropt.kernels.pricing.arrivals`.

    Parameters
    ----------
    speeds : PooledSpeeds
        What jobs of equal speeds share; it outlives the rows.
    """

    def __init__(self, speeds: PooledSpeeds) -> None:
        super().__init__()
        self._speeds = speeds

    def append(self, j: int, code: Code, dearest: int, *, cut: bool = False) -> bool:
        """Append job j; return False if sums for it may not fit 64 bits.

        Parameters
        ----------
        j : int
        code : Code
            Of its utility, in units of price.
        dearest : int
            The largest price of one unit.
        cut : bool
            Whether larger ones are cut to it; then it has to be above the worth of the job.
        """
        instance = self._speeds.instance
        job, rounds = instance.jobs[j], instance.num_rounds
        peak = code.peak
        # Keys are charge * (T + 1) + gangs; up to eight of them are added (see `Pricer.worth`).
        # A charge is computed before it is compared with the peak.
        if cut and peak >= dearest:
            return False
        if max((peak + 1) * 8 * (rounds + 1), job.gang_size * dearest) >= INF:
            return False
        need, row = self._speeds.row(j)
        if row >= 0 and code.last > 0:
            self.add(j, job.gang_size, need, code, job.release, row)
        return True

    def arrays(self) -> Jobs:
        """Return the rows as the kernel takes them."""
        return Jobs(
            self.further(0),
            self.column("gang"),
            self.column("need"),
            self.further(1),
            *self._speeds.arrays(),
            self.column("kind"),
            self.column("last"),
            self.parameters(),
            *self.tables(),
        )


class PooledSpeeds:
    """The levels of jobs in units of progress; those of equal jobs are one row.

    Parameters
    ----------
    instance : Instance
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self._types = len(instance.cluster.accelerators)
        self._levels: dict[int, tuple[Levels, int]] = {}
        self._rows: dict[tuple[int, int, int], int] = {}
        self._units: list[Ints] = []
        self._admitted: list[Bools] = []

    def row(self, j: int) -> tuple[int, int]:
        """Return the need of job j in units, and the row of its levels; -1 if it cannot run."""
        # Equal speeds are one object (see `Instance.throughput`): fractions are slow to hash.
        speeds, whole = id(self.instance.throughput[j]), self.instance.jobs[j].iterations
        if speeds not in self._levels:
            levels = gang_levels(self.instance, j)
            self._levels[speeds] = levels, math.gcd(*levels.progress)
        levels, divisor = self._levels[speeds]
        progress = levels.progress
        if not progress:
            return 0, -1
        if progress[-1] >= whole:
            divisor = math.gcd(*(p for p in progress if p < whole)) or whole
        # Levels that complete the job at once have units that depend on its need.
        key = speeds, divisor, whole if progress[-1] >= whole else 0
        if key not in self._rows:
            self._rows[key] = len(self._units)
            blank = self._types - len(progress)
            units = np.zeros(self._types, np.int64)
            units[blank:] = to_units(progress, whole, divisor)
            admitted = np.zeros((self._types, self._types), np.bool_)
            admitted[blank:] = levels.admitted
            self._units.append(units)
            self._admitted.append(admitted)
        return -(-whole // divisor), self._rows[key]

    def arrays(self) -> tuple[Ints, Bools]:
        """Return the units of progress, (K, L), and the admitted types, (K, L, R)."""
        shape = (-1, self._types, self._types)
        return np.array(self._units, np.int64), np.array(self._admitted, np.bool_).reshape(shape)
