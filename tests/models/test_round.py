"""The round program against full enumeration."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings

from hadaropt.instance import Instance
from hadaropt.io import instance_from_document
from hadaropt.schedule import Allocation, allocation_progress
from models import round_ilp
from models.files import solve
from tests.instances_strategy import contended_instances
from tests.offline.support import instance_of
from tests.oracle import Json

ROOT = Path(__file__).parents[2]


def gangs(instance: Instance, j: int) -> list[tuple[tuple[int, int, int], ...]]:
    """Everything that job j may hold in a round, by trying all counts of all cells."""
    cells = [
        (h, r, count)
        for h, row in enumerate(instance.cluster.capacity)
        for r, count in enumerate(row)
    ]
    found = []
    for counts in itertools.product(*(range(count + 1) for _, _, count in cells)):
        if sum(counts) == instance.jobs[j].gang_size:
            held = tuple((h, r, n) for (h, r, _), n in zip(cells, counts, strict=True) if n)
            one_type = len({r for _, r, _ in held}) == 1
            runs = all(instance.throughput[j][r] > 0 for _, r, _ in held)
            if runs and (one_type or instance.parallelism == "mixed"):
                found.append(held)
    return found


def worth(instance: Instance, j: int, t: int, need: int, held: tuple[tuple[int, int, int], ...]):
    made = allocation_progress(instance, j, Allocation(t, held))
    if made == 0:
        return Fraction(0)
    finish = t + -(-need // made) - 1
    return instance.value(j, finish) if finish < instance.num_rounds else Fraction(0)


def best_by_enumeration(instance: Instance, t: int, remaining: dict[int, int]) -> Fraction:
    capacity = {
        (h, r): count
        for h, row in enumerate(instance.cluster.capacity)
        for r, count in enumerate(row)
    }
    best = Fraction(0)
    options = [[(), *gangs(instance, j)] for j in remaining]
    for choice in itertools.product(*options):
        used = Counter()
        for held in choice:
            used.update({(h, r): n for h, r, n in held})
        if all(n <= capacity[cell] for cell, n in used.items()):
            total = sum(
                (
                    worth(instance, j, t, need, held)
                    for (j, need), held in zip(remaining.items(), choice, strict=True)
                    if held
                ),
                Fraction(0),
            )
            best = max(best, total)
    return best


@settings(deadline=None, max_examples=30)
@given(contended_instances(max_rounds=4))
def test_the_round_program_is_the_best_of_all_allocations(document: Json) -> None:
    instance = instance_of(document)
    if instance.parallelism == "forked":
        instance = instance.with_parallelism("mixed")
    t = min(1, instance.num_rounds - 1)
    remaining = {
        j: max(1, job.iterations - j) for j, job in enumerate(instance.jobs) if job.release <= t
    }
    expected = best_by_enumeration(instance, t, remaining)
    pooled = all(job.spread_factor == 1 or job.gang_size == 1 for job in instance.jobs)
    for form in ("hall", "node") if pooled else ("node",):
        program = round_ilp.build(instance, form, t, remaining)
        assert abs(solve(program.problem) - expected) <= 1e-6 * (1 + expected)
        total, used = Fraction(0), Counter()
        for j, nodes in round_ilp.allocation(instance, program).items():
            held = tuple((h, r, n) for h, types in nodes.items() for r, n in types.items())
            used.update({(h, r): n for h, r, n in held})
            total += worth(instance, j, t, remaining[j], held)
        assert total == expected
        assert all(n <= instance.cluster.capacity[h][r] for (h, r), n in used.items())


def test_by_default_all_jobs_released_by_then_are_in_the_queue() -> None:
    instance = instance_from_document(TWO)
    assert {p.j for p in round_ilp.build(instance, t=0).plans} == {0}
    assert {p.j for p in round_ilp.build(instance, t=1).plans} == {0, 1}
    worth_a_tenth = round_ilp.build(instance, t=1, value=lambda j, f: Fraction(1, 10))
    assert solve(worth_a_tenth.problem) == pytest.approx(0.2)


def test_forked_instances_are_refused() -> None:
    with pytest.raises(ValueError, match="forked"):
        round_ilp.build(instance_from_document({**TWO, "parallelism": "forked"}))


TWO = {
    "format": "hadaropt-instance/1",
    "parallelism": "mixed",
    "round_seconds": 1,
    "num_rounds": 6,
    "accelerators": ["A", "B"],
    "nodes": [{"name": "n", "gpus": {"A": 1, "B": 1}}],
    "jobs": [
        {
            "name": f"j{i}",
            "release": i,
            "gang_size": 1,
            "iterations": 4,
            "throughput": {"A": 2, "B": 1},
            "utility": {"kind": "linear", "peak": 10, "decay": 1},
        }
        for i in range(2)
    ],
}


def test_it_runs_from_the_shell(tmp_path: Path) -> None:
    target = tmp_path / "round.json"
    command = [sys.executable, "-m", "models.round_ilp", "examples/tiny.json", "-o", str(target)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    document = json.loads(target.read_text())
    assert document["allocation"] == {"a": {"n0": {"V100": 2}}}
    assert document["objective"] == pytest.approx(92)
