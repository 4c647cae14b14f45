"""Every offline solver against every other and against the independent oracle."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from hadaropt import (
    Instance,
    Schedule,
    check_schedule,
    solve,
    solve_dual,
    solve_ilp,
    solve_lp,
)
from hadaropt.offline.colgen.configuration_lp import solve_configuration_lp
from hadaropt.offline.compact.solve import CLAIM_TOLERANCE
from hadaropt.offline.lagrangian.bound import lagrangian_bound
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.results import Result, best_known
from hadaropt.schedule import Allocation
from tests.instances_strategy import to_text
from tests.offline.support import instance_of
from tests.oracle import Json, optimum
from tests.relations import odd

Solver = Callable[..., Result]
EXACT: dict[str, Solver] = {"auto": solve, "ilp": solve_ilp, "branch-and-price": branch_and_price}
BOUNDS: dict[str, Solver] = {
    "lp": solve_lp,
    "dual": solve_dual,
    "configuration": solve_configuration_lp,
    "lagrangian": lagrangian_bound,
}
LIMITS = (None, None, None, 0.0, 1e-9, 0.01)
ANSWERS = (None, False, True, np.bool_(False), np.bool_(True))


class AuthorError(Exception):
    """Raised by a callback of these tests."""


def check_one(rng: random.Random) -> None:
    """Draw an instance and a start, and hold every solver to what must be true."""
    document = odd.instance(rng)
    rounds = odd.start(rng, document)
    try:
        check(rng, document, rounds)
    except Exception as error:
        error.add_note(f"instance: {to_text(document)}")
        error.add_note(f"start: {rounds}")
        raise


Rounds = list[tuple[str, list[tuple[int, Json, bool]]]]
"""A drawn start: see `tests.relations.odd.start`."""


def start_of(instance: Instance, rounds: Rounds) -> Schedule:
    """Return the drawn start as a schedule."""
    nodes = {name: h for h, name in enumerate(instance.cluster.nodes)}
    types = {name: r for r, name in enumerate(instance.cluster.accelerators)}
    jobs: list[tuple[Allocation, ...]] = [()] * len(instance.jobs)
    for name, entries in rounds:
        jobs[instance.index(name)] = tuple(
            Allocation(
                t,
                tuple(
                    sorted(
                        (nodes[node], types[r], n)
                        for node, by in gpus.items()
                        for r, n in by.items()
                    )
                ),
                copies,
            )
            for t, gpus, copies in entries
        )
    return Schedule(tuple(jobs))


def check(rng: random.Random, document: Json, rounds: Rounds) -> None:
    """Check all relations of one instance and one start."""
    instance = instance_of(document)
    best, _ = optimum(document)
    start = start_of(instance, rounds)
    worth = check_schedule(instance, start).value
    for name, method in EXACT.items():
        for given in (None, start):
            limit = rng.choice(LIMITS)
            found = method(instance, start=given, time_limit=limit)
            hold(instance, best, found, f"{name}, start {given is not None}, limit {limit}")
            if given is not None:
                assert found.schedule is not None, f"{name}: the start is lost"
                assert found.value >= worth, f"{name}: worse than the start"
            if limit is None and name != "ilp" and not ranges(document):
                assert found.status == "proved", f"{name}: {found.termination}"
    for name, method in BOUNDS.items():
        limit = rng.choice(LIMITS)
        found = method(instance, time_limit=limit)
        assert found.bound >= best, f"{name}: the bound {found.bound} is below {best}"
    gap = rng.choice((0.01, 0.5, 3.0))
    for name, aimed in (("auto", solve), ("branch-and-price", branch_and_price)):
        found = aimed(instance, target_gap=gap)  # type: ignore[operator]
        hold(instance, best, found, f"{name}, target {gap}")
        assert ranges(document) or found.termination in ("optimal", "target_gap"), name
        assert ranges(document) or found.gap <= gap, name
    callbacks(rng, instance, best, start, worth)


def ranges(document: Json) -> bool:
    """Return whether peaks are many orders of magnitude apart."""
    texts = (str(job["utility"]) for job in document["jobs"])
    return any("000000" in text for text in texts)


def hold(instance: Instance, best: Fraction, found: Result, what: str) -> None:
    """Check what any answer with a schedule claims, against the optimum of the oracle."""
    exact = isinstance(found.bound, Fraction)
    assert Fraction(found.bound) >= best, f"{what}: the bound {found.bound} is below {best}"
    if found.schedule is None:
        assert found.value is None, what
        assert found.status == "bound", what
        return
    value = check_schedule(instance, found.schedule).value
    assert value == found.value <= best, f"{what}: {found.value} against {best}"
    assert (found.status == "proved") == (exact and found.bound == value), what
    if found.status == "proved":
        assert value == best and found.termination == "optimal", what
    if found.status == "solver_optimal":
        assert value >= best * (1 - Fraction(CLAIM_TOLERANCE)), f"{what}: {value} of {best}"
        assert found.gap > 0 and not exact, f"{what}: a gap that no tolerance can carry"


def callbacks(
    rng: random.Random, instance: Instance, best: Fraction, start: Schedule, worth: Fraction
) -> None:
    """Let a callback stop the solve, or raise; the best answer known comes along."""
    call, answer, raises = rng.randint(1, 6), rng.choice(ANSWERS), rng.random() < 0.5
    calls = 0

    def callback(*_: object) -> object:
        nonlocal calls
        calls += 1
        if calls == call and raises:
            raise AuthorError
        return answer if calls >= call else None

    for name, method in (("solve", solve), ("branch_and_price", branch_and_price)):
        calls = 0
        try:
            found = method(instance, start=start, callback=callback)  # type: ignore[operator]
        except AuthorError as error:
            known = best_known(error)
            assert known is not None, f"{name}: no answer comes with the error"
            found = known
        assert found.value >= worth, f"{name}: worse than the start"
        hold(instance, best, found, name)
