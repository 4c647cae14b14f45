"""Value ladders against price functions: adversarial_price."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hadaropt.exact import to_integer, to_non_negative
from hadaropt.generate.request import Request, names
from hadaropt.generate.sizing import split_nodes
from hadaropt.generate.slotted import ROUND_SECONDS
from hadaropt.instance import Instance, Job
from hadaropt.utility import Step

TYPES = ("V100", "P100")
GAIN = 36
"""Iterations of one GPU in one round, on either type."""

Offer = tuple[int, int]
"""A gang size, and a value per GPU and round."""


@dataclass(frozen=True)
class _Window:
    """One trap: jobs, GPUs that they can use, GPUs of one type, top density, a random number."""

    jobs: int
    gpus: int
    per_type: int
    top: int
    draw: float

    def density(self, step: int, steps: int) -> int:
        """Return top ** (step / steps), rounded."""
        return max(1, round(math.pow(self.top, step / max(1, steps))))

    def large(self) -> int:
        """Return a gang of more than half of one type."""
        half = self.per_type // 2
        return half + 1 + int(self.draw * (self.per_type - half))


def adversarial_price(
    request: Request,
    *,
    traps: object = ("ladder", "flood", "blockers"),
    gpus: object = 4,
    window: object = 4,
    value_ratio: object = 64,
    gpus_per_node: object = None,
    consolidation_seconds: object = 36,
) -> Instance:
    """Return ladders of rising value per GPU and round, each over the same rounds and GPUs.

    The horizon is cut into windows. The jobs of a window are released together and arrive in the
    order of the file; each needs every round of the window and is worth nothing later, so an
    algorithm that commits at arrival must guess how far the ladder goes. A window draws its trap,
    its type, and the top of its ladder, log-uniformly up to ``value_ratio``:

    - ``ladder``: at each level as many equal gangs as fill the GPUs, of one type or of both;
      densities rise geometrically from 1 to the top. Lower bound 1 + ln(U/L) (theorem T10), and
      U/L where one gang fills everything.
    - ``flood``: single GPUs of density 1 fill everything, then gangs of more than half come at
      rising densities. A price that rises slowly is full, one that starts high stays empty.
    - ``blockers``: c - m + 1 GPUs at one density, then m > c/2 at the next, up to the top. Lower
      bound m U / ((c - m + 1) L) (theorem T10): no logarithm is possible.

    Parameters
    ----------
    traps : names
    gpus : int
        c >= 2 GPUs of each of the two types.
    window : int
        Rounds of a window, cut to the horizon.
    value_ratio : int
        U/L >= 2: the largest density.
    gpus_per_node : int, optional
        All GPUs of a type stand in one node by default.
    consolidation_seconds : number
    """
    count = to_integer(gpus, "gpus", least=2)
    per_node = count if gpus_per_node is None else gpus_per_node
    length = min(to_integer(window, "window", least=1), request.num_rounds)
    ratio = to_integer(value_ratio, "value_ratio", least=2)
    draws, kinds = request.draws, names(traps, "traps", tuple(TRAPS))
    windows = max(1, min(request.num_rounds // length, request.num_jobs))
    trap = draws.choices("trap", windows, [1] * len(kinds)).tolist()
    where = draws.integers("type", windows, 0, len(TYPES)).tolist()
    top = draws.log_uniform("top", windows, 2.0, ratio + 1.0).tolist()
    number = draws.uniform("gang", windows).tolist()
    jobs: list[Job] = []
    for k in range(windows):
        kind = kinds[trap[k]]
        both = kind == "ladder" and where[k] == len(TYPES)
        types = TYPES if both else (TYPES[where[k] % len(TYPES)],)
        until = request.num_jobs * (k + 1) // windows
        offers = TRAPS[kind](
            _Window(until - len(jobs), len(types) * count, count, int(top[k]), number[k])
        )
        jobs += [_job(len(jobs) + i, k, length, types, offer) for i, offer in enumerate(offers)]
    return Instance(
        split_nodes(dict.fromkeys(TYPES, count), to_integer(per_node, "gpus_per_node", least=1)),
        tuple(jobs),
        request.num_rounds,
        ROUND_SECONDS,
        request.parallelism,
        to_non_negative(consolidation_seconds, "consolidation_seconds"),
        request.name,
    )


def _job(index: int, window: int, length: int, types: Sequence[str], offer: Offer) -> Job:
    gang, density = offer
    speed = Fraction(gang * GAIN) / ROUND_SECONDS
    return Job(
        f"j{index}",
        window * length,
        gang,
        gang * GAIN * length,
        dict.fromkeys(types, speed),
        Step(gang * density * length, length),
    )


def _ladder(window: _Window) -> list[Offer]:
    sizes = [g for g in range(1, window.per_type + 1) if window.gpus % g == 0]
    # Two full levels at least, or else no ladder: larger gangs where there are few jobs.
    sizes = [g for g in sizes if 2 * (window.gpus // g) <= window.jobs] or sizes[-1:]
    gang = sizes[int(window.draw * len(sizes))]
    copies = window.gpus // gang
    last = (window.jobs - 1) // copies
    return [(gang, window.density(i // copies, last)) for i in range(window.jobs)]


def _flood(window: _Window) -> list[Offer]:
    small = min(window.gpus, window.jobs // 2)
    large = window.jobs - small
    return [(1, 1)] * small + [(window.large(), window.density(i + 1, large)) for i in range(large)]


def _blockers(window: _Window) -> list[Offer]:
    large = window.large()
    sizes = (window.per_type - large + 1, large)
    return [(sizes[i % 2], window.density(i, window.jobs - 1)) for i in range(window.jobs)]


TRAPS: dict[str, Callable[[_Window], list[Offer]]] = {
    "ladder": _ladder,
    "flood": _flood,
    "blockers": _blockers,
}
