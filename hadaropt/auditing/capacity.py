"""How many GPUs a pool has over time: constant, or what a log held where that was more."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

Time = TypeVar("Time", int, Fraction)


@dataclass(frozen=True)
class Capacity:
    """GPUs of a pool over time, a step function from time 0 on.

    Attributes
    ----------
    times : tuple of int
        Ascending ticks; the first is 0.
    counts : tuple of int
        GPUs from each time on, >= 0; the last at all later times, >= 1.

    Examples
    --------
    >>> two_for_a_while = Capacity((0, 10, 15), (1, 2, 1))
    >>> two_for_a_while.work(20), two_for_a_while.when(14)
    (25, Fraction(12, 1))
    """

    times: tuple[int, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, gpus: int | Capacity) -> Capacity:
        """Return a number of GPUs as what is there at all times."""
        return gpus if isinstance(gpus, Capacity) else cls((0,), (gpus,))

    @classmethod
    def of_changes(cls, start: int, changes: Iterable[tuple[int, int]], least: int = 0) -> Capacity:
        """Return ``start`` plus the changes (time, GPUs) so far, but never fewer than ``least``."""
        at = Counter[int]()
        for time, change in changes:
            at[time] += change
        now = start + at.pop(0, 0)
        times, counts = [0], [max(least, now)]
        for time in sorted(at):
            now += at[time]
            if max(least, now) != counts[-1]:
                times.append(time)
                counts.append(max(least, now))
        return cls(tuple(times), tuple(counts))

    @classmethod
    def weighted(cls, parts: Sequence[tuple[Capacity, int]], finer: int) -> Capacity:
        """Return the sum of capacities, each times its factor, in ticks cut ``finer`` times."""
        changes: list[tuple[int, int]] = []
        for own, factor in parts:
            changes += [(time * finer, more * factor) for time, more in own.changes]
        return cls.of_changes(sum(own.counts[0] * factor for own, factor in parts), changes)

    @property
    def constant(self) -> bool:
        """Whether there are equally many at all times."""
        return len(self.times) == 1

    @property
    def last(self) -> int:
        """How many there are in the end."""
        return self.counts[-1]

    @cached_property
    def least(self) -> int:
        """How many there are at all times."""
        return min(self.counts)

    @property
    def changes(self) -> list[tuple[int, int]]:
        """When there are more, or fewer, and how many."""
        differences = (after - before for before, after in pairwise(self.counts))
        return list(zip(self.times[1:], differences, strict=True))

    @property
    def above(self) -> int:
        """For how many ticks there are more than in the end."""
        steps = zip(self.times, self.times[1:], self.counts, strict=False)
        return sum(end - begin for begin, end, count in steps if count > self.last)

    @cached_property
    def _works(self) -> list[int]:
        """GPU-ticks before each of the times."""
        works = [0]
        for begin, end, count in zip(self.times, self.times[1:], self.counts, strict=False):
            works.append(works[-1] + (end - begin) * count)
        return works

    def work(self, time: Time) -> Time:
        """Return the GPU-ticks from 0 to ``time`` >= 0."""
        i = bisect_right(self.times, time) - 1
        return (time - self.times[i]) * self.counts[i] + self._works[i]

    def when(self, work: int | Fraction) -> Fraction:
        """Return the first time before which there are so many GPU-ticks."""
        i = max(0, bisect_left(self._works, work) - 1)
        missing = work - self._works[i]
        return self.times[i] + (Fraction(missing, self.counts[i]) if missing else Fraction(0))

    def plus(self, gpus: int) -> Capacity:
        """Return the capacity with so many GPUs more at all times."""
        return Capacity(self.times, tuple(count + gpus for count in self.counts))

    def without(self, held: Iterable[tuple[int, int, int]]) -> Capacity:
        """Return what is left beside GPUs held: (start, end, GPUs) each."""
        changes = self.changes
        for start, end, gpus in held:
            changes += [(start, -gpus), (end, gpus)]
        return Capacity.of_changes(self.counts[0], changes)

    def has(self, gpus: int, start: int, end: int) -> bool:
        """Return whether there are so many at all times from ``start`` to ``end``."""
        if gpus <= self.least:
            return True
        i = bisect_right(self.times, start) - 1
        while i < len(self.times) and (self.times[i] < end or self.times[i] <= start):
            if self.counts[i] < gpus:
                return False
            i += 1
        return True
