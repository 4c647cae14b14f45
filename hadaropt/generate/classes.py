"""Families of any size whose capacity follows from the load: six_class, measured_rates."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from hadaropt.errors import InstanceError
from hadaropt.exact import to_integer
from hadaropt.generate.draws import Ints
from hadaropt.generate.request import Request, integers
from hadaropt.generate.sizing import Sample, capacities, fit_iterations, split_nodes
from hadaropt.generate.slotted import Profile, Terms, build_instance, release_rounds
from hadaropt.instance import Instance
from hadaropt.traces.throughputs import model_types, throughput

TYPES = ("V100", "P100", "K80")
SHARES = (0.3, 0.3, 0.4)
"""Shares of the GPUs by type."""

GANG_WEIGHTS = {1: 70, 2: 10, 4: 15, 8: 5}
"""Per cent of jobs by gang size, as in the evaluation of Gavel (OSDI 2020)."""

CLASSES = ((20, 8, 2), (20, 10, 4), (20, 8, 3), (20, 12, 6), (20, 14, 10), (20, 9, 3))
"""Progress per round on V100, P100 and K80, in twentieths of a round on V100."""

KINDS = ("linear", "effective_throughput", "sigmoid", "step")


def six_class(
    request: Request,
    *,
    gang_sizes: object = tuple(GANG_WEIGHTS),
    gpus_per_node: object = 4,
    utilities: object = KINDS,
    spread_factor: object = 1,
    consolidation_seconds: object = 36,
) -> Instance:
    """Return jobs of six speed classes on V100, P100 and K80, all in the same order of speed.

    20 units of progress in a round on V100, 2 to 14 on the others, whatever the gang; 1 to T/4
    rounds on V100, log-uniformly; releases in the first 70 per cent; values 10 W sqrt(length) times
    0.5 to 2. Capacity follows from the load, in the ratio 3 : 3 : 4, and never falls below the
    largest gang.

    Parameters
    ----------
    gang_sizes : integers
        Among 1, 2, 4 and 8, whose shares are as in the evaluation of Gavel.
    gpus_per_node : int
    utilities : names
    spread_factor, consolidation_seconds : number
        Of every job, and of the instance.
    """
    profiles = [Profile(_speeds(row)) for row in CLASSES]
    classes = request.draws.integers("class", request.num_jobs, 0, len(CLASSES) - 1)
    drawn = [profiles[k] for k in classes.tolist()]
    terms = Terms(utilities, spread_factor, consolidation_seconds)
    return _sized(request, drawn, _gangs(request, gang_sizes), 18, gpus_per_node, terms)


def measured_rates(
    request: Request,
    *,
    gang_sizes: object = tuple(GANG_WEIGHTS),
    gpus_per_node: object = 4,
    utilities: object = KINDS,
    spread_factor: object = 1,
    consolidation_seconds: object = 36,
) -> Instance:
    """Return `six_class` with the speeds of the shipped throughput table instead of the classes.

    Each job draws a model among those measured at its gang size: thousands of iterations per round,
    types ordered differently by different jobs, some that cannot run on some type.

    Parameters
    ----------
    gang_sizes : integers
        Among 1, 2, 4 and 8, whose shares are as in the evaluation of Gavel.
    gpus_per_node : int
    utilities : names
    spread_factor, consolidation_seconds : number
        Of every job, and of the instance.
    """
    gangs = _gangs(request, gang_sizes)
    table = {
        gang: [Profile(dict(throughput(model, gang))) for model in model_types(gang)]
        for gang in sorted(set(gangs.tolist()))
    }
    where = request.draws.uniform("model", request.num_jobs).tolist()
    profiles = [
        table[gang][int(x * len(table[gang]))]
        for gang, x in zip(gangs.tolist(), where, strict=True)
    ]
    terms = Terms(utilities, spread_factor, consolidation_seconds)
    return _sized(request, profiles, gangs, 1, gpus_per_node, terms)


def _speeds(row: Sequence[int]) -> dict[str, Fraction]:
    return {kind: Fraction(units, 20) for kind, units in zip(TYPES, row, strict=True)}


def _gangs(request: Request, gang_sizes: object) -> Ints:
    sizes = integers(gang_sizes, "gang_sizes")
    for i, size in enumerate(sizes):
        if size not in GANG_WEIGHTS:
            rule = f"must be one of {', '.join(map(str, GANG_WEIGHTS))}"
            raise InstanceError(f"gang_sizes[{i}]", rule, str(size))
    weights = [GANG_WEIGHTS[size] for size in sizes]
    return np.array(sizes)[request.draws.choices("gang", request.num_jobs, weights)]


def _sized(
    request: Request,
    profiles: Sequence[Profile],
    gangs: Ints,
    unit: int,
    gpus_per_node: object,
    terms: Terms,
) -> Instance:
    count, rounds = request.num_jobs, request.num_rounds
    lengths = request.draws.log_uniform("length", count, 1.0, max(3.0, rounds // 4))
    gains = np.array([profile.gains for profile in profiles], dtype=np.float64)
    units = np.full(count, unit, dtype=np.int64)
    sample = Sample(gangs, gains.reshape(count, len(TYPES)), lengths, units)
    counts = capacities(request, sample, SHARES, int(gangs.max(initial=1)))
    capacity = dict(zip(TYPES, counts, strict=True))
    return build_instance(
        request,
        split_nodes(capacity, to_integer(gpus_per_node, "gpus_per_node", least=1)),
        profiles=profiles,
        sample=sample,
        iterations=fit_iterations(request, sample, counts, max(1.0, rounds / 2)),
        releases=release_rounds(request.draws, count, rounds),
        terms=terms,
    )
