"""From gangs, speeds, lengths and arrivals to an instance of whole rounds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from hadaropt.exact import to_non_negative
from hadaropt.generate.draws import Draws, Floats, Ints
from hadaropt.generate.load import offered_load
from hadaropt.generate.request import Request, names
from hadaropt.generate.sizing import Sample, check_load
from hadaropt.generate.utilities import MAKERS
from hadaropt.instance import Cluster, Instance, Job

ROUND_SECONDS = Fraction(360)
ARRIVAL_SHARE = 0.7
"""Jobs arrive in the first part of the horizon, so that late ones can still complete."""


@dataclass(frozen=True)
class Profile:
    """Speeds of a whole gang, by type, and its progress in one round."""

    speeds: Mapping[str, Fraction]
    gains: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        gains = tuple(math.floor(speed * ROUND_SECONDS) for speed in self.speeds.values())
        object.__setattr__(self, "gains", gains)


@dataclass(frozen=True)
class Terms:
    """Parameters that slotted families share: kinds of utility, and two fields of the format."""

    utilities: object
    spread_factor: object
    consolidation_seconds: object


def release_rounds(draws: Draws, count: int, num_rounds: int) -> Ints:
    """Return sorted releases, uniform over the first 70 per cent of the rounds."""
    last = max(1, math.floor(num_rounds * ARRIVAL_SHARE)) - 1
    return np.sort(draws.integers("release", count, 0, last))


def worth(draws: Draws, gangs: Ints, lengths: Floats) -> Ints:
    """Return whole values: 10 W sqrt(length) times a factor uniform in [0.5, 2), at least 1."""
    factor = draws.between("value", len(gangs), 0.5, 2.0)
    return np.maximum(1, np.rint(10 * gangs * np.sqrt(lengths) * factor)).astype(np.int64)


def build_instance(
    request: Request,
    cluster: Cluster,
    *,
    profiles: Sequence[Profile],
    sample: Sample,
    iterations: Ints,
    releases: Ints,
    terms: Terms,
) -> Instance:
    """Return the instance of these jobs, each with a utility drawn among the kinds.

    Raises
    ------
    InstanceError
        For a bad parameter, or a load that was asked for and is missed.
    """
    draws, count = request.draws, request.num_jobs
    kinds = names(terms.utilities, "utilities", tuple(MAKERS))
    spread = to_non_negative(terms.spread_factor, "spread_factor")
    values = worth(draws, sample.gangs, iterations / sample.best).tolist()
    chosen = draws.choices("utility", count, [1] * len(kinds)).tolist()
    patience = draws.between("patience", count, 1.5, 5.0).tolist()
    jobs = []
    gangs, sizes = sample.gangs.tolist(), iterations.tolist()
    rows = zip(profiles, gangs, sizes, releases.tolist(), strict=True)
    for j, (profile, gang, size, release) in enumerate(rows):
        shortest = -(-size // max(profile.gains))
        slack = round(patience[j] * shortest + 2)
        make = MAKERS[kinds[chosen[j]]]
        utility = make(values[j], shortest, slack, size, ROUND_SECONDS)
        jobs.append(Job(f"j{j}", release, gang, size, profile.speeds, utility, spread))
    instance = Instance(
        cluster,
        tuple(jobs),
        request.num_rounds,
        ROUND_SECONDS,
        request.parallelism,
        to_non_negative(terms.consolidation_seconds, "consolidation_seconds"),
        request.name,
    )
    if jobs:
        check_load(request, offered_load(instance))
    return instance
