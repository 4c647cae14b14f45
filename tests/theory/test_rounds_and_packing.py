"""Hall rows of a round, packing of divisible gangs, the price for packing, the pricing DP."""

import itertools
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.offline.compact.max_flow import distribute, most_violated
from tests.theory.abstract import (
    Abstract,
    Offer,
    certificate,
    geometric_theta,
    linear,
    root_up,
    run,
)

exact = settings(deadline=None, max_examples=150)


def subsets(n):
    return [set(S) for k in range(n + 1) for S in itertools.combinations(range(n), k)]


def rows_hold(gangs, caps, sets):
    """Demand(S) <= C(S) for the given sets S of types."""
    return all(sum(W for W, A in gangs if A <= S) <= sum(caps[r] for r in S) for S in sets)


def round_feasible(gangs, caps):
    """By enumeration of the types that the gangs hold."""

    def ways(W, A, left):
        for held in itertools.combinations_with_replacement(sorted(A), W):
            if all(held.count(r) <= left[r] for r in A):
                yield [n - held.count(r) for r, n in enumerate(left)]

    states = {tuple(caps)}
    for W, A in gangs:
        states = {tuple(left) for state in states for left in ways(W, A, state)}
    return bool(states)


@st.composite
def rounds(draw):
    n = draw(st.integers(1, 3))
    caps = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    admitted = st.sets(st.integers(0, n - 1), min_size=1)
    return draw(st.lists(st.tuples(st.integers(1, 4), admitted), max_size=4)), caps


@exact
@given(rounds())
def test_a_round_is_feasible_iff_every_hall_row_holds(case):
    gangs, caps = case
    feasible = round_feasible(gangs, caps)
    assert feasible == rows_hold(gangs, caps, subsets(len(caps)))
    found = distribute({i: (W, frozenset(A)) for i, (W, A) in enumerate(gangs)}, caps)
    assert (found is not None) == feasible
    demands: dict[frozenset[int], int] = {}
    for W, A in gangs:
        demands[frozenset(A)] = demands.get(frozenset(A), 0) + W
    assert (most_violated(demands, caps) is None) == feasible


@exact
@given(rounds())
def test_prefix_rows_suffice_for_prefixes(case):
    gangs, caps = case
    nested = [(W, set(range(max(A) + 1))) for W, A in gangs]
    prefixes = [set(range(p)) for p in range(len(caps) + 1)]
    assert round_feasible(nested, caps) == rows_hold(nested, caps, prefixes)


def test_prefix_rows_do_not_suffice_in_general():
    """Two gangs of 2 that admit type 1 only, C = (2, 2)."""
    gangs, caps = [(2, {1}), (2, {1})], [2, 2]
    assert rows_hold(gangs, caps, [set(), {0}, {0, 1}])
    assert not round_feasible(gangs, caps)


def packs(sizes, caps):
    """Whether gangs of these sizes fit, each inside one node, by enumeration."""
    states = {tuple(sorted(caps))}
    for size in sorted(sizes, reverse=True):
        states = {
            tuple(sorted([*state[:h], state[h] - size, *state[h + 1 :]]))
            for state in states
            for h in range(len(state))
            if state[h] >= size
        }
    return bool(states)


def big(s, sizes):
    return sum(w for w in sizes if w >= s)


def packing_rows(sizes, caps, chain):
    return all(big(s, sizes) <= s * sum(c // s for c in caps) for s in chain)


nodes = st.lists(st.integers(0, 9), min_size=1, max_size=3)
powers = st.lists(st.sampled_from((1, 2, 4, 8)), max_size=7)


@exact
@given(powers, nodes)
def test_gangs_of_1_2_4_8_pack_iff_the_four_rows_hold(sizes, caps):
    assert packs(sizes, caps) == packing_rows(sizes, caps, (1, 2, 4, 8))


@exact
@given(st.lists(st.sampled_from((1, 3, 6)), max_size=6), nodes)
def test_any_chain_of_divisors_will_do(sizes, caps):
    assert packs(sizes, caps) == packing_rows(sizes, caps, set(sizes))


def test_rows_do_not_suffice_without_divisibility():
    assert packing_rows((3, 3, 2), (4, 4), (1, 2, 3))
    assert not packs((3, 3, 2), (4, 4))


@exact
@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=3).filter(lambda caps: max(caps) >= 4),
    st.lists(
        st.tuples(st.sampled_from((1, 2, 4)), st.booleans(), st.integers(1, 40)),
        min_size=1,
        max_size=7,
    ),
    st.sampled_from((Fraction(1, 4), Fraction(1))),
)
def test_price_for_packing_inside_nodes(caps, jobs, delta):
    """T7 on one resource per gang size: accepted gangs pack, packable selections are bounded."""
    chain = [s for s in (1, 2, 4) if any(c >= s for c in caps)]
    pieces = [[1] * size if spread else [size] for size, spread, _ in jobs]
    offers = [
        Offer(Fraction(value * sum(want)), tuple(big(s, want) for s in chain))
        for want, (_, _, value) in zip(pieces, jobs, strict=True)
    ]
    virtual = Abstract(
        tuple(s * sum(c // s for c in caps) for s in chain), tuple((o,) for o in offers)
    )
    L = virtual.least_density()
    N, q, theta = [], [], Fraction(1)
    for r, c in enumerate(virtual.caps):
        m = virtual.bundle(r)
        if m > c:
            return  # a gang that does not fit the empty cluster
        N.append(c - m + 1)
        q.append(root_up(1 + virtual.value_per_unit(r) / (delta * L), N[r]))
        theta = max(theta, geometric_theta(c, q[r], min(m, N[r])))

    def table(r, g):
        return delta * L * (q[r] ** min(g, N[r]) - 1)

    outcome = run(virtual, linear(table))
    accepted = [
        w for want, o in zip(pieces, outcome.taken, strict=True) if o is not None for w in want
    ]
    assert packs(accepted, caps)
    dual = certificate(virtual, [table(r, g) for r, g in enumerate(outcome.loads)])
    assert dual <= (1 + delta) * theta * outcome.value
    for chosen in itertools.product((False, True), repeat=len(offers)):
        wanted = [w for want, c in zip(pieces, chosen, strict=True) if c for w in want]
        if packs(wanted, caps):
            assert sum(o.value for o, c in zip(offers, chosen, strict=True) if c) <= dual


# the pricing DP


def best(rounds, q):
    """Least cost to reach progress q; None if impossible. The recursion of PricingDP.v."""
    if not rounds:
        return 0 if q == 0 else None
    *earlier, choices = rounds
    found = [
        cost + rest
        for progress, cost in [(0, 0), *choices]
        if (rest := best(earlier, max(0, q - progress))) is not None
    ]
    return min(found, default=None)


choices = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=3)


@exact
@given(st.lists(choices, min_size=1, max_size=4), st.integers(1, 12), st.data())
def test_pricing_dp_is_exact(rounds, Q, data):
    U = sorted(data.draw(st.lists(st.integers(0, 30), min_size=4, max_size=4)), reverse=True)
    worth = []
    for plan in itertools.product(*[[(0, 0), *c] for c in rounds]):
        reached = list(itertools.accumulate(p for p, _ in plan))
        ends = next((f for f, total in enumerate(reached) if total >= Q), None)
        worth.append((0 if ends is None else U[ends]) - sum(c for _, c in plan))
    costs = [best(rounds[: f + 1], Q) for f in range(len(rounds))]
    answer = max([0, *(U[f] - c for f, c in enumerate(costs) if c is not None)])
    assert answer == max(worth)


@exact
@given(st.lists(st.integers(0, 30), max_size=6), st.integers(0, 90), st.integers(1, 7))
def test_rounding_of_progress(ps, Q, g):
    def up(x):
        return -(-x // g)

    reached = sum(ps) >= Q
    if reached:
        assert sum(map(up, ps)) >= up(Q)
    if sum(p // g for p in ps) >= up(Q):
        assert reached
    scaled = [g * p for p in ps]
    assert (sum(scaled) >= Q) == (sum(ps) >= up(Q))
