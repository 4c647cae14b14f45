"""What mixing types and forking are worth: the optima of the three nested models of parallelism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from hadaropt.instance import PARALLELISM, Instance, Parallelism
from hadaropt.offline.known import Known
from hadaropt.offline.solve import solve
from hadaropt.results import Result, Termination, best_known
from hadaropt.schedule import Schedule


@dataclass(frozen=True)
class Gain:
    """OPT(after) / OPT(before), enclosed.

    Attributes
    ----------
    before, after : str
        Parallelism models, the latter the richer one.
    least : Fraction
        At least 1: the models are nested.
    most : Fraction or None
        None where no schedule of worth is known before.
    """

    before: Parallelism
    after: Parallelism
    least: Fraction
    most: Fraction | None


def solve_nested(
    instance: Instance, *, time_limit: float | None = None
) -> dict[Parallelism, Result]:
    """Solve an instance under ``single_type``, ``mixed`` and ``forked``, in this order.

    A schedule of one model is one of the next, and each solve starts from the last one's: values
    never fall. Ctrl-C returns what is known by then: models not begun are only bounded. An error
    that ends a solve has the attribute ``found``: the answers known by then, of all three.

    Parameters
    ----------
    instance : Instance
        Its own parallelism model does not matter.
    time_limit : float, optional
        Seconds for each model.

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Job
    >>> from hadaropt.utility import Linear
    >>> cluster = Cluster.of({"a": {"V100": 1}, "b": {"P100": 1}})
    >>> jobs = (Job("x", 0, 1, 4, {"V100": 2, "P100": 2}, Linear(9, 4)),
    ...         Job("y", 2, 2, 2, {"V100": 2, "P100": 2}, Linear(9, 4)))
    >>> found = solve_nested(Instance(cluster, jobs, 4, 1))
    >>> [str(result.value) for result in found.values()]
    ['5', '14', '18']
    """
    found: dict[Parallelism, Result] = {}
    start: Schedule | None = None
    for model in PARALLELISM:
        problem = instance.with_parallelism(model)
        try:
            found[model] = solve(problem, time_limit=time_limit, start=start)
        except Exception as error:
            error.found = found | _unsolved(instance, model, start, error)  # type: ignore[attr-defined]
            raise
        start = found[model].schedule
        if found[model].termination == Termination.INTERRUPTED:
            time_limit = 0.0
    return found


def _unsolved(
    instance: Instance, failed: Parallelism, start: Schedule | None, error: Exception
) -> dict[Parallelism, Result]:
    """Return what is known of the model whose solve failed, and of those after it."""
    known = best_known(error)
    answers: dict[Parallelism, Result] = {} if known is None else {failed: known}
    start = start if known is None else known.schedule
    for model in PARALLELISM[PARALLELISM.index(failed) :]:
        problem = instance.with_parallelism(model)
        given = Schedule.empty(problem) if start is None else start
        answers.setdefault(model, Known(problem, "auto", given).best(Termination.FAILED))
    return answers


def gains(found: Mapping[Parallelism, Result]) -> list[Gain]:
    """Return what mixing gains, what forking gains on top, and what both gain together.

    A bound on a richer model holds for the poorer ones too.
    """
    bounds: dict[Parallelism, Fraction] = {}
    values: dict[Parallelism, Fraction] = {}
    for model in reversed(PARALLELISM):
        bound, value = found[model].bound, found[model].value
        assert bound is not None and value is not None  # `solve` starts from a schedule
        bounds[model] = min([Fraction(bound), *bounds.values()])
        values[model] = value
    enclosed = []
    for before, after in combinations(PARALLELISM, 2):
        low, high = values[before], values[after]
        least = max(Fraction(1), high / bounds[before]) if bounds[before] > 0 else Fraction(1)
        most = Fraction(1) if bounds[after] == 0 else bounds[after] / low if low > 0 else None
        enclosed.append(Gain(before, after, least, most))
    return enclosed
