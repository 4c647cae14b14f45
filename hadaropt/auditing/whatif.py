"""What if the cluster or the load were another: the same bounds and rules, and prices of nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from hadaropt.auditing.any_type import AnyType
from hadaropt.auditing.capacity import Capacity
from hadaropt.auditing.floor import PoolFloor, Replayed, floors, replays
from hadaropt.auditing.log import Log
from hadaropt.auditing.replay import Asked
from hadaropt.errors import InstanceError, shown
from hadaropt.exact import MAX_COUNT, to_fraction, to_integer

RULE = "must be add=TYPE:NODESxGPUS, drop=TYPE:NODESxGPUS, load=FACTOR or gangs=MOST"


@dataclass(frozen=True)
class Change:
    """A change of the cluster (GPUs added to a pool, negative where taken), the load or the gangs.

    Attributes
    ----------
    text : str
        As written.
    pool : str or None
    nodes, gpus : int
        Nodes added (taken, if negative) and GPUs of each.
    load : Fraction
        Jobs come so many times as fast.
    gangs : int or None
        No gang is wider: a wider one holds so many GPUs, for as many GPU-ticks (rounded up to whole
        ticks).
    kind : str
        The GPUs that are added or taken, as written.
    """

    text: str
    pool: str | None = None
    nodes: int = 0
    gpus: int = 0
    load: Fraction = Fraction(1)
    gangs: int | None = None
    kind: str = ""

    def submit(self, ticks: int) -> int:
        """Return when a job is submitted after the change."""
        return int(ticks / self.load)

    def held(self, gang: int, service: int) -> tuple[int, int]:
        """Return the gang and the service of a job after the change."""
        if self.gangs is None or gang <= self.gangs:
            return gang, service
        return self.gangs, -(-service * gang // self.gangs)


@dataclass(frozen=True)
class WhatIf:
    """The answer to one change, in ticks.

    Attributes
    ----------
    change : Change
    service : int
        Sum of submits and services: what no schedule avoids.
    floor : Fraction
        No schedule has a smaller sum of completions, after the change.
    in_one_piece : Fraction
        No schedule without preemption has.
    best : Replayed
        The best of the rules, after the change.
    least_by_price : Fraction or None
        Of a change of the cluster: a sum that no schedule is below after it, by the price of a
        node before it alone. None for a type on which no job ran.
    submits : int
        Sum of submits, after the change.
    reached : mapping of str to int
        Sums of completions of the schedulers in rounds, at recorded speeds.
    incomplete : tuple of str
        Those that did not complete every job.
    any_type : AnyType or None
        Bounds and schedulers after the change at assumed speeds, where there are such.
    any_type_left_out : str or None
        Why there are none although speeds are assumed.
    """

    change: Change
    service: int
    floor: Fraction
    in_one_piece: Fraction
    best: Replayed
    least_by_price: Fraction | None
    submits: int
    reached: Mapping[str, int] = field(default_factory=dict)
    incomplete: tuple[str, ...] = ()
    any_type: AnyType | None = None
    any_type_left_out: str | None = None

    @property
    def schedulers(self) -> dict[str, int]:
        """Sums of completions of the best rule and of the schedulers in rounds."""
        return {self.best.rule: sum(self.best.completions), **self.reached}

    @property
    def first(self) -> str:
        """Which of them has the least."""
        own = self.schedulers
        return min(own, key=lambda name: own[name])

    @property
    def total(self) -> int:
        """The least sum of completions of them."""
        return self.schedulers[self.first]


def parse_change(
    text: str,
    pools: Mapping[str, int],
    types: Mapping[str, str] | None = None,
    *,
    over_time: bool = False,
    elsewhere: Iterable[str] = (),
) -> Change:
    """Return the change of ``--what-if``.

    Parameters
    ----------
    text : str
    pools : mapping of str to int
        GPUs of each pool of the log.
    types : mapping of str to str, optional
        The pool of each further name of GPUs, such as the types of a common pool. Names of pools
        and types are told in any case.
    over_time : bool
        Whether the capacity changes over time: is what the recorded schedule held.
    elsewhere : iterable of str
        Types that may be added although no job ran on them: those with an assumed speed.

    Raises
    ------
    InstanceError
        If it is none, names a type that no job of the log is known to have run on and that is not
        in ``elsewhere``, or takes more than there is; with ``over_time``, if it adds no GPUs.

    Examples
    --------
    >>> parse_change("add=H100:4x8", {"H100": 64}).nodes
    4
    """
    verb, equals, rest = (part.strip() for part in text.partition("="))
    place = f"what_if {shown(text)}"
    if over_time and verb in ("drop", "load", "gangs") and equals:
        rule = "only add= is answered where the capacity is what the recorded schedule held"
        raise InstanceError(place, rule)
    if verb == "load" and equals:
        load = to_fraction(rest, place)
        if load <= 0:
            raise InstanceError(place, "load must be > 0")
        return Change(text, load=load)
    if verb == "gangs" and equals:
        return Change(text, gangs=to_integer(rest, place, least=1))
    kind, colon, size = rest.partition(":")
    nodes, times, gpus = size.partition("x")
    if verb not in ("add", "drop") or not colon or not times:
        raise InstanceError(place, RULE)
    try:
        count, each = (to_integer(part.strip(), place, least=1) for part in (nodes, gpus))
    except InstanceError as bad:
        raise InstanceError(place, f"{RULE}; NODES and GPUS: {bad.rule}") from None
    named = {**{new: new for new in elsewhere}, **(types or {}), **{own: own for own in pools}}
    pool = _pool(kind.strip(), named)
    if pool is None:
        known = ", ".join(dict.fromkeys((*pools, *(types or {}))))
        rule = (
            f"at recorded speeds they stand idle (the log has {known}); assume speeds that name "
            "this type too, relative ones or a table's"
        )
        raise InstanceError(place, f"no job is known to have run on {kind.strip()} GPUs: {rule}")
    count = count if verb == "add" else -count
    there = pools.get(pool, 0)
    if not 1 <= there + count * each <= MAX_COUNT:
        rule = "takes more than there is" if count < 0 else f"makes more than {MAX_COUNT:,} GPUs"
        raise InstanceError(place, f"{rule} ({there} {pool})")
    return Change(text, pool, count, each, kind=kind.strip())


def _pool(kind: str, named: Mapping[str, str]) -> str | None:
    """Return the pool that GPUs of this name belong to, or None."""
    in_any_case = {name.lower(): pool for name, pool in named.items()}
    return named.get(kind, in_any_case.get(kind.lower()))


def what_if(
    log: Log, jobs: Sequence[tuple[str, Asked]], change: Change, before: Mapping[str, PoolFloor]
) -> WhatIf:
    """Return the bounds and the best rule after a change.

    Raises
    ------
    InstanceError
        If a gang fits no longer.
    """
    pools = dict(log.capacity)
    by_price = None
    if change.pool in pools:  # else no job ran there, and none does at recorded speeds
        more = change.nodes * change.gpus
        pools[change.pool] = Capacity.of(pools[change.pool]).plus(more)
        left = log.pools[change.pool] + more
        widest = max((job[2] for pool, job in jobs if pool == change.pool), default=0)
        if widest > left and more < 0:
            rule = f"leaves {left} {change.pool}, fewer than a gang of {widest}"
            raise InstanceError(f"what_if {shown(change.text)}", rule)
        # The bound at the prices of before, with the GPUs of after: valid, as any prices are.
        by_price = Fraction(0)
        for pool, own in before.items():
            by_price += (
                max(own.priced - more * own.gpu_price, Fraction(own.pool.alone))
                if pool == change.pool
                else own.completions
            )
    asked = [(pool, (change.submit(a), *change.held(w, p)[::-1])) for pool, (a, p, w) in jobs]
    done = replays(asked, pools, kept=log.wider)
    after = floors(asked, pools, log.ticks, done)
    best = min(done, key=lambda run: sum(run.completions))
    return WhatIf(
        change,
        sum(a + p for _, (a, p, _) in asked),
        max(sum((own.completions for own in after.values()), Fraction(0)), by_price or Fraction(0)),
        sum((own.in_one_piece for own in after.values()), Fraction(0)),
        best,
        by_price,
        sum(a for _, (a, _, _) in asked),
    )
