"""The configuration LP: one column per schedule, by column generation, with exact bounds."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np

from hadaropt.errors import USE_ILP, limited
from hadaropt.instance import Instance
from hadaropt.interrupts import interrupted_once
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Proof, Relaxation
from hadaropt.offline.colgen.exact_duals import exact_proof
from hadaropt.offline.colgen.pricing_data import Space
from hadaropt.offline.contradiction import answering
from hadaropt.offline.known import Known
from hadaropt.offline.spare import without_spare
from hadaropt.results import Pool, Prices, Result, Status, Termination, Timings
from hadaropt.schedule import Schedule

METHOD = "configuration_lp"
"""As it stands in answers."""


@without_spare
@limited("column generation", USE_ILP)
def solve_configuration_lp(
    instance: Instance,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    exact: bool = False,
) -> Result:
    """Solve the configuration LP by column generation.

    ``max sum u_s x_s`` over all schedules s of all jobs; each job at most once, GPUs of every round
    (on types, or on nodes where the node matters) within capacity. Its optimum is min D(k) over the
    prices k >= 0, and every iteration gives such prices: ``bound`` is D(k) at the best ones,
    exactly, also when the time limit strikes. Pricing is the exact covering dynamic program.

    Parameters
    ----------
    instance : Instance
    time_limit : float, optional
        Seconds.
    work_limit : int, optional
        Units of work, see `hadaropt.offline.clock`: the answer is the same on every run.
    exact : bool
        Solve the last basis over the rationals: ``bound`` is then the exact LP value, if the
        basis is small enough.

    Returns
    -------
    Result
        ``relaxation_value`` is the value of the restricted LP (a float; below the LP value until
        ``termination`` is ``optimal``), ``bound`` a Fraction, ``prices`` what one more GPU of a
        type in a round is worth: the sensitivity of the LP value, shape (T, R) or (T, H, R).

    Examples
    --------
    >>> from hadaropt import Cluster, Instance, Job
    >>> from hadaropt.utility import Linear
    >>> jobs = [Job(name, 0, 1, 1, {"V100": 1}, Linear(4, 1)) for name in "ab"]
    >>> instance = Instance(Cluster.of({"n0": {"V100": 1}}), jobs, 2, round_seconds=1)
    >>> solve_configuration_lp(instance, exact=True).bound
    Fraction(7, 1)
    """
    clock = Clock(time_limit, work_limit)
    instance.check_size()
    run = _Run(instance)
    with answering(run), interrupted_once():
        try:
            return run.answer(clock, exact)
        except KeyboardInterrupt:
            return run.best(Termination.INTERRUPTED)


class _Run:
    """A call of `solve_configuration_lp`, from set-up to answer."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.start: Schedule | None = None
        self._known = Known(instance, METHOD)
        self._relaxation: Relaxation | None = None

    def best(self, termination: Termination) -> Result:
        """Return the best bound known."""
        relaxation = self._relaxation
        if relaxation is not None and relaxation.proof is not None:
            proof = relaxation.proof
            if proof.bound is not None:
                prices = published_prices(relaxation.space, proof, relaxation.scale)
                self._known.prove(proof.bound, prices)
        return self._known.best(termination)

    def answer(self, clock: Clock, exact: bool) -> Result:
        """Generate columns until none improves the LP, or until time is up."""
        begin = time.perf_counter()
        space = Space.of(self.instance)
        self._relaxation = relaxation = Relaxation(space)
        assembled = time.perf_counter()
        limits = relaxation.pricing.no_limits()
        solved = relaxation.converge(limits, clock=clock)
        proof = solved.proof
        if exact and solved.status == "converged":
            tightened = exact_proof(relaxation, limits)
            proof = proof if tightened is None else tightened.better(proof)
        assert solved.outcome is not None
        assert solved.outcome.objective is not None
        assert proof.bound is not None
        done = time.perf_counter()
        return Result(
            method=METHOD,
            termination=Termination.OPTIMAL if solved.status == "converged" else clock.reached(),
            status=Status.BOUND,
            bound=proof.bound,
            relaxation_value=solved.outcome.objective,
            raw_status=f"{relaxation.iterations} iterations, "
            f"{len(relaxation.master.columns)} columns",
            prices=published_prices(space, proof, relaxation.scale),
            timings=Timings(assembled - begin, done - assembled, time.perf_counter() - done),
            solver=relaxation.master.highs.facts,
        )


def published_prices(space: Space, proof: Proof, scale: int) -> Prices:
    """Return the prices of a proof as an array, rounded up to multiples of 1 / scale."""
    pool: Pool = "type" if space.pooled else "node"
    units = np.ascontiguousarray(space.by_node(proof.units_at(scale)))
    return Prices(units, Fraction(scale), pool)
