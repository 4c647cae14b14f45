"""How far the bounds of audits are from exact optima, on logs small enough to try everything.

python -m benchmarks.runtime.audit_bounds [--seeds 200] [--jobs 5]

Jobs on 1 to 4 GPUs, releases 0 .. 8, services 1 .. 6, in whole ticks. Optima by exhaustion, with
pauses at whole ticks and in one piece; a bound is on the sum of completions, as an audit has it.
"Waiting proved": the bound on the waiting over the waiting of the optimum, over all logs together.
"""

from __future__ import annotations

import argparse
import random
from fractions import Fraction

from hadaropt.auditing.floor import floors, replays
from tests.auditing.brute import Asked, least_in_one_piece, least_with_preemption


def drawn(seed: int, most: int) -> tuple[list[Asked], int]:
    """Return jobs and GPUs."""
    draw = random.Random(seed)
    gpus = draw.randint(1, 4)
    jobs = [
        (draw.randint(0, 8), draw.randint(1, 6), draw.randint(1, gpus))
        for _ in range(draw.randint(2, most))
    ]
    return jobs, gpus


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=5, help="at most, in one log")
    options = parser.parse_args()
    kinds = ("with pauses", "in one piece")
    proved, waited = dict.fromkeys(kinds, Fraction(0)), dict.fromkeys(kinds, 0)
    equal, worst = dict.fromkeys(kinds, 0), dict.fromkeys(kinds, Fraction(1))
    for seed in range(options.seeds):
        jobs, gpus = drawn(seed, options.jobs)
        asked = [("G", job) for job in jobs]
        floor = floors(asked, {"G": gpus}, 1, replays(asked, {"G": gpus}))["G"]
        alone = sum(release + service for release, service, _ in jobs)
        found = {
            "with pauses": (floor.completions, least_with_preemption(jobs, gpus)),
            "in one piece": (floor.in_one_piece, least_in_one_piece(jobs, gpus)),
        }
        for kind, (bound, optimum) in found.items():
            assert bound <= optimum, (seed, kind)
            proved[kind] += max(bound - alone, Fraction(0))
            waited[kind] += optimum - alone
            equal[kind] += optimum - bound < Fraction(1, 1000)
            worst[kind] = min(worst[kind], Fraction(bound) / optimum)
    print("| schedules | logs | bound = optimum | least bound / optimum | waiting proved |")
    print("|---|---|---|---|---|")
    for kind in kinds:
        share = float(proved[kind] / waited[kind])
        print(
            f"| {kind} | {options.seeds} | {equal[kind]} | {float(worst[kind]):.3f} | {share:.1%} |"
        )


if __name__ == "__main__":
    main()
