"""Search for instances on which more machines than the optimum has do not help (theorem R3).

    python -m benchmarks.adversaries.room [--scheduler NAME] [--machines 2] [--types 1]
        [--budget 60]

One GPU of each type for the optimum, so many for the scheduler; jobs of several rounds, eight
rounds, U/L = 100. With two types a job has several levels (theorem R3l).
Prints the worst OPT / P found and the most that R3 allowed on that instance. Stops with an error
if a run is worse than the theorem that it names.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from fractions import Fraction

from hadaropt.bench.adversary.judge import Judge, Judged
from hadaropt.bench.adversary.search import Budget, Search
from hadaropt.bench.adversary.space import Limits, Play, belongs
from hadaropt.bench.ratio.contestants import make_contestant
from hadaropt.errors import InvariantError
from hadaropt.instance import Instance
from hadaropt.results import RoundRun
from hadaropt.simulate.rounds import run_rounds

CLASS = Limits(jobs=8, rounds=8, gpus=1, gang=1, spread=100)


@dataclass
class RoomJudge(Judge):
    """Scores plays by the optimum on them over the value with ``machines`` times the GPUs."""

    machines: int = 2
    scheduler: str = "hadar:guaranteed"

    def room(self, play: Play) -> RoundRun:
        """Run the scheduler on the larger cluster."""
        large = replace(
            play, gpus=tuple(tuple(c * self.machines for c in row) for row in play.gpus)
        )
        world = self.limits.parallelism
        return run_rounds(large.instance(world), self.scheduler, rival=self.small(play))

    def small(self, play: Play) -> Instance:
        return play.instance(self.limits.parallelism)

    def __call__(self, play: Play, floor: Fraction) -> Judged | None:
        """Return the judged play, or None if it is outside the class or not above the floor."""
        self.count += 1
        if not play.offers or any(offer.release >= play.rounds for offer in play.offers):
            return None
        instance = self.small(play)
        if not belongs(instance, self.limits):
            return None
        run = self.room(play)
        judged = Judged(play, run.value, self._optimum(play, instance))
        if run.theorem is not None and judged.against > run.theorem.constant * run.value:
            raise InvariantError(f"{run.theorem.id} is broken by {play}")
        return judged if judged.score is None or judged.score > floor else None


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.adversaries.room", description=__doc__
    )
    parser.add_argument("--scheduler", default="hadar:guaranteed")
    parser.add_argument("--machines", type=int, default=2)
    parser.add_argument("--types", type=int, default=1, choices=(1, 2))
    parser.add_argument("--budget", type=float, default=60.0)
    parser.add_argument("--evaluations", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    policy = make_contestant(f"round:{options.scheduler}")
    limits = replace(CLASS, types=options.types)
    judge = RoomJudge(policy, limits, machines=options.machines, scheduler=options.scheduler)
    found = Search(judge, options.seed).run(Budget(options.budget, options.evaluations))
    if found.best is None or found.best.score is None:
        print(f"{judge.count} instances, none worth anything")
        return 1
    theorem = judge.room(found.best.play).theorem
    allowed = "none" if theorem is None else f"{theorem.id}: {float(theorem.constant):.4g}"
    print(
        f"{options.scheduler}, {options.machines} machines for one: {judge.count} instances, "
        f"worst OPT/P {float(found.best.score):.4g} (allowed there: {allowed}), "
        f"{len(found.best.play.offers)} jobs"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
