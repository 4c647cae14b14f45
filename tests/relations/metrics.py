"""The figures of a run against a recount from its event log alone."""

import math
from collections import defaultdict
from fractions import Fraction

from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.metrics import metrics
from hadaropt.simulate.registry import BUILT_IN, make_scheduler

from .workloads import odd_problem

RUNS = ("start", "resume", "move")


def check(rng):
    """Recount the figures of one scheduler on one odd workload."""
    problem, name = odd_problem(rng), rng.choice(BUILT_IN)
    check_metrics(simulate_rounds(problem, make_scheduler(name)))


def intervals(run, until):
    """(begin, end, placement) of everything that was held up to an instant, from the events."""
    open_at, found = {}, []
    rest = max((use.round + 1 for use in run.uses), default=0) * run.problem.round_seconds
    for event in run.events:
        j = event.job
        if j in open_at and event.kind in (*RUNS, "pause", "finish"):
            found.append((*open_at.pop(j), event.instant, j))
        if event.kind in RUNS:
            open_at[j] = event.instant, event.placement
    found += [(*held, rest, j) for j, held in open_at.items()]
    return [
        (begin, min(end, until), placement, j)
        for begin, placement, end, j in found
        if begin < until and placement
    ]


def union(parts):
    """Seconds covered by intervals."""
    total, reached = Fraction(0), None
    for begin, end in sorted(parts):
        low = begin if reached is None else max(begin, reached)
        total += max(Fraction(0), end - low)
        reached = end if reached is None else max(reached, end)
    return total


def check_metrics(run):
    found, cluster = metrics(run), run.problem.cluster
    arrive = {e.job: e.instant for e in run.events if e.kind == "arrive"}
    finish = {e.job: e.instant for e in run.events if e.kind == "finish"}
    start = {e.job: e.instant for e in run.events if e.kind == "start"}
    assert found.done == len(finish) and found.jobs == len(run.problem.jobs)
    last, first = max(finish.values(), default=0), min(arrive.values(), default=0)
    span = max(Fraction(0), Fraction(last) - first)
    assert math.isclose(found.ttd_s, span) and math.isclose(found.makespan_s, last)
    held = intervals(run, Fraction(last))
    gpus = sum(sum(row) for row in cluster.capacity)
    seconds = sum(
        ((end - begin) * sum(n for _, _, n in place) for begin, end, place, _ in held), Fraction(0)
    )
    close(found.gru, seconds / (gpus * span) if gpus and span else 0)
    on_node = defaultdict(list)
    for begin, end, place, _ in held:
        for h in {h for h, _, _ in place}:
            on_node[h].append((begin, end))
    busy = sum((union(parts) for parts in on_node.values()), Fraction(0))
    close(found.cru, busy / (len(cluster.nodes) * span) if span else 0)
    for share in (found.gru, found.cru, found.useful_utilization):
        assert 0 <= share <= 1 + 1e-12
    for figure, own in (
        (found.jct_s, [finish[j] - arrive[j] for j in finish]),
        (found.queueing_s, [start[j] - arrive[j] for j in finish]),
    ):
        assert (figure is None) == (not own)
        if own:
            close(figure.mean, sum(own) / len(own))
            close(figure.max, max(own))
    moves = sum(1 for event in run.events if event.kind in RUNS)
    assert found.restarts == moves


def close(found, exact):
    assert math.isclose(found, exact, rel_tol=1e-9, abs_tol=1e-12), (found, float(exact))
