"""The families by name, and the one function that makes an instance of any of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from hadaropt.errors import InstanceError, one_of, shown
from hadaropt.exact import to_integer
from hadaropt.generate.adversary import adversarial_price
from hadaropt.generate.classes import measured_rates, six_class
from hadaropt.generate.draws import Draws
from hadaropt.generate.gavel import gavel_arrivals
from hadaropt.generate.philly import philly_arrivals
from hadaropt.generate.request import Request, positive
from hadaropt.generate.small import overloaded_tight, small_uniform
from hadaropt.generate.traced import Draw, make_instance, make_workload
from hadaropt.instance import Instance, Parallelism
from hadaropt.workload import Workload


@dataclass(frozen=True)
class Family:
    """One family: how to make an instance, and what it is like unless asked otherwise.

    Attributes
    ----------
    build : callable
        ``build(request, **parameters)``.
    num_jobs, num_rounds : int
    load : str or None
        None where the load follows from the rest and cannot be asked for.
    build_workload : callable or None
        ``build_workload(request, **parameters)``, where the family has arrivals in seconds.
    """

    build: Callable[..., Instance]
    num_jobs: int
    num_rounds: int
    load: str | None
    build_workload: Callable[..., Workload] | None = None

    @property
    def parameters(self) -> Mapping[str, object]:
        """Names of the family's own parameters, with their defaults."""
        return parameters_of(self.build)


def parameters_of(build: Callable[..., object]) -> dict[str, object]:
    """Return the names and defaults of the keyword-only parameters of a builder."""
    found = inspect.signature(build).parameters.values()
    return {p.name: p.default for p in found if p.kind is inspect.Parameter.KEYWORD_ONLY}


def _traced(draw: Draw, **defaults: object) -> Family:
    """Return a family of jobs that arrive in seconds; the defaults are those of its instances."""
    build = partial(make_instance, draw, **defaults)  # type: ignore[arg-type]
    return Family(build, 40, 24, "0.8", partial(make_workload, draw))


FAMILIES: dict[str, Family] = {
    "small_uniform": Family(small_uniform, 12, 12, "0.7"),
    "overloaded_tight": Family(overloaded_tight, 12, 12, "1.4"),
    "adversarial_price": Family(adversarial_price, 24, 12, None),
    "six_class": Family(six_class, 40, 24, "1.3"),
    "measured_rates": Family(measured_rates, 40, 24, "1.3"),
    "gavel_like": _traced(gavel_arrivals),
    "philly_like": _traced(philly_arrivals, longest_hours=24),
}

WORKLOAD_JOBS = 480
"""Jobs of a workload unless asked otherwise: the size of the simulations of Hadar."""


def find_family(name: object) -> tuple[str, Family]:
    """Return the name (with underscores) and the family; ``-`` may stand for ``_``.

    Raises
    ------
    InstanceError
        If there is none of that name; it says which is nearest.
    """
    text = str(name).replace("-", "_")
    if text not in FAMILIES:
        raise InstanceError("family", one_of(text, FAMILIES), shown(name))
    return text, FAMILIES[text]


def generate(
    family: str,
    *,
    seed: int,
    num_jobs: int | None = None,
    num_rounds: int | None = None,
    parallelism: Parallelism = "mixed",
    load: Fraction | int | float | str | None = None,
    **parameters: object,
) -> Instance:
    """Return the instance of a family at a seed: the same bytes everywhere and always.

    Parameters
    ----------
    family : str
        A key of `FAMILIES`.
    seed : int
        0 <= seed < 2**64.
    num_jobs, num_rounds : int, optional
        J >= 0 and T >= 1; each family has its own defaults.
    parallelism : {"single_type", "mixed", "forked"}
        Changes nothing else: the three models of one seed are comparable.
    load : number, optional
        `offered_load` > 0, met within 5 per cent or refused. Without it a family comes as near to
        its own load as its sizes allow.
    **parameters
        The family's own parameters: see its function in `FAMILIES`; for ``gavel_like`` and
        ``philly_like`` those of `hadaropt.generate.traced.make_instance`.

    Returns
    -------
    Instance
        Named ``family-seed``. Every number is an integer or a decimal of few digits.

    Raises
    ------
    InstanceError
        For an unknown family or parameter (it says which is nearest), a value out of range, or a
        load that cannot be met.

    Examples
    --------
    >>> instance = generate("small-uniform", seed=0)
    >>> len(instance.jobs), instance.num_rounds
    (12, 12)
    """
    name, found = find_family(family)
    _check_names(parameters, found.parameters)
    if load is not None and found.load is None:
        rule = f"is not a parameter of {name}: its load follows from its traps"
        raise InstanceError("load", rule, shown(load))
    draws = Draws(name, seed)
    request = Request(
        f"{name}-{draws.seed}",
        draws,
        found.num_jobs if num_jobs is None else to_integer(num_jobs, "num_jobs"),
        found.num_rounds if num_rounds is None else to_integer(num_rounds, "num_rounds", least=1),
        num_rounds is not None,
        positive(found.load or 1 if load is None else load, "load"),
        load is not None,
        parallelism,
    )
    return found.build(request, **parameters)


def generate_workload(
    family: str,
    *,
    seed: int,
    num_jobs: int | None = None,
    load: Fraction | int | float | str | None = None,
    **parameters: object,
) -> Workload:
    """Return a workload, for simulators, of a family whose jobs arrive in seconds.

    Parameters
    ----------
    family : str
        ``gavel_like`` or ``philly_like``.
    seed : int
        0 <= seed < 2**64. Gangs, durations and models are those of `generate` at this seed.
    num_jobs : int, optional
        480 by default.
    load : number, optional
        Work offered over the work that the cluster could do until the last arrival, if every type
        worked for each job in proportion; 0.8 by default. Above 1 the queue grows until then.
        (`Workload.offered_load` is another figure: it charges each job to its fastest type.)
    **parameters
        The family's own: cluster, longest_hours, spread_factor, model_seed.

    Raises
    ------
    InstanceError
        As for `generate`.

    Examples
    --------
    >>> workload = generate_workload("gavel-like", seed=0, num_jobs=10)
    >>> len(workload.jobs), sum(workload.cluster.pooled_capacity)
    (10, 12)
    """
    name, found = find_family(family)
    build = found.build_workload
    if build is None:
        with_seconds = [key for key, other in FAMILIES.items() if other.build_workload]
        rule = f"has no arrivals in seconds ({', '.join(with_seconds)} have)"
        raise InstanceError("family", rule, shown(family))
    _check_names(parameters, parameters_of(build))
    draws = Draws(name, seed)
    count = WORKLOAD_JOBS if num_jobs is None else to_integer(num_jobs, "num_jobs")
    target = positive(found.load or 1 if load is None else load, "load")
    request = Request(
        f"{name}-{draws.seed}", draws, count, 1, False, target, load is not None, "mixed"
    )
    return build(request, **parameters)


def _check_names(parameters: Mapping[str, object], known: Mapping[str, object]) -> None:
    for key, value in parameters.items():
        if key not in known:
            raise InstanceError(key, one_of(key, known), shown(value))
