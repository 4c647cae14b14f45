"""The pricing problem of one job: its best schedule at given prices."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from hadaropt.errors import USE_ILP, LimitError, limited, shown
from hadaropt.exact import to_text
from hadaropt.instance import Instance
from hadaropt.modes.plans import most_progress, raw_ways
from hadaropt.pricing.cover import INF, Costs, Cover, costs, label_room
from hadaropt.pricing.held import RoundChoice, held
from hadaropt.pricing.model import Ints, JobModel, Known, job_model
from hadaropt.pricing.worth import Worth, encode, worth

ROUNDED_UNITS = 1000
"""Units of the tables over rounded progress."""
_NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class PricedSchedule:
    """A schedule of one job with its payoff.

    Attributes
    ----------
    payoff : Fraction
        U_j(d) - cost, or 0 for the empty schedule when no payoff is positive.
    completion : int or None
        f_j, None for the empty schedule.
    cost : Fraction
    rounds : tuple of RoundChoice
    exact : bool
        Whether the payoff is proved to be the maximum (slack = 0).
    slack : Fraction
        Upper bound on the maximum payoff, minus `payoff`.
    """

    payoff: Fraction
    completion: int | None
    cost: Fraction
    rounds: tuple[RoundChoice, ...]
    exact: bool = True
    slack: Fraction = Fraction(0)


class Pricer:
    """Solves pricing problems of one instance, keeping what does not depend on the prices.

    Parameters
    ----------
    instance : Instance
    scale : int or Fraction
        Prices are integers in units of 1 / scale.
    """

    def __init__(self, instance: Instance, scale: int | Fraction) -> None:
        if scale <= 0:
            raise ValueError(f"scale = {scale}, must be > 0")
        instance.check_size()
        self.instance, self.scale = instance, Fraction(scale)
        self._models: dict[int, JobModel] = {}
        self._speeds: Known = {}
        self._worth: dict[int, Worth] = {}

    def model(self, j: int) -> JobModel:
        """Return the model of job j."""
        if j not in self._models:
            self._models[j] = job_model(self.instance, j, self._speeds)
        return self._models[j]

    def worth(self, j: int) -> Worth:
        """Return U_j * scale of completing in the rounds a_j, ... of positive value."""
        if j not in self._worth:
            with limited(f"jobs[{j}].utility is too large for the pricing tables", USE_ILP):
                self._worth[j] = self._make_worth(j)
        return self._worth[j]

    def _make_worth(self, j: int) -> Worth:
        job, model = self.instance.jobs[j], self.model(j)
        horizon = max(0, self.instance.num_rounds - job.release)
        tau = self.instance.round_seconds
        code = encode(job.utility, job.iterations, tau, self.scale, horizon)
        peak = int(job.utility.value(1, job.iterations, tau) * self.scale)
        gangs = code.last * model.max_copies + 1
        earns = code.last > 0 and bool(model.gang.progress)
        if earns and (peak + 1) * max(8 * gangs, 2 * model.gang_size) >= INF:
            best = most_progress(raw_ways(self.instance, j, "node"), model.max_copies)
            if best * code.last < job.iterations:  # it is never worth anything
                return worth(encode(job.utility, job.iterations, tau, self.scale, 0))
            most = to_text(Fraction(peak, self.scale))
            raise LimitError(
                f"jobs[{j}] ({shown(job.name)}): its utility of {most} times its gang of "
                f"{job.gang_size} is too large for prices in units of 1/{to_text(self.scale)}: the "
                "sums would exceed 2**62"
            )
        return worth(code)

    def forget(self, j: int) -> None:
        """Drop what is kept for job j."""
        self._models.pop(j, None)
        self._worth.pop(j, None)

    def tie(self, j: int) -> int:
        """Return the weight of the charge in the keys: above all gangs that a schedule holds."""
        return len(self.worth(j).floors) * self.model(j).max_copies + 1

    @cached_property
    def _capacity(self) -> tuple[Ints, Ints]:
        """Offline capacity of every round, (T, R) and (T, H, R)."""
        rounds = self.instance.num_rounds
        counts = np.array(self.instance.cluster.capacity, np.int64)
        return (
            np.repeat(counts.sum(axis=0)[None], rounds, axis=0),
            np.repeat(counts[None], rounds, axis=0),
        )

    def _window(self, j: int, prices: Ints, free: Ints | None, limit: int) -> tuple[Ints, Ints]:
        """Prices and free units of the window of job j, on types or on nodes."""
        model = self.model(j)
        nodes = len(self.instance.cluster.nodes)
        rounds = slice(model.release, model.release + len(self.worth(j).floors))
        on_nodes = prices.ndim == 3 or not model.pooled
        if free is None:
            free = self._capacity[1 if on_nodes else 0]
        if on_nodes and free.ndim == 2:
            raise ValueError(f"jobs[{j}] is not pooled: free must have shape (T, H, R)")
        if not on_nodes and free.ndim == 3:
            free = free.sum(axis=1)
        price = np.minimum(prices[rounds], limit + 1)
        if on_nodes and price.ndim == 2:
            price = np.repeat(price[:, None], nodes, axis=1)
        return np.ascontiguousarray(price), np.ascontiguousarray(free[rounds])

    def _costs(self, j: int, prices: Ints, free: Ints | None, limit: int, tie: int) -> Costs:
        price, units = self._window(j, prices, free, limit)
        return costs(self.model(j), price, units, tie, limit)

    @limited("the pricing tables", USE_ILP)
    def price(self, j: int, prices: Ints, *, free: Ints | None = None) -> PricedSchedule:
        """Return the best schedule of job j; see `price_job`."""
        self.check(prices, free)
        if not self.model(j).gang.progress:
            return EMPTY
        floors = self.worth(j).floors
        if floors.size == 0:
            return EMPTY
        found = self._costs(j, prices, free, int(floors[0]), self.tie(j))
        return self.best(j, found)

    @limited("the pricing tables", USE_ILP)
    def price_marginal(self, j: int, marginals: Ints, *, free: Ints) -> PricedSchedule:
        """Return the best schedule of job j where each further unit has a price of its own.

        Parameters
        ----------
        j : int
        marginals : (T, R, K) or (T, H, R, K) int64
            Price of the first, second, ... unit taken of a place, non-decreasing along K >= W_j.
        free : (T, R) or (T, H, R) int64
            Units that may be used, in the form of the prices.
        """
        floors, model = self.worth(j).floors, self.model(j)
        if not model.gang.progress or floors.size == 0:
            return EMPTY
        if not model.pooled and marginals.ndim == 3:
            raise ValueError(f"jobs[{j}] is not pooled: marginals must have shape (T, H, R, K)")
        limit, steps = int(floors[0]), marginals.shape[-1]
        rounds = slice(model.release, model.release + len(floors))
        price = np.minimum(marginals[rounds], limit + 1)
        units = (np.arange(steps) < free[rounds][..., None]).astype(np.int64)
        shape = (*price.shape[:-2], price.shape[-2] * steps)
        found = costs(model, price.reshape(shape), units.reshape(shape), self.tie(j), limit, steps)
        return self.best(j, found)

    def best(self, j: int, found: Costs) -> PricedSchedule:
        """Return the best schedule of job j from the keys of its candidates."""
        model, worth = self.model(j), self.worth(j).floors
        cover = Cover(found, model.units(model.divisor, "exact"), worth)
        if cover.complete:
            return self._schedule(j, found, cover)
        units = min(ROUNDED_UNITS, label_room(found) - 1) if found.copies.size else ROUNDED_UNITS
        quantum = -(-model.iterations // units)
        most = Cover(found, model.units(quantum, "up"), worth)
        last, upper = self._decide(j, most), Fraction(0)
        if last >= 0:
            cost = int(most.least[last]) // found.tie / self.scale
            upper = self.instance.value(j, model.release + last) - cost
        lower = self._schedule(j, found, Cover(found, model.units(quantum, "down"), worth))
        slack = upper - lower.payoff
        return PricedSchedule(
            lower.payoff, lower.completion, lower.cost, lower.rounds, slack == 0, slack
        )

    def _decide(self, j: int, cover: Cover) -> int:
        """Offset of the first completion round of the best payoff, exactly; -1 if none is > 0."""
        return self.worth(j).best(cover.least // self.tie(j))

    def _schedule(self, j: int, found: Costs, cover: Cover) -> PricedSchedule:
        last = self._decide(j, cover)
        if last < 0:
            return EMPTY
        model, rounds, done, charge = self.model(j), [], 0, 0
        for choice, key in held(found, cover.trace(last)):
            # Progress rounded down may complete earlier than planned: the rest is not needed.
            if done >= model.iterations:
                break
            rounds.append(choice)
            done += choice.progress
            charge += key // found.tie
        completion = rounds[-1].round
        cost = charge / self.scale
        payoff = self.instance.value(j, completion) - cost
        return PricedSchedule(payoff, completion, cost, tuple(rounds))

    def least_costs(
        self, j: int, prices: Ints, *, free: Ints | None = None
    ) -> tuple[Fraction | None, ...]:
        """Return the least cost of completing job j by every round; see `least_costs`."""
        self.check(prices, free)
        model = self.model(j)
        blank: list[Fraction | None] = [None] * self.instance.num_rounds
        size = len(self.worth(j).floors)
        if not model.gang.progress or size == 0:
            return tuple(blank)
        tie, copies = self.tie(j), model.max_copies
        window = prices[model.release : model.release + size]
        limit = model.gang_size * int(window.max(initial=0))
        if (size + 1) * copies * (limit * tie + 1) >= INF:
            raise LimitError(f"prices up to {window.max()} units: the sums would exceed 2**62")
        cover = Cover(
            self._costs(j, prices, free, limit, tie), model.units(model.divisor, "exact"), _NONE
        )
        if not cover.complete:
            raise LimitError(f"jobs[{j}] has too many Pareto labels for exact least costs")
        for n, key in enumerate(cover.least):
            if key < INF:
                blank[model.release + n] = int(key) // tie / self.scale
        return tuple(blank)

    def check(self, prices: Ints, free: Ints | None = None) -> None:
        """Raise ValueError unless the arrays have a legal type, shape and sign."""
        cluster = self.instance.cluster
        types, nodes = len(cluster.accelerators), len(cluster.nodes)
        shapes = ((self.instance.num_rounds, types), (self.instance.num_rounds, nodes, types))
        for name, array in (("prices", prices), ("free", free)):
            if array is None:
                continue
            if array.dtype != np.int64 or array.shape not in shapes:
                rule = f"must be int64 of shape {shapes[0]} or {shapes[1]}"
                raise ValueError(f"{name} has {array.dtype} of shape {array.shape}, {rule}")
            if array.size and array.min() < 0:
                raise ValueError(f"{name} has {array.min()}, must be >= 0")


EMPTY = PricedSchedule(Fraction(0), None, Fraction(0), ())


def price_job(
    instance: Instance,
    j: int,
    prices: Ints,
    *,
    scale: int | Fraction,
    free: Ints | None = None,
) -> PricedSchedule:
    """Return a schedule of job j of maximum payoff ``U_j(d) - sum prices * use / scale``.

    Ties: earliest completion, then fewest GPU-rounds, then (going back from the completion) not to
    run before running, and the cheaper choice before the dearer one. No schedule of positive
    payoff: the empty one, payoff 0.

    Parameters
    ----------
    instance : Instance
    j : int
        Index of the job.
    prices : (T, R) or (T, H, R) int64
        Price of one unit of a type, in all nodes or in each node, in units of 1 / scale, >= 0.
    scale : int or Fraction
        Number of price units in 1.
    free : (T, R) or (T, H, R) int64, optional
        Units that may be used; the capacity by default. Jobs that are not `is_pooled` need the
        node form.

    Returns
    -------
    PricedSchedule
        With ``exact=False`` only where the Pareto labels of the job are too many: then the
        schedule comes from progress rounded down, and `slack` from progress rounded up.

    Raises
    ------
    LimitError
        If utility * scale is too large for exact sums in 64 bits.
    """
    return Pricer(instance, scale).price(j, prices, free=free)


def least_costs(
    instance: Instance,
    j: int,
    prices: Ints,
    *,
    scale: int | Fraction,
    free: Ints | None = None,
) -> tuple[Fraction | None, ...]:
    """Return the least cost of completing job j by round f, for every f in 0 .. T-1.

    None where that is impossible, or worth nothing (U_j = 0). Parameters as in `price_job`.
    """
    return Pricer(instance, scale).least_costs(j, prices, free=free)


__all__ = [
    "PricedSchedule",
    "Pricer",
    "RoundChoice",
    "least_costs",
    "price_job",
]
