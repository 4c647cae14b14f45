"""The families by name, and the one function that makes an instance of any of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction

from hadaropt.errors import InstanceError, shown
from hadaropt.exact import to_integer
from hadaropt.generate.adversary import adversarial_price
from hadaropt.generate.classes import measured_rates, six_class
from hadaropt.generate.draws import Draws
from hadaropt.generate.request import Request, positive
from hadaropt.generate.small import overloaded_tight, small_uniform
from hadaropt.instance import Instance, Parallelism


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
    """

    build: Callable[..., Instance]
    num_jobs: int
    num_rounds: int
    load: str | None

    @property
    def parameters(self) -> Mapping[str, object]:
        """Names of the family's own parameters, with their defaults."""
        found = inspect.signature(self.build).parameters.values()
        return {p.name: p.default for p in found if p.kind is inspect.Parameter.KEYWORD_ONLY}

    @property
    def summary(self) -> str:
        """First line of the family's description."""
        return (inspect.getdoc(self.build) or "").partition("\n")[0]


FAMILIES: dict[str, Family] = {
    "small_uniform": Family(small_uniform, 12, 12, "0.7"),
    "overloaded_tight": Family(overloaded_tight, 12, 12, "1.4"),
    "adversarial_price": Family(adversarial_price, 24, 12, None),
    "six_class": Family(six_class, 40, 24, "1.3"),
    "measured_rates": Family(measured_rates, 40, 24, "1.3"),
}


def find_family(name: object) -> tuple[str, Family]:
    """Return the name (with underscores) and the family; ``-`` may stand for ``_``.

    Raises
    ------
    InstanceError
        If there is none of that name; it says which is nearest.
    """
    text = str(name).replace("-", "_")
    if text not in FAMILIES:
        raise InstanceError("family", _nearest(text, FAMILIES), shown(name))
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
        The family's own parameters: see its function.

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
    for key in parameters:
        if key not in found.parameters:
            raise InstanceError(key, _nearest(key, found.parameters), shown(parameters[key]))
    if load is not None and found.load is None:
        rule = f"is not a parameter of {name}: its load follows from its traps"
        raise InstanceError("load", rule, shown(load))
    draws = Draws(name, seed)
    request = Request(
        f"{name}-{draws.seed}",
        draws,
        found.num_jobs if num_jobs is None else to_integer(num_jobs, "num_jobs"),
        found.num_rounds if num_rounds is None else to_integer(num_rounds, "num_rounds", least=1),
        positive(found.load or 1 if load is None else load, "load"),
        load is not None,
        parallelism,
    )
    return found.build(request, **parameters)


def _nearest(text: str, known: Mapping[str, object]) -> str:
    near = get_close_matches(text, list(known), n=1, cutoff=0.4)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    return f"must be one of {', '.join(known)}{hint}"
