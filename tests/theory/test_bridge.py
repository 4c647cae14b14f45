"""The bridge: irredundant schedules of positive value, chosen within capacities, are enough."""

from hypothesis import HealthCheck, given, settings

from tests.instances_strategy import tiny_instances
from tests.oracle import capacity, iterations, job_schedules, num_rounds, optimum
from tests.theory.abstract import Abstract, Offer
from tests.theory.abstract import optimum as best_selection


def abstract(inst):
    """One resource per (round, node, type); jobs offer their irredundant schedules worth something.

    Of schedules of equal use the best is kept, so that the enumeration stays small.
    """
    cells = [(t, cell) for t in range(num_rounds(inst)) for cell in capacity(inst)]
    offers = []
    for j in range(len(inst["jobs"])):
        best = {}
        for s in job_schedules(inst, j):
            held = {(t, cell): n for t, option in s.rounds for cell, n in option.use}
            use = tuple(held.get(key, 0) for key in cells)
            best[use] = max(best.get(use, 0), s.value)
        offers.append(tuple(Offer(value, use) for use, value in best.items() if value > 0))
    return Abstract(tuple(capacity(inst)[cell] for _, cell in cells), tuple(offers))


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(tiny_instances(max_jobs=2, max_rounds=3, max_nodes=2, max_gpus=2, total_gpus=3, max_gang=2))
def test_the_abstract_problem_has_the_same_integer_optimum(inst):
    problem = abstract(inst)
    assert best_selection(problem) == optimum(inst)[0]
    for offers in problem.jobs:
        for s in offers:
            assert s.value > 0
            assert all(w <= c for w, c in zip(s.use, problem.caps, strict=True))


def test_a_schedule_from_which_a_round_can_be_dropped_is_not_offered():
    inst = {
        "format": "hadaropt-instance/1",
        "name": "one",
        "round_seconds": 1,
        "num_rounds": 3,
        "parallelism": "single_type",
        "accelerators": ["V100"],
        "nodes": [{"name": "n", "gpus": {"V100": 1}}],
        "jobs": [
            {
                "name": "a",
                "release": 0,
                "gang_size": 1,
                "iterations": 2,
                "throughput": {"V100": 1},
                "utility": {"kind": "table", "values": [1, 1, 1]},
            }
        ],
    }
    assert iterations(inst["jobs"][0]) == 2
    assert sorted(sum(s.use) for s in abstract(inst).jobs[0]) == [2, 2, 2]
