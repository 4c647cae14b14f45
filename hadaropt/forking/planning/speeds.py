"""Speeds of jobs: an estimate at first, measurements as soon as there are any."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.errors import InstanceError
from hadaropt.exact import to_non_negative, to_text

DIGITS = 10**9
"""Largest denominator of a smoothed speed."""


@dataclass
class _Page:
    first: tuple[Fraction, ...]
    measured: dict[int, Fraction]


class SpeedBook:
    """Speeds by job and accelerator type.

    The first measurement of a job on a type replaces the estimate, later ones are smoothed,
    s <- s + alpha (m - s). Types on which the job was not measured keep their estimate times the
    factor by which the nearest fact corrects it: the mean of measured / estimated over the types
    that were. So one round repairs an estimate that is wrong by a common factor; one that is wrong
    between types is repaired as each of them is used.

    Parameters
    ----------
    alpha : number
        Weight of a new measurement, in (0, 1].

    Examples
    --------
    >>> book = SpeedBook()
    >>> book.open("a", (10, 1))
    >>> book.measure("a", {0}, Fraction(1))
    >>> [str(x) for x in book.speeds("a")]
    ['1', '1/10']
    """

    def __init__(self, alpha: Fraction | str = Fraction(1, 2)) -> None:
        self._alpha = to_non_negative(alpha, "alpha")
        if not 0 < self._alpha <= 1:
            raise InstanceError("alpha", "must be > 0 and <= 1", to_text(self._alpha))
        self._pages: dict[object, _Page] = {}

    def __contains__(self, job: object) -> bool:
        return job in self._pages

    def open(self, job: object, estimate: Sequence[Fraction | int | str]) -> None:
        """Enter the first estimate of a job by type, shape (R,); 0: it cannot run there."""
        first = tuple(to_non_negative(x, f"estimate[{r}]") for r, x in enumerate(estimate))
        self._pages[job] = _Page(first, {})

    def measure(self, job: object, types: Collection[int], speed: Fraction) -> None:
        """Enter a measured speed of a gang that used these types.

        It is the speed of the slowest of them; which one that is, the present speeds say.

        Raises
        ------
        InstanceError
            If the speed is negative, no type is named, or the job was never opened.
        """
        if job not in self._pages:
            raise InstanceError("job", "must be opened with an estimate first", repr(job))
        if not types:
            raise InstanceError("types", "must name at least one type", "()")
        if speed < 0:
            raise InstanceError("speed", "must be >= 0", to_text(speed))
        if speed == 0:
            return  # Too short a round to say anything.
        page, now = self._pages[job], self.speeds(job)
        r = min(types, key=lambda r: (now[r], r))
        before = page.measured.get(r)
        value = speed if before is None else before + self._alpha * (speed - before)
        page.measured[r] = value.limit_denominator(DIGITS)

    def unmeasured(self, job: object) -> tuple[int, ...]:
        """Return the types on which the job may run but was never measured."""
        page = self._pages[job]
        return tuple(r for r, x in enumerate(page.first) if x and r not in page.measured)

    def speeds(self, job: object) -> tuple[Fraction, ...]:
        """Return the present speed of a job on each type, shape (R,)."""
        page = self._pages[job]
        ratios = [x / page.first[r] for r, x in page.measured.items() if page.first[r]]
        factor = sum(ratios, Fraction(0)) / len(ratios) if ratios else Fraction(1)
        return tuple(
            page.measured.get(r, (x * factor).limit_denominator(DIGITS))
            for r, x in enumerate(page.first)
        )
