"""Schedule files: what is wrong is named at its place."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import ScheduleError
from hadaropt.instance import Cluster, Instance, Job
from hadaropt.io import (
    instance_from_document,
    instance_sha256,
    read_schedule,
    schedule_from_document,
    schedule_to_document,
    write_schedule,
)
from hadaropt.io.schedules import JobEntries, JobEntry, shared_document
from hadaropt.schedule import Schedule, check_schedule
from hadaropt.utility import EffectiveThroughput
from tests import oracle
from tests.instances_strategy import tiny_instances
from tests.oracle import Json
from tests.schedules import A, V, example, run


@settings(deadline=None, max_examples=100)
@given(data=st.data(), compressed=st.booleans())
def test_round_trip(
    data: st.DataObject, compressed: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    inst = data.draw(tiny_instances())
    value, document = oracle.optimum(inst)
    instance = instance_from_document(inst)
    schedule = schedule_from_document(document, instance)
    path = tmp_path_factory.mktemp("trip") / ("s.json.gz" if compressed else "s.json")
    write_schedule(schedule, path, instance)
    assert read_schedule(path, instance) == schedule
    assert schedule_to_document(instance, schedule)["objective"] == str(value)


# ---------------------------------------------------------------- files


def test_a_document_can_be_changed_and_nothing_else_changes():
    instance, schedule = example()
    document: Json = schedule_to_document(instance, schedule)
    before = copy.deepcopy(document)
    document["jobs"][0]["rounds"][0]["gpus"].clear()
    assert schedule_to_document(instance, schedule) == before != document


EXAMPLE = json.loads(json.dumps(schedule_to_document(*example())))
R0: tuple[Any, ...] = ("jobs", 0, "rounds", 0)


@pytest.mark.parametrize(
    ("place", "value", "text"),
    [
        (("format",), "hadaropt-schedule/2", "is version 2, but"),
        (("instance_sha256",), "0" * 64, "the hash of this instance"),
        (("objective",), 170, "must be a string"),
        (("objective",), "170.x", "must be a number"),
        (("objective",), "9" * 4001, "must have at most 4000 digits"),
        (("bound",), "1", "bound, is an unknown field"),
        (("jobs", 0, "name"), "z", 'jobs[0].name = "z", is not a job of this instance'),
        (("jobs", 1, "name"), "a", 'jobs[1].name = "a", must be unique'),
        (("jobs", 0, "start"), 0, "jobs[0].start, is an unknown field"),
        (("jobs", 0, "completion"), "1/2", "jobs[0].completion = 1/2, must be an integer"),
        (("jobs", 0, "rounds"), {}, "jobs[0].rounds = {}, must be a list"),
        ((*R0, "round"), -1, "jobs[0].rounds[0].round = -1, must be >= 0"),
        ((*R0, "copies"), "yes", "jobs[0].rounds[0].copies = "),
        ((*R0, "gpus"), {}, "jobs[0].rounds[0].gpus = {}, must hold at least one GPU"),
        ((*R0, "gpus", "n9"), {"V100": 1}, "jobs[0].rounds[0].gpus.n9, is an unknown field"),
        ((*R0, "gpus", "n0", "T4"), 1, "jobs[0].rounds[0].gpus.n0.T4, is an unknown field"),
        ((*R0, "gpus", "n0", "V100"), 0, "jobs[0].rounds[0].gpus.n0.V100 = 0, must be >= 1"),
    ],
)
def test_bad_file(place: tuple[Any, ...], value: Any, text: str) -> None:
    document = copy.deepcopy(EXAMPLE)
    target: Any = document
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = value
    with pytest.raises(ScheduleError) as caught:
        schedule_from_document(document, example()[0])
    assert text in str(caught.value)


def test_schedule_of_another_instance_is_refused() -> None:
    instance, _ = example()
    with pytest.raises(ScheduleError, match="instance_sha256"):
        schedule_from_document(EXAMPLE, replace(instance, num_rounds=5))


def test_jobs_that_do_not_complete_may_be_left_out_or_null() -> None:
    instance, _ = example()
    document: Json = schedule_to_document(instance, Schedule((A[:1], ())))
    assert document["jobs"][0]["completion"] is None
    assert check_schedule(instance, schedule_from_document(document, instance)).value == 0
    assert schedule_from_document({**document, "jobs": []}, instance).jobs == ((), ())
    del document["jobs"][0]["completion"]
    assert schedule_from_document(document, instance).completion == (None, None)


def test_an_infeasible_schedule_is_not_written(tmp_path: Path) -> None:
    instance, _ = example()
    with pytest.raises(ScheduleError):
        write_schedule(Schedule((A, (run(2, (0, V, 2)),))), tmp_path / "s.json", instance)
    assert list(tmp_path.iterdir()) == []


def test_an_objective_of_many_digits_reads_back(tmp_path: Path) -> None:
    # Harmonic-like sums have large denominators: one job per prime flow time up to 1000.
    primes = [p for p in range(2, 1000) if all(p % q for q in range(2, p))]
    jobs = [Job(f"j{p}", 0, 1, 1, {"V100": 1}, EffectiveThroughput(1)) for p in primes]
    instance = Instance(Cluster.of({"n0": {"V100": len(primes)}}), tuple(jobs), 1000, Fraction(1))
    schedule = Schedule(tuple((run(p - 1, (0, V, 1)),) for p in primes))
    path = tmp_path / "s.json"
    write_schedule(schedule, path, instance)
    checked = check_schedule(instance, read_schedule(path, instance))
    assert len(str(checked.value)) > 800
    assert checked.value == sum(Fraction(1, p) for p in primes)


def test_a_schedule_document_keeps_what_its_entries_are_made_of(tmp_path: Path):
    instance, schedule = example()
    document = shared_document(instance, schedule)
    entries = document["jobs"]
    assert isinstance(entries, JobEntries)
    assert all(isinstance(kept, JobEntry) for kept in entries.found)
    assert entries == schedule_to_document(instance, schedule)["jobs"]
    assert schedule_from_document(document, instance).jobs == schedule.jobs
    # Under another instance, names and not indices count.
    turned = replace(instance, jobs=instance.jobs[::-1])
    with pytest.raises(ScheduleError, match="hash of this instance"):
        schedule_from_document(document, turned)
    other = {**document, "instance_sha256": instance_sha256(turned)}
    assert schedule_from_document(other, turned).jobs == schedule.jobs[::-1]


def test_a_bad_entry_of_a_file_is_refused_at_its_place(tmp_path: Path):
    instance, schedule = example()
    path = tmp_path / "s.json"
    write_schedule(schedule, path, instance)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["jobs"][0]["rounds"][0]["gpus"]["n9"] = {"V100": 1}
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ScheduleError, match=r"^jobs\[0\]\.rounds\[0\]\.gpus\.n9, is an unknown"):
        read_schedule(path, instance)
