"""H1 - H8: a node is ONE machine, at most one copy per node, the speeds of the copies add up."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import hadaropt
from hadaropt.policies import Fifo
from hadaropt.utility import Table

exact = settings(deadline=None, max_examples=100)
numbers = st.integers(1, 9).map(Fraction)


# H1


def most_busy(nodes, caps):
    """The largest number of busy nodes, by enumeration."""
    best = 0
    for choice in itertools.product(*[[None, *jobs] for jobs in nodes]):
        if all(choice.count(j) <= cap for j, cap in enumerate(caps)):
            best = max(best, sum(j is not None for j in choice))
    return best


@exact
@given(st.data())
def test_h1_koenig_formula(data):
    n = data.draw(st.integers(1, 4))
    caps = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    nodes = data.draw(st.lists(st.sets(st.integers(0, n - 1)).map(sorted), min_size=1, max_size=4))
    formula = min(
        len(nodes) - len(S) + sum(caps[j] for j in {j for i in S for j in nodes[i]})
        for k in range(len(nodes) + 1)
        for S in itertools.combinations(range(len(nodes)), k)
    )
    over_jobs = min(
        len(nodes) - sum(set(jobs) <= set(T) for jobs in nodes) + sum(caps[j] for j in T)
        for k in range(n + 1)
        for T in itertools.combinations(range(n), k)
    )
    assert most_busy(nodes, caps) == formula == over_jobs


@exact
@given(st.integers(1, 4), st.lists(st.integers(0, 3), min_size=1, max_size=3))
def test_h1_full_compatibility(n, caps):
    nodes = [list(range(len(caps)))] * n
    assert most_busy(nodes, caps) == min(n, sum(caps))


# H2, H4


@st.composite
def related(draw):
    """Sizes p = Q/x per job, speeds per node, and the length of a round."""
    sizes = draw(st.lists(numbers, min_size=1, max_size=4))
    speeds = draw(st.lists(numbers, min_size=1, max_size=3))
    return sizes, speeds, Fraction(1, draw(st.integers(1, 4)))


def non_idling(sizes, speeds, tau, pick):
    """Play rounds in which every node takes an unfinished job; (rounds, ending, busy time)."""
    left = list(sizes)
    rounds = ending = 0
    busy = Fraction(0)
    while any(left):
        rounds += 1
        active = [j for j, p in enumerate(left) if p]
        rate = dict.fromkeys(active, Fraction(0))
        count = dict.fromkeys(active, 0)
        for speed in speeds:
            j = pick(active)
            rate[j] += speed
            count[j] += 1
        for j in active:
            worked = min(tau, left[j] / rate[j]) if rate[j] else Fraction(0)
            busy += worked * count[j]
            left[j] -= worked * rate[j]
        ending += any(not left[j] for j in active)
    return rounds, ending, busy


@exact
@given(related(), st.randoms(use_true_random=False))
def test_h2_utilisation_and_h4_rounds(case, random):
    sizes, speeds, tau = case
    rounds, ending, busy = non_idling(sizes, speeds, tau, random.choice)
    assert ending <= len(sizes)
    assert busy / (len(speeds) * rounds * tau) >= 1 - Fraction(ending, rounds)
    fluid = sum(sizes) / sum(speeds)
    assert fluid <= rounds * tau <= fluid + ending * tau


def test_h2_full_utilisation_is_false():
    """One job of work 1 on one node of speed 2 and rounds of length 1: busy half the time."""
    rounds, ending, busy = non_idling(
        [Fraction(1)], [Fraction(2)], Fraction(1), lambda active: active[0]
    )
    assert (rounds, ending, busy) == (1, 1, Fraction(1, 2))


@pytest.mark.parametrize("slow", [Fraction(1, 10), Fraction(1, 1000)])
def test_h4_false_on_unrelated_nodes(slow):
    """Always busy, yet 1/slow times the optimum: X = [[1, e], [e, 1]], works 1, swapped."""
    X = [[Fraction(1), slow], [slow, Fraction(1)]]
    swapped = [1 / X[j][1 - j] for j in range(2)]
    assert swapped[0] == swapped[1]  # no node is idle before the end
    best, *_ = makespan_lp(np.array(X, dtype=float), np.ones(2))
    assert float(max(swapped)) == pytest.approx(best / float(slow))


# H3, H5


def makespan_lp(X, Q, no_fork=False):
    """min C: sum_h X y >= Q, sum_j y <= C per node (and per job when it may not fork)."""
    J, H = X.shape
    rows, right = [], []
    for j in range(J):
        row = np.zeros(J * H + 1)
        row[j * H : (j + 1) * H] = -X[j]
        rows.append(row)
        right.append(-Q[j])
        if no_fork:
            row = np.zeros(J * H + 1)
            row[j * H : (j + 1) * H] = 1
            row[-1] = -1
            rows.append(row)
            right.append(0)
    for h in range(H):
        row = np.zeros(J * H + 1)
        row[h : J * H : H] = 1
        row[-1] = -1
        rows.append(row)
        right.append(0)
    cost = np.r_[np.zeros(J * H), 1.0]
    solved = linprog(cost, A_ub=np.array(rows), b_ub=right, bounds=(0, None), method="highs")
    assert solved.status == 0
    return solved.fun, solved.x[:-1].reshape(J, H), -solved.ineqlin.marginals


@exact
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 10**6))
def test_h3_makespan(J, H, seed):
    random = np.random.default_rng(seed)
    x, s, Q = random.uniform(0.5, 3, J), random.uniform(0.2, 5, H), random.uniform(1, 9, J)
    assert makespan_lp(np.outer(x, s), Q)[0] == pytest.approx((Q / x).sum() / s.sum())
    X = random.uniform(0.1, 5, (J, H))
    C, _, marginals = makespan_lp(X, Q)
    p, q = marginals[:J], marginals[J:]
    assert (p * Q).sum() == pytest.approx(C)  # the dual of makespan_lower is tight
    assert q.sum() == pytest.approx(1)
    assert (p[:, None] * X <= q[None] + 1e-7).all()
    assert (Q / X.sum(1)).max() - 1e-9 <= C
    assert (Q / X.max(1)).sum() / H - 1e-9 <= C


@exact
@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 10**6))
def test_h5_what_forking_gains(J, H, seed):
    random = np.random.default_rng(seed)
    X, Q = random.uniform(0.1, 5, (J, H)), random.uniform(1, 9, J)
    forked, whole = makespan_lp(X, Q)[0], makespan_lp(X, Q, no_fork=True)[0]
    assert forked <= whole + 1e-7
    assert whole <= H * forked + 1e-7


def test_h5_both_ends_are_attained():
    one = np.ones((1, 4))
    assert makespan_lp(one, np.ones(1), no_fork=True)[0] == pytest.approx(
        4 * makespan_lp(one, np.ones(1))[0]
    )
    diagonal = np.eye(3)
    assert makespan_lp(diagonal, np.ones(3), no_fork=True)[0] == pytest.approx(
        makespan_lp(diagonal, np.ones(3))[0]
    )


# H6


def weighted(order, p, w, speed):
    """Sum of w_j C_j with all nodes on one job at a time."""
    ends = itertools.accumulate(p[j] for j in order)
    return sum(w[j] * t / speed for j, t in zip(order, ends, strict=True))


@exact
@given(
    st.lists(st.tuples(numbers, st.integers(0, 9).map(Fraction)), min_size=1, max_size=5), numbers
)
def test_h6_smith_rule_is_least(jobs, speed):
    p, w = [a for a, _ in jobs], [b for _, b in jobs]
    smith = sorted(range(len(p)), key=lambda j: p[j] / w[j] if w[j] else Fraction(10**9))
    best = min(weighted(order, p, w, speed) for order in itertools.permutations(range(len(p))))
    assert weighted(smith, p, w, speed) == best


@exact
@given(related(), st.randoms(use_true_random=False))
def test_h6_no_schedule_with_forking_beats_smith(case, random):
    """Completion times of random non-idling rounds against the lower bound."""
    sizes, speeds, tau = case
    w = [Fraction(random.randint(0, 5)) for _ in sizes]
    left, ends, now = list(sizes), [Fraction(0)] * len(sizes), Fraction(0)
    while any(left):
        active = [j for j, p in enumerate(left) if p]
        rate = dict.fromkeys(active, Fraction(0))
        for speed in speeds:
            rate[random.choice(active)] += speed
        for j in active:
            if rate[j]:
                worked = min(tau, left[j] / rate[j])
                left[j] -= worked * rate[j]
                ends[j] = now + worked
        now += tau
    smith = sorted(range(len(sizes)), key=lambda j: sizes[j] / w[j] if w[j] else Fraction(10**9))
    least = weighted(smith, sizes, w, sum(speeds))
    assert sum(a * b for a, b in zip(w, ends, strict=True)) >= least


# H7


@pytest.mark.parametrize("seed", range(4))
def test_h7_stretched_lp_is_within_two(seed):
    random = np.random.default_rng(seed)
    J, H, T, tau = 3, 3, 30, 1.0
    X, Q = random.uniform(0.3, 3, (J, H)), random.uniform(3, 9, J)
    w, release = random.uniform(1, 5, J), random.integers(0, 5, J)
    keys = [(j, h, t) for j in range(J) for h in range(H) for t in range(release[j], T)]
    cost = np.array([w[j] * t * tau * X[j, h] / Q[j] for j, h, t in keys])
    cap, work = np.zeros((H * T, len(keys))), np.zeros((J, len(keys)))
    for i, (j, h, t) in enumerate(keys):
        cap[h * T + t, i] = 1
        work[j, i] = X[j, h]
    solved = linprog(cost, A_ub=cap, b_ub=np.full(H * T, tau), A_eq=work, b_eq=Q, bounds=(0, None))
    assert solved.status == 0
    progress = np.zeros((J, T + 1))
    for i, (j, h, t) in enumerate(keys):
        progress[j, t + 1] += X[j, h] * solved.x[i] / Q[j]
    done = progress.cumsum(1)
    lambdas = (np.arange(1000) + 0.5) / 1000

    def completion(j, share):  # in continuous time the LP is spread evenly over each slot
        return np.interp(share, done[j] + np.arange(T + 1) * 1e-12, np.arange(T + 1) * tau)

    stretched = sum(w[j] * completion(j, lambdas) / lambdas for j in range(J))
    assert (stretched * 2 * lambdas).mean() <= 2 * solved.fun + tau * w.sum() + 1e-2
    assert stretched.min() <= 2 * solved.fun + tau * w.sum() + 1e-2


# H8


@exact
@given(st.integers(1, 3), st.integers(1, 4), st.data())
def test_h8_one_round(J, H, data):
    """Without caps: per-node argmax. With gains capped at the work left: greedy is within 1/2."""
    gain = [[data.draw(st.integers(0, 9)) for _ in range(H)] for _ in range(J)]
    limit = [data.draw(st.integers(0, 12)) for _ in range(J)]
    choices = list(itertools.product(range(J), repeat=H))
    free = max(sum(gain[j][h] for h, j in enumerate(a)) for a in choices)
    assert free == sum(max(gain[j][h] for j in range(J)) for h in range(H))

    def capped(a):
        return sum(min(limit[j], sum(gain[j][h] for h, i in a.items() if i == j)) for j in range(J))

    greedy: dict[int, int] = {}
    while len(greedy) < H:
        h, j = max(
            ((h, j) for h in range(H) if h not in greedy for j in range(J)),
            key=lambda hj: capped({**greedy, hj[0]: hj[1]}),
        )
        greedy[h] = j
    assert 2 * capped(greedy) >= max(capped(dict(enumerate(a))) for a in choices)


def test_h3_is_no_bound_when_jobs_share_a_node():
    """One 2-GPU node, two 1-GPU jobs of work 1 at rate 1: H3 would say 2 rounds, one is enough."""
    as_one_machine, *_ = makespan_lp(np.ones((2, 1)), np.ones(2))
    assert as_one_machine == pytest.approx(2)
    cluster = hadaropt.Cluster.of({"n": {"V100": 2}})
    jobs = [hadaropt.Job(name, 0, 1, 1, {"V100": 1}, Table((1, 1))) for name in "ab"]
    run = hadaropt.run_online(hadaropt.Instance(cluster, jobs, 2, 1), Fifo())
    assert run.completion == (0, 0)
