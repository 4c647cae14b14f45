"""Every placement of a gang, and every set of copies, makes the progress that each encoding says.

The placements come from the oracle, which lists them by brute force. The four encodings are the
compact program, column generation, the tables of the Lagrangian dual, and pricing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np
from hypothesis import given, settings

from hadaropt import Instance
from hadaropt.modes import copy_modes, gang_modes, is_pooled
from hadaropt.modes.plans import raw_ways
from hadaropt.offline.colgen.pricing_data import JobOptions, Space
from hadaropt.offline.compact.formulation import exact_form
from hadaropt.offline.lagrangian.job_table import job_table
from hadaropt.pricing.model import job_model
from tests.instances_strategy import tiny_instances
from tests.offline.support import instance_of
from tests.oracle import Json, Option, round_options

Held = tuple[tuple[int, int], ...]
"""The (node, type) of the GPUs that one gang or one copy holds."""


def gangs_of(instance: Instance, option: Option) -> list[Held]:
    """The gang of an option of the oracle, or its copies."""
    nodes = {node: h for h, node in enumerate(instance.cluster.nodes)}
    types = {name: r for r, name in enumerate(instance.cluster.accelerators)}
    cells = [(nodes[h], types[r]) for (h, r), _ in option.use]
    if not option.copies:
        return [tuple(cells)]
    return [tuple(part) for _, part in groupby(cells, key=lambda cell: cell[0])]


def options(document: Json, instance: Instance) -> Iterator[tuple[int, list[Held], int, bool]]:
    """Yield (job, gangs, progress, copies) of everything that some job may hold in a round."""
    for j, job in enumerate(document["jobs"]):
        for option in round_options(document, job):
            yield j, gangs_of(instance, option), option.progress, option.copies


def fits(held: Held, types: set[int], inside: bool) -> bool:
    """Whether a placement is one of these types, and inside a node where it has to be."""
    return {r for _, r in held} <= types and (not inside or len({h for h, _ in held}) == 1)


@given(tiny_instances())
@settings(deadline=None, max_examples=150)
def test_modes(document: Json) -> None:
    instance = instance_of(document)
    for j, gangs, progress, copies in options(document, instance):
        modes = copy_modes(instance, j) if copies else gang_modes(instance, j)
        best = [
            max(
                (
                    mode.iterations
                    for mode in modes
                    if fits(held, set(mode.types), mode.reach != "anywhere")
                ),
                default=0,
            )
            for held in gangs
        ]
        assert sum(best) == progress


@given(tiny_instances())
@settings(deadline=None, max_examples=150)
def test_modes_are_whole(document: Json) -> None:
    """None is capped, and none is left out because another one dominates it."""
    instance = instance_of(document)
    for j, job in enumerate(instance.jobs):
        slowed = job.spread_factor < 1 and job.gang_size > 1
        expected = [
            gain
            for row in ([True, False] if slowed else [False])
            for gain in instance.progress(j, spread=row)
            if gain > 0
        ]
        assert [mode.iterations for mode in gang_modes(instance, j)] == expected
        copies = [gain for gain in instance.progress(j, copies=True) if gain > 0]
        forked = instance.max_copies(j) > 1
        assert [mode.iterations for mode in copy_modes(instance, j)] == (copies if forked else [])


@given(tiny_instances())
@settings(deadline=None, max_examples=150)
def test_the_compact_program(document: Json) -> None:
    instance = instance_of(document)
    for form in {exact_form(instance), "node"}:
        ways = [raw_ways(instance, j, form) for j in range(len(instance.jobs))]
        for j, gangs, progress, copies in options(document, instance):
            most = instance.jobs[j].iterations
            found = []
            for held in gangs:
                node = held[0][0]
                found.append(
                    max(
                        (
                            way.units
                            for way in ways[j]
                            if (way.kind == "copy") == copies
                            and fits(held, set(way.admitted), way.kind in ("inside", "copy"))
                            and way.node in (-1, node)
                        ),
                        default=0,
                    )
                )
            assert min(sum(found), most) == min(progress, most)


def copied(space: Space, job: JobOptions, gangs: list[Held], cells: list[set[int]]) -> int:
    """The most progress that column generation sees in a set of copies."""
    if job.copies is None:
        return 0
    states = {0}
    for held, mine in zip(gangs, cells, strict=True):
        kinds = enumerate(job.copies.classes[held[0][0]].tolist())
        levels = [n for n, kind in kinds if kind >= 0 and mine <= set(space.classes[kind].cells)]
        states = {int(job.copies.step[s, n]) for s in states for n in levels}
    options = {int(job.copies.option[s]) for s in states if s >= 0}
    return max((job.progress[k - 1] for k in options if k), default=0)


@given(tiny_instances())
@settings(deadline=None, max_examples=150)
def test_column_generation(document: Json) -> None:
    instance = instance_of(document)
    space = Space.of(instance)
    known = {job.job: job for job in space.jobs}
    width = len(instance.cluster.accelerators)
    for j, gangs, progress, copies in options(document, instance):
        if j not in known:
            continue  # it can earn nothing
        job, most = known[j], instance.jobs[j].iterations
        cells = [{r if space.pooled else h * width + r for h, r in held} for held in gangs]
        if copies:
            modes = copy_modes(instance, j)
            # A copy without progress is left out: fewer copies do as much on fewer GPUs.
            if all(any(fits(held, set(m.types), True) for m in modes) for held in gangs):
                assert copied(space, job, gangs, cells) == min(progress, most)
            continue
        best = max(
            (
                job.progress[option - 1]
                for option, kind, _ in job.ways
                if cells[0] <= set(space.classes[kind].cells)
            ),
            default=0,
        )
        assert best == min(progress, most)


@given(tiny_instances())
@settings(deadline=None, max_examples=150)
def test_tables_of_the_dual(document: Json) -> None:
    instance = instance_of(document)
    table = job_table(instance)
    group_of = np.searchsorted(table.group_start, np.arange(len(table)), side="right") - 1
    for j, gangs, progress, copies in options(document, instance):
        rows = np.flatnonzero(table.index == j)
        if not len(rows) or copies or not table.exact[rows[0]]:
            continue
        first, last = table.option_start[group_of[rows[0]]]
        bits = sum(1 << r for r in {r for _, r in gangs[0]})
        alone = len({h for h, _ in gangs[0]}) == 1
        gains = [
            int(table.gain[o])
            for o in range(first, last)
            if bits & ~int(table.mask[o]) == 0
            and table.picks[o] == 1
            and (alone or not table.inside[o])
        ]
        need, whole = int(table.need[rows[0]]), instance.jobs[j].iterations
        reached = max(gains, default=0)
        for times in range(1, 5):
            assert (times * reached >= need) == (times * progress >= whole)


@given(tiny_instances())
@settings(deadline=None, max_examples=150)
def test_pricing(document: Json) -> None:
    instance = instance_of(document)
    for j, gangs, progress, copies in options(document, instance):
        model = job_model(instance, j, {})
        levels = model.copy if copies else model.gang
        best = [
            max(
                (
                    gain
                    for gain, admitted, spread in zip(
                        levels.progress, levels.admitted, levels.spread, strict=True
                    )
                    if fits(held, set(np.flatnonzero(admitted).tolist()), not spread)
                ),
                default=0,
            )
            for held in gangs
        ]
        assert sum(best) == progress
        assert model.pooled == is_pooled(instance, j)
