"""What a price function is told about the jobs to come: U, L and the largest bundle m.

The values are computed from the whole instance before the run, or given by the caller; either way
they are declared, and a theorem that rests on them is checked against the true ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from hadaropt.frozen import FrozenDict
from hadaropt.instance import Instance
from hadaropt.modes import is_slowed
from hadaropt.online.prices.lazy import constant_table
from hadaropt.online.prices.tables import Declared, ExactPrice, PriceTables, Resource
from hadaropt.results import Pool, ratio

MAX_EVALUATIONS = 300_000
"""Jobs x rounds up to which U and m are computed for each round by itself. Beyond, one U and one m
serve all rounds: larger values, so that prices rise earlier and constants grow, but less time."""


@dataclass(frozen=True)
class Foreknowledge:
    """Declared knowledge about the jobs to come.

    A resource is (t, r), the GPUs of type r in round t, where prices are pooled; or (t, h, r),
    those on node h.

    Attributes
    ----------
    pool : {"type", "node"}
    capacity : dict
        Resource -> c >= 1, its GPUs; resources without GPUs are left out.
    value_per_unit : dict
        Resource -> U >= 0: u <= U w for every schedule of value u that holds w of its GPUs. With
        tables that reach U at c - m + 1, this gives hypothesis (F).
    bundle : dict
        Resource -> m, 1 .. c: most of its GPUs that one schedule holds.
    least_density : Fraction
        L: u >= L w for every irredundant schedule of value u > 0 that holds w GPUs of all
        resources together: hypothesis (V). 0 only if no job is worth anything.
    first_value : Fraction
        u*: best value of the first arrival that has a positive one.
    least_best_value : Fraction
        u_min: the least of the best values of the jobs worth anything.
    most_units : int
        Most GPUs of all resources together that one schedule holds.
    scale : Fraction
        A power of two: prices are rounded up to multiples of 1/scale, so that sums of prices fit
        64 bits. It follows from the best value of any job.
    widest : int
        The true largest bundle of any resource.
    reach : dict
        Resource -> most of its GPUs that all jobs together can hold, where that is less than all:
        prices beyond are never paid, so they are neither computed nor checked.
    origin : str
        How the values were obtained, in words.
    factors : mapping of str to Fraction
        Factors by which U, L and m were made wrong on purpose.
    """

    pool: Pool
    capacity: Mapping[Resource, int]
    value_per_unit: Mapping[Resource, Fraction]
    bundle: Mapping[Resource, int]
    least_density: Fraction
    first_value: Fraction
    least_best_value: Fraction
    most_units: int
    scale: Fraction
    widest: int = 1
    origin: str = "computed from the whole instance before the run"
    factors: Mapping[str, Fraction] = field(default_factory=dict)
    reach: Mapping[Resource, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("capacity", "value_per_unit", "bundle", "factors", "reach"):
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))

    @property
    def spread(self) -> float:
        """Return max U / L, the spread of the densities (inf where it overflows)."""
        most = max(self.value_per_unit.values(), default=Fraction(0))
        return ratio(most, self.least_density)

    @property
    def most_charged(self) -> int:
        """Return the largest bundle that has to be charged, be it declared or not."""
        return max(self.widest, *self.bundle.values(), 1)

    def highest(self, place: Resource) -> int:
        """Return the most GPUs of a resource that can be sold."""
        return self.reach.get(place, self.capacity[place])

    def resources(
        self, least: Mapping[Resource, Fraction] | None = None
    ) -> dict[Resource, Declared]:
        """Return what is declared of every resource.

        Parameters
        ----------
        least : mapping, optional
            Resource -> L; by default ``least_density`` for all.
        """
        made: dict[Declared, Declared] = {}
        found = {}
        for place, c in self.capacity.items():
            L = self.least_density if least is None else least[place]
            at = Declared(c, self.bundle[place], self.value_per_unit[place], L)
            found[place] = made.setdefault(at, at)
        return found

    def tabulate(
        self,
        table: Callable[[Declared], Sequence[ExactPrice]],
        least: Mapping[Resource, Fraction] | None = None,
        *,
        closed_form: float | None = None,
        parameters: Mapping[str, str] | None = None,
    ) -> PriceTables:
        """Return the price tables of all resources.

        Parameters
        ----------
        table : callable
            What is declared of a resource -> its c + 1 prices. Called once for each kind of
            resource that some job of value can use (U > 0); the others cost nothing.
        least : mapping, optional
            Resource -> L, as in `resources`.
        closed_form : float, optional
        parameters : mapping, optional
            Both as in `PriceTables`.
        """
        made: dict[Declared, Sequence[ExactPrice]] = {}
        prices = {}
        for place, at in self.resources(least).items():
            if at not in made:
                made[at] = table(at) if at.U > 0 else constant_table(at.c + 1, 0)
            prices[place] = made[at]
        return PriceTables(prices, None, closed_form, parameters or {})

    def scaled(self, *, U: Fraction, L: Fraction, m: Fraction) -> Foreknowledge:
        """Return the same knowledge, wrong by these factors (bundles within 1 .. c)."""
        if U == L == m == 1:
            return self
        bundle = {
            place: max(1, min(self.capacity[place], int(units * m)))
            for place, units in self.bundle.items()
        }
        return replace(
            self,
            value_per_unit={place: u * U for place, u in self.value_per_unit.items()},
            bundle=bundle,
            least_density=self.least_density * L,
            first_value=self.first_value * L,
            least_best_value=self.least_best_value * L,
            origin=f"{self.origin}; then U x {U}, L x {L}, m x {m}",
            factors={"U": U, "L": L, "m": m},
        )


@dataclass(frozen=True)
class _JobRange:
    """The extremes of one job's irredundant schedules of positive value.

    Attributes
    ----------
    fewest_rounds : int
        Rounds of the shortest one.
    last_flow_time : int
        Rounds from the release to the last completion of positive value.
    best : Fraction
        Most value: that of the earliest completion.
    least_density : Fraction
        At most the value of any of them over the GPUs that it holds in all rounds together.
    most_units : int
        At least the GPUs that any of them holds in all rounds together.
    """

    fewest_rounds: int
    last_flow_time: int
    best: Fraction
    least_density: Fraction
    most_units: int


def _job_range(instance: Instance, j: int) -> _JobRange | None:
    """Return the extremes of job j's irredundant schedules of positive value, if it has any."""
    job = instance.jobs[j]
    if instance.unschedulable(j) is not None:
        return None
    copies = instance.max_copies(j)
    gains = {p for p in instance.progress(j) if p > 0}
    if is_slowed(instance, j):
        gains.update(p for p in instance.progress(j, spread=True) if p > 0)
    most = max(gains, default=0)
    if copies >= 2:
        parallel = [p for p in instance.progress(j, copies=True) if p > 0]
        gains.update(2 * p for p in parallel)
        most = max(most, copies * max(parallel, default=0))
    if not gains:
        return None
    rounds = instance.num_rounds - job.release
    fewest = -(-job.iterations // most)
    if fewest > rounds:
        return None
    best = instance.value(j, job.release + fewest - 1)
    if best == 0:
        return None
    last = job.utility.last_flow_time(rounds, job.iterations, instance.round_seconds)
    held = min(last, -(-job.iterations // min(gains))) * job.gang_size * copies
    return _JobRange(fewest, last, best, instance.value(j, job.release + last - 1) / held, held)


def least_densities(instance: Instance) -> list[Fraction | None]:
    """Return the L of every job by itself, as in `compute_foreknowledge`; None if worth nothing."""
    ranges = (_job_range(instance, j) for j in range(len(instance.jobs)))
    return [None if span is None else span.least_density for span in ranges]


def compute_foreknowledge(instance: Instance, pool: Pool) -> Foreknowledge:
    """Return U, L and m of every resource, computed from all jobs of the instance.

    For job j with fewest rounds d_min: U_tr = max_j U_j(max(t - a_j + 1, d_min)) / (least units
    that j can hold of the resource when it holds any); L = min_j U_j(d) / (W_j min(d, n_j)) at the
    last flow time d of positive value, n_j the most rounds an irredundant schedule runs (times
    max_copies when forked); m = min(W_j, c).
    """
    cluster = instance.cluster
    counts: dict[Resource, int]
    if pool == "type":
        counts = {(r,): c for r, c in enumerate(cluster.pooled_capacity)}
    else:
        counts = {(h, r): c for h, row in enumerate(cluster.capacity) for r, c in enumerate(row)}
    ranges = [_job_range(instance, j) for j in range(len(instance.jobs))]
    known = {j: span for j, span in enumerate(ranges) if span is not None}
    by_round = len(known) * instance.num_rounds <= MAX_EVALUATIONS
    capacity: dict[Resource, int] = {}
    value: dict[Resource, Fraction] = {}
    bundle: dict[Resource, int] = {}
    reach: dict[Resource, int] = {}
    totals = cluster.pooled_capacity
    touched: dict[tuple[int, int], tuple[tuple[int, int, int], ...]] = {}
    held = _held_at_once(instance, pool)
    profiles: dict[tuple[object, ...], list[tuple[Fraction, int]]] = {}
    for place in counts:
        if counts[place] == 0:
            continue
        alike = place[-1], counts[place]
        if alike not in touched:
            touched[alike] = tuple(
                (j, *units)
                for j in known
                if (units := _units(instance, j, place, counts, totals)) is not None
            )
        touching = touched[alike]
        if touching not in profiles:
            profiles[touching] = _profile(instance, known, touching, by_round=by_round)
        for t, (most_valuable, largest) in enumerate(profiles[touching]):
            capacity[t, *place] = counts[place]
            value[t, *place] = most_valuable
            bundle[t, *place] = largest
            if held[place[-1]] < counts[place]:
                reach[t, *place] = held[place[-1]]
    first = min(known, key=lambda j: instance.jobs[j].release, default=None)
    how = "U and m per round" if by_round else "U and m constant over the rounds, larger values"
    return Foreknowledge(
        pool,
        capacity,
        value,
        bundle,
        min((span.least_density for span in known.values()), default=Fraction(0)),
        Fraction(0) if first is None else known[first].best,
        min((span.best for span in known.values()), default=Fraction(0)),
        max((span.most_units for span in known.values()), default=1),
        price_scale(instance),
        max(bundle.values(), default=1),
        f"computed from the whole instance before the run ({how})",
        reach=reach,
    )


def _held_at_once(instance: Instance, pool: Pool) -> list[int]:
    """Return the most GPUs of each type (on one node) that all jobs can hold in one round.

    Whatever their iterations and releases are: no job is excluded that a policy could be told of.
    """
    most = [0] * len(instance.cluster.accelerators)
    for j, job in enumerate(instance.jobs):
        gangs = instance.max_copies(j) if pool == "type" else 1
        for r, speed in enumerate(instance.throughput[j]):
            if speed > 0:
                most[r] += gangs * job.gang_size
    return [max(1, units) for units in most]  # a table of charges has a row


def _profile(
    instance: Instance,
    known: Mapping[int, _JobRange],
    touching: tuple[tuple[int, int, int], ...],
    *,
    by_round: bool,
) -> list[tuple[Fraction, int]]:
    """Return (U, m) in every round of a place that these jobs touch with these units."""
    if not by_round:
        most_valuable = max(
            (known[j].best / least for j, least, _ in touching), default=Fraction(0)
        )
        largest = max((most for _, _, most in touching), default=1)
        return [(most_valuable, largest)] * instance.num_rounds
    value = [Fraction(0)] * instance.num_rounds
    bundle = [1] * instance.num_rounds
    for j, least, most in touching:
        span, release = known[j], instance.jobs[j].release
        earliest = release + span.fewest_rounds - 1
        per_unit = span.best / least
        for t in range(release, min(release + span.last_flow_time, instance.num_rounds)):
            if most > bundle[t]:
                bundle[t] = most
            if per_unit <= value[t]:
                continue  # it only falls from round to round: no need to know how far
            if t > earliest:
                per_unit = instance.value(j, t) / least
            if per_unit > value[t]:
                value[t] = per_unit
    return list(zip(value, bundle, strict=True))


def _units(
    instance: Instance,
    j: int,
    place: Resource,
    counts: Mapping[Resource, int],
    totals: Sequence[int],
) -> tuple[int, int] | None:
    """Return the least and the most units of a place that job j holds when it holds any."""
    speeds, gang = instance.throughput[j], instance.jobs[j].gang_size
    r = place[-1]
    if speeds[r] == 0:
        return None
    if instance.parallelism == "single_type":
        usable = totals[r]
    else:
        usable = sum(count for count, speed in zip(totals, speeds, strict=True) if speed > 0)
    elsewhere = usable - counts[place]
    if usable < gang:
        return None
    together = gang * instance.max_copies(j) if len(place) == 1 else gang
    return max(1, gang - elsewhere), min(together, counts[place])


def price_scale(instance: Instance, only: int | None = None) -> Fraction:
    """Return the finest power of two in which all sums of prices fit 64 bits.

    With ``only``, the sums of that job alone: no other job can change the answer.
    """
    jobs = range(len(instance.jobs)) if only is None else (only,)
    best = max((instance.value(j, instance.jobs[j].release) for j in jobs), default=Fraction(0))
    if best == 0:
        return Fraction(1)
    copies = max(instance.max_copies(j) for j in jobs)
    held = (instance.num_rounds * copies + 1) * copies
    gang = max(instance.jobs[j].gang_size for j in jobs)
    # 62 bits hold the sums of pricing, 8 times a cost and twice a gang's among them (`Pricer`). 4
    # bits are spare: prices may exceed the best value of a job.
    bits = 62 - 4 - max(3 + held.bit_length(), 1 + gang.bit_length())
    room = Fraction(2**bits) / best
    exponent = room.numerator.bit_length() - room.denominator.bit_length() - 1
    return Fraction(2) ** exponent
