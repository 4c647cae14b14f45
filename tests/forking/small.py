"""Problems in which a node is one machine, and brute force on them."""

import itertools
from fractions import Fraction

from hypothesis import strategies as st

from hadaropt.forking.planning.problem import ForkJob, ForkProblem
from hadaropt.instance import Cluster


def machines(table, work, *, tau=1, lost=0, copies=None, **columns):
    """One GPU of its own type on each node: X_jh = table[j][h]."""
    nodes = len(table[0])
    cluster = Cluster.of({f"n{h}": {f"t{h}": 1} for h in range(nodes)})
    jobs = tuple(
        ForkJob(
            f"j{j}",
            1,
            work[j],
            tuple(Fraction(x) for x in row),
            None if copies is None else copies[j],
            **{name: values[j] for name, values in columns.items()},
        )
        for j, row in enumerate(table)
    )
    return ForkProblem(cluster, jobs, Fraction(tau), Fraction(lost))


@st.composite
def machine_problems(draw, *, most_jobs=3, most_nodes=3, capped=False, integer=False):
    nodes = draw(st.integers(1, most_nodes))
    jobs = draw(st.integers(1, most_jobs))
    step = 1 if integer else 4
    speed = st.integers(1, 12).map(lambda k: Fraction(k, step))
    table = [[draw(speed) for _ in range(nodes)] for _ in range(jobs)]
    work = [draw(st.integers(1, 60)) for _ in range(jobs)]
    copies = [draw(st.integers(1, nodes)) for _ in range(jobs)] if capped else None
    weight = [draw(st.integers(0, 4)) for _ in range(jobs)]
    return machines(table, work, tau=draw(st.integers(1, 3)), copies=copies, weight=weight)


@st.composite
def shared_problems(draw):
    """Several GPUs on a node, gangs, mixes of types, spread, caps and consolidation."""
    nodes, types = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    counts = [[draw(st.integers(0, 3)) for _ in range(types)] for _ in range(nodes)]
    counts[0][0] = max(1, counts[0][0])
    cluster = Cluster(
        tuple(f"t{r}" for r in range(types)),
        tuple(f"n{h}" for h in range(nodes)),
        tuple(map(tuple, counts)),
    )
    total = cluster.pooled_capacity
    jobs = []
    for j in range(draw(st.integers(1, 3))):
        speed = [draw(st.integers(1, 6)) for _ in range(types)]
        jobs.append(
            ForkJob(
                f"j{j}",
                draw(st.integers(1, min(3, total[0]))),
                draw(st.integers(1, 40)),
                tuple(speed),
                draw(st.integers(1, nodes)),
                draw(st.sampled_from([Fraction(1), Fraction(1, 2)])),
            )
        )
    lost = draw(st.sampled_from([0, 1]))
    return ForkProblem(cluster, tuple(jobs), Fraction(4), Fraction(lost), draw(st.booleans()))


def fewest_rounds(problem, most=12):
    """Least number of rounds until all jobs are complete, by breadth-first search."""
    nodes = len(problem.cluster.nodes)
    jobs = range(len(problem.jobs))
    tau, lost = problem.round_seconds, problem.consolidation_seconds

    def gains(assignment):
        done = []
        for j in jobs:
            mine = [h for h in range(nodes) if assignment[h] == j]
            if len(mine) > problem.copies(j):
                return None
            trained = tau - lost if len(mine) > 1 else tau
            done.append(sum(int(problem.node_speeds[j][h] * trained) for h in mine))
        return tuple(done)

    moves = {
        gains(a) for a in itertools.product([None, *jobs], repeat=nodes) if gains(a) is not None
    }
    states = {tuple(job.remaining for job in problem.jobs)}
    for rounds in range(1, most + 1):
        states = {
            tuple(max(0, left - gain) for left, gain in zip(state, move, strict=True))
            for state in states
            for move in moves
        }
        if any(not any(state) for state in states):
            return rounds
    return None
