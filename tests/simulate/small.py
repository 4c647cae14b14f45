"""Small workloads that can be run by hand: speeds make 1 iteration a second on a 'fast' gang."""

from dataclasses import replace
from fractions import Fraction

from hadaropt.instance import Cluster
from hadaropt.simulate.engine import simulate_rounds
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.registry import make_scheduler
from hadaropt.workload import Workload, WorkloadJob


def job(name, submit, gang, iterations, **changes):
    throughput = {"fast": 1, "slow": "0.5"}
    return WorkloadJob(
        name, submit, gang, iterations, **{"throughput": throughput, "spread_factor": 1} | changes
    )


def workload(cluster, *jobs):
    own = Cluster.parse(cluster)
    jobs = (
        replace(j, throughput={r: x for r, x in j.throughput.items() if r in own.accelerators})
        for j in jobs
    )
    return Workload(own, tuple(jobs))


def run(cluster, scheduler, *jobs, tau=100, **options):
    problem = RoundProblem.of_workload(workload(cluster, *jobs), round_seconds=tau, **options)
    own = make_scheduler(scheduler) if isinstance(scheduler, str) else scheduler
    return simulate_rounds(problem, own)


def finish(simulated):
    """Completion instants by name."""
    return {simulated.problem.jobs[j].name: instant for j, instant in simulated.finish.items()}


def rounds_of(simulated):
    """For each round that has any: the jobs that run and the types they hold."""
    types = simulated.problem.cluster.accelerators
    table = {}
    for use in simulated.uses:
        held = {}
        for _, r, count in use.placement:
            held[types[r]] = held.get(types[r], 0) + count
        table.setdefault(use.round, {})[simulated.problem.jobs[use.job].name] = held
    return table


HALF = Fraction(1, 2)
