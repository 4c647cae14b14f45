"""Conservation laws of a simulated run: nothing is lost, made up, shared twice or forgotten."""

from collections import defaultdict
from fractions import Fraction
from math import ceil, floor

from hadaropt.schedule import check_schedule, trim_schedule
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import BUILT_IN, make_scheduler

from .workloads import odd_instance, odd_problem


def check(rng):
    """Run one scheduler on one odd workload, or on one odd instance, and check every law."""
    name = rng.choice(BUILT_IN)
    if rng.random() < 0.75:
        check_run(simulate_rounds(odd_problem(rng), make_scheduler(name)))
        return
    instance = odd_instance(rng)
    run = simulate_rounds(RoundProblem.of_instance(instance), make_scheduler(name))
    check_run(run)
    check_against_the_checker(instance, run)


def check_run(run, *, may_starve=False):
    check_work(run)
    check_capacity(run)
    if not may_starve and run.problem.horizon is None:
        check_everybody_completes(run)


def check_against_the_checker(instance, run):
    """The rounds of the run are a schedule that completes the same jobs at the same times."""
    checked = check_schedule(instance, trim_schedule(instance, run.schedule()))
    for j, completion in enumerate(checked.completion):
        ends = run.finish.get(j)
        last = None if ends is None else ceil(ends / instance.round_seconds) - 1
        assert completion == last, "completes in another round than the checker says"


def gangs(use, size):
    """GPUs of each gang: one, or one for each node where there are copies."""
    if len(use.copy_steps) == 1:
        return [use.placement]
    at = defaultdict(list)
    for h, r, count in use.placement:
        at[h].append((h, r, count))
    return [at[h] for h in sorted(at)]


def check_work(run):
    """Steps are those of the placement, in whole iterations, and add up to what is needed."""
    problem, tau = run.problem, run.problem.round_seconds
    done, before = defaultdict(int), {}
    for use in sorted(run.uses, key=lambda use: use.round):
        job = problem.jobs[use.job]
        assert use.round * tau >= job.arrival, "ran before it arrived"
        assert 0 <= use.seconds <= tau, "held GPUs for longer than a round"
        assert sum(use.copy_steps) == use.steps
        held = gangs(use, job.gang_size)
        assert len(held) == len(use.copy_steps) <= max(1, job.max_copies)
        stayed = before.get(use.job) == (use.round - 1, use.placement)
        assert use.restarted == (not stayed), "restart charged, or not, against the rule"
        lost = problem.restart_seconds if use.restarted else Fraction(0)
        lost += problem.consolidation_seconds if len(held) > 1 else 0
        for gang, steps in zip(held, use.copy_steps, strict=True):
            types, nodes = {r for _, r, _ in gang}, {h for h, _, _ in gang}
            assert sum(count for _, _, count in gang) == job.gang_size, "no whole gang"
            assert problem.mixing or len(types) == 1, "mixes types"
            speed = min(job.speed[r] for r in types)
            assert speed > 0, "runs on a type that cannot run it"
            speed *= job.spread_factor if len(nodes) > 1 else 1
            assert steps <= floor(speed * max(0, use.seconds - lost)), "more steps than time"
        done[use.job] += use.steps
        assert done[use.job] <= job.iterations, "did more than is needed"
        before[use.job] = use.round, use.placement
    for j, job in enumerate(problem.jobs):
        assert (j in run.finish) == (done[j] == job.iterations), "complete without its work"
        if j in run.finish:
            last = max(use.round for use in run.uses if use.job == j)
            assert last * tau < run.finish[j] <= (last + 1) * tau, "ends outside its last round"


def check_capacity(run):
    used = defaultdict(int)
    for use in run.uses:
        for h, r, count in use.placement:
            assert count >= 1
            used[use.round, h, r] += count
    capacity = run.problem.cluster.capacity
    assert all(count <= capacity[h][r] for (_, h, r), count in used.items()), "above capacity"


def runnable(problem, j):
    """Whether job j could do an iteration in a round alone on the cluster, counted out."""
    job, capacity = problem.jobs[j], problem.cluster.capacity
    for slowest, speed in enumerate(job.speed):
        if speed == 0:
            continue
        fast = [r for r, x in enumerate(job.speed) if x >= speed]
        types = fast if problem.mixing else [slowest]
        inside = any(sum(row[r] for r in types) >= job.gang_size for row in capacity)
        across = sum(row[r] for row in capacity for r in types) >= job.gang_size
        if inside and floor(speed * problem.round_seconds) >= 1:
            return True
        if across and floor(speed * job.spread_factor * problem.round_seconds) >= 1:
            return True
    return False


def check_everybody_completes(run):
    for j in range(len(run.problem.jobs)):
        able = runnable(run.problem, j)
        assert (j in run.finish) == able, f"job {j} under {run.scheduler}: runnable {able}"
        assert (j in run.unschedulable) == (not able)
