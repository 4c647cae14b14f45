"""The checker against the oracle, and the place and rule that each of its errors names."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from hadaropt.errors import ScheduleError
from hadaropt.instance import PARALLELISM, Cluster, Instance, Job
from hadaropt.io import (
    instance_from_document,
    read_schedule,
    schedule_from_document,
    schedule_to_document,
    write_schedule,
)
from hadaropt.schedule import Allocation, Schedule, check_schedule, trim_schedule
from hadaropt.utility import EffectiveThroughput, Table
from tests import oracle
from tests.instances_strategy import contended_instances, roomy_instances, tiny_instances
from tests.oracle import Json

Outcome = tuple[Fraction, dict[str, int | None]] | None


def judged_by_the_oracle(inst: Json, document: Json) -> Outcome:
    """Value and completion rounds, or None if the oracle refuses."""
    try:
        return oracle.schedule_value(inst, document)
    except ValueError:
        return None


def judged_by_the_checker(inst: Json, document: Json) -> Outcome:
    """Value and completion rounds, or None if the library refuses."""
    instance = instance_from_document(inst)
    try:
        checked = check_schedule(instance, schedule_from_document(document, instance))
    except ScheduleError:
        return None
    names = [job.name for job in instance.jobs]
    return checked.value, dict(zip(names, checked.completion, strict=True))


@st.composite
def documents(draw: st.DrawFn, inst: Json) -> Json:
    """A schedule with honest claims: every job runs by itself, so capacity may be exceeded."""
    entries, value = [], Fraction(0)
    for job in inst["jobs"]:
        options = oracle.round_options(inst, job)
        done, rounds, completion = 0, [], None
        for t in range(oracle.release(job), oracle.num_rounds(inst)):
            if not options or draw(st.booleans()):
                continue
            if completion is not None and draw(st.integers(0, 4)):
                continue  # seldom run on after completion
            copies = [o for o in options if o.copies]
            option = draw(st.sampled_from(copies if copies and draw(st.booleans()) else options))
            rounds.append((t, option))
            done += option.progress
            if done >= oracle.iterations(job) and completion is None:
                completion = t
                value += oracle.utility(inst, job, t - oracle.release(job) + 1)
        if rounds or draw(st.booleans()):
            entries.append(oracle.job_json(job["name"], completion, rounds))
    return oracle.schedule_json(inst, value, entries)


CHANGES = ("rule", "rule", "rule", "count", "node", "round", "drop", "claim")


@st.composite
def mutants(draw: st.DrawFn, inst: Json) -> Json:
    """An optimal schedule with one thing changed; it may or may not stay feasible.

    "rule" does in one round what one rule forbids, with claims that would be right without it, so
    that a checker without the rule would accept.
    """
    document = copy.deepcopy(oracle.optimum(inst)[1])
    assume(document["jobs"])
    entry = draw(st.sampled_from(document["jobs"]))
    item = draw(st.sampled_from(entry["rounds"]))
    node = draw(st.sampled_from(sorted(item["gpus"])))
    kind = draw(st.sampled_from(sorted(item["gpus"][node])))
    change = draw(st.sampled_from(CHANGES))
    event(change)
    loose = {**inst, "parallelism": "forked", "jobs": copy.deepcopy(inst["jobs"])}
    if change == "rule":
        job = next(job for job in loose["jobs"] if job["name"] == entry["name"])
        rule = draw(st.sampled_from(("parallelism", "max_copies", "gang_size", "throughput")))
        if rule == "max_copies":
            job["max_copies"] = len(inst["nodes"])
        elif rule == "gang_size":
            job["gang_size"] = max(1, job["gang_size"] + draw(st.sampled_from((-1, 1))))
        elif rule == "throughput":
            still = "1e-99"  # runs, but makes no progress
            job["throughput"] = {r: job["throughput"].get(r, 0) for r in inst["accelerators"]}
            job["throughput"] = {r: x or still for r, x in job["throughput"].items()}
        options = oracle.round_options(loose, job)
        copies = [o for o in options if o.copies]
        assume(options)
        option = draw(st.sampled_from(copies if copies and draw(st.booleans()) else options))
        new = oracle.job_json("", None, [(item["round"], option)])["rounds"][0]
        item.pop("copies", None)
        item.update(new)
    elif change == "count":
        item["gpus"][node][kind] += draw(st.sampled_from((-1, 1, 100)))
    elif change == "node":
        other = draw(st.sampled_from([n["name"] for n in inst["nodes"]]))
        moved = item["gpus"].pop(node)
        item["gpus"][other] = {**item["gpus"].get(other, {}), **moved}
    elif change == "round":
        item["round"] = draw(st.integers(0, oracle.num_rounds(inst)))
    elif change == "drop":
        entry["rounds"].remove(item)
    else:
        entry["completion"] = draw(st.sampled_from((None, 0, 1, 2, 3)))
        return document
    return honest(loose, document)


def honest(inst: Json, document: Json) -> Json:
    """The document with the claims that its rounds deserve, as long as these obey their rules."""
    jobs, value = {job["name"]: job for job in inst["jobs"]}, Fraction(0)
    for entry in document["jobs"]:
        job, done, entry["completion"] = jobs[entry["name"]], 0, None
        for item in sorted(entry["rounds"], key=lambda item: item["round"]):
            try:
                done += oracle.round_progress(inst, job, item)
            except ValueError:
                return document  # infeasible whatever it claims
            if done >= oracle.iterations(job) and entry["completion"] is None:
                entry["completion"] = item["round"]
                flow_time = item["round"] - oracle.release(job) + 1
                if flow_time < 1:
                    return document
                value += oracle.utility(inst, job, flow_time)
    return {**document, "objective": str(value)}


@settings(deadline=None, max_examples=200)
@given(st.one_of(tiny_instances(max_jobs=4, max_scale=500), contended_instances()))
def test_optima_of_the_oracle_are_feasible(inst: Json) -> None:
    value, document = oracle.optimum(inst)
    outcome = judged_by_the_checker(inst, document)
    assert outcome is not None and outcome[0] == value
    assert outcome == judged_by_the_oracle(inst, document)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_checker_and_oracle_agree_on_drawn_schedules(data: st.DataObject) -> None:
    inst = data.draw(st.one_of(tiny_instances(), contended_instances(), roomy_instances()))
    document = data.draw(documents(inst))
    outcome = judged_by_the_oracle(inst, document)
    event("feasible" if outcome else "infeasible")
    assert judged_by_the_checker(inst, document) == outcome


@pytest.mark.parametrize("parallelism", PARALLELISM)
@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_checker_and_oracle_agree_on_mutants(parallelism: Any, data: st.DataObject) -> None:
    inst = data.draw(
        st.one_of(
            roomy_instances(parallelism=parallelism, max_jobs=1),
            tiny_instances(parallelism=parallelism, min_jobs=1, total_gpus=9, max_gang=2),
        )
    )
    document = data.draw(mutants(inst))
    outcome = judged_by_the_oracle(inst, document)
    event("feasible" if outcome else "infeasible")
    assert judged_by_the_checker(inst, document) == outcome


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


# ---------------------------------------------------------------- each error, by its place

V, P = 0, 1


def example(parallelism: Any = "forked") -> tuple[Instance, Schedule]:
    """Two nodes of V100 + P100: a runs as two copies, b as one mixed gang."""
    values = Table((100, 90, 80, 70))
    cluster = Cluster.of({"n0": {"V100": 1, "P100": 1}, "n1": {"V100": 1, "P100": 1}})
    a = Job("a", 0, 1, 4, {"V100": 1}, values)
    b = Job("b", 1, 2, 2, {"V100": 2, "P100": 1}, values, Fraction(1, 2))
    instance = Instance(cluster, (a, b), 4, Fraction(1), parallelism)
    copies = tuple(Allocation(t, ((0, V, 1), (1, V, 1)), True) for t in (0, 1))
    gang = tuple(Allocation(t, ((0, V, 1), (0, P, 1))) for t in (2, 3))
    return instance, Schedule((copies, gang), (1, 3), Fraction(170))


def test_the_example_is_feasible() -> None:
    instance, schedule = example()
    checked = check_schedule(instance, schedule)
    assert (checked.value, checked.completion, checked.progress) == (170, (1, 3), (4, 2))


def run(t: int, *gpus: tuple[int, int, int], copies: bool = False) -> Allocation:
    """One allocation."""
    return Allocation(t, gpus, copies)


A, B = example()[1].jobs


@pytest.mark.parametrize(
    ("jobs", "place", "rule"),
    [
        ((A, (run(0, (0, V, 1), (0, P, 1)),)), ("b", 0, None, None), "before its release"),
        ((A, (run(4, (0, V, 1), (0, P, 1)),)), ("b", 4, None, None), "rounds 0 .. 3"),
        ((A, (run(-1, (0, V, 1), (0, P, 1)),)), ("b", -1, None, None), "rounds 0 .. 3"),
        ((A, (*B, run(2, (1, V, 1), (1, P, 1)))), ("b", 2, None, None), "one entry per round"),
        (((*A, run(2, (1, V, 1))), B), ("a", 2, None, None), "after its completion in round 1"),
        ((A, (run(2, (0, V, 1)),)), ("b", 2, None, None), "0 or exactly 2 GPUs (its gang), not 1"),
        ((A, (run(2),)), ("b", 2, None, None), "0 or exactly 2 GPUs (its gang), not 0"),
        ((A, (run(2, (0, V, 0), (0, P, 2)),)), ("b", 2, "n0", "V100"), "at least 1 GPU"),
        ((A, (run(2, (0, P, -1), (0, V, 3)),)), ("b", 2, "n0", "P100"), "at least 1 GPU"),
        ((A, (run(2, (0, V, 1), (0, V, 1)),)), ("b", 2, "n0", "V100"), "each node and type once"),
        ((A, (run(2, (2, V, 2)),)), ("b", 2, None, None), "known nodes and types, not of (2, 0)"),
        ((A, (run(2, (0, -1, 2)),)), ("b", 2, None, None), "known nodes and types"),
        (((run(0, (0, P, 1)),), B), ("a", 0, "n0", "P100"), "type on which its throughput is 0"),
        ((A, (run(2, (0, V, 2)),)), ("b", 2, "n0", "V100"), "capacity of 1 GPUs, not 2"),
        ((A, (run(1, (0, V, 1), (0, P, 1)),)), ("b", 1, "n0", "V100"), "(held by a, b)"),
        (((run(0, (0, V, 1), copies=True),), B), ("a", 0, None, None), "2 .. 2 copies"),
        (
            ((run(0, (0, V, 1), (1, V, 2), copies=True),), B),
            ("a", 0, "n1", None),
            "1 GPUs in each copy, not 2",
        ),
        (((run(0, (0, V, 1), (1, V, 1)),), B), ("a", 0, None, None), "exactly 1 GPUs"),
    ],
)
def test_infeasible(jobs: Any, place: tuple[Any, ...], rule: str) -> None:
    instance, _ = example()
    with pytest.raises(ScheduleError) as caught:
        check_schedule(instance, Schedule(jobs))
    error = caught.value
    assert rule in error.rule
    assert (error.job, error.round, error.node, error.type) == place
    named = [f'job "{error.job}"', f"round {error.round}"]
    named += [f'node "{error.node}"'] * (error.node is not None)
    named += [f'type "{error.type}"'] * (error.type is not None)
    assert str(error) == ", ".join([*named, error.rule])


@pytest.mark.parametrize("parallelism", ["mixed", "single_type"])
def test_copies_only_when_forked(parallelism: Any) -> None:
    instance, _ = example(parallelism)
    with pytest.raises(ScheduleError, match=f"must not run as copies under {parallelism}"):
        check_schedule(instance, Schedule((A, ())))


def test_one_type_under_single_type() -> None:
    instance, _ = example("single_type")
    with pytest.raises(ScheduleError, match="one type in each round under single_type") as caught:
        check_schedule(instance, Schedule(((), B)))
    assert (caught.value.job, caught.value.round) == ("b", 2)


def test_max_copies_is_enforced() -> None:
    instance, _ = example()
    jobs = (replace(instance.jobs[0], max_copies=1), instance.jobs[1])
    with pytest.raises(ScheduleError, match=r"2 \.\. 1 copies"):
        check_schedule(replace(instance, jobs=jobs), Schedule((A, ())))


@pytest.mark.parametrize(
    ("claims", "rule", "job"),
    [
        ({"completion": (2, 3)}, "must complete in round 1, as its progress says, not 2", "a"),
        ({"completion": (None, 3)}, "must complete in round 1", "a"),
        ({"value": Fraction(169)}, "must equal the exact value 170", None),
    ],
)
def test_false_claims(claims: Json, rule: str, job: str | None) -> None:
    instance, schedule = example()
    with pytest.raises(ScheduleError) as caught:
        check_schedule(instance, replace(schedule, **claims))
    assert rule in caught.value.rule and caught.value.job == job


def test_claiming_completion_in_vain() -> None:
    instance, schedule = example()
    vain = Schedule((schedule.jobs[0][:1], schedule.jobs[1]), (1, 3))
    with pytest.raises(ScheduleError, match="must not claim completion in round 1") as caught:
        check_schedule(instance, vain)
    assert caught.value.job == "a"


def test_one_entry_per_job() -> None:
    instance, _ = example()
    with pytest.raises(ScheduleError, match="one entry for each of the 2 jobs"):
        check_schedule(instance, Schedule((A,)))


def test_running_in_vain_is_feasible_and_worth_nothing() -> None:
    instance, _ = example()
    checked = check_schedule(instance, Schedule((A[:1], ())))
    assert (checked.value, checked.completion, checked.progress) == (0, (None, None), (2, 0))
    assert check_schedule(instance, Schedule.empty(instance)).value == 0


def test_order_of_allocations_does_not_matter() -> None:
    instance, schedule = example()
    turned = Schedule(tuple(allocations[::-1] for allocations in schedule.jobs))
    assert check_schedule(instance, turned) == check_schedule(instance, schedule)


def test_trim_drops_what_runs_after_completion() -> None:
    instance, schedule = example()
    longer = Schedule(((*A, run(3, (1, V, 1))), B))
    trimmed = trim_schedule(instance, longer)
    assert trimmed.jobs == schedule.jobs
    assert check_schedule(instance, trimmed).value == 170


def test_error_keeps_its_place_through_pickle() -> None:
    error = ScheduleError.at("must x", job="a", round=3, node="n0", type="V100")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert (again.job, again.round, again.node, again.type) == ("a", 3, "n0", "V100")


# ---------------------------------------------------------------- files

EXAMPLE = schedule_to_document(*example())
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


def test_numbers_that_are_no_integers_are_refused() -> None:
    job = Job("a", 0, 1, 1, {"A": 1}, Table((1, 1)))
    instance = Instance(Cluster.of({"n": {"A": 1}}), (job,), 2, 1)

    def refused(allocation: Any, completion: Any = None) -> str:
        with pytest.raises(ScheduleError) as caught:
            check_schedule(instance, Schedule(((allocation,),), completion))
        return str(caught.value)

    half: Any
    for half in (Fraction(1, 2), 0.5, 0.0, True, None):
        assert "must have an integer as its round" in refused(Allocation(half, ((0, 0, 1),)))
    for one in (Fraction(1), 1.0, True):
        count: Any = one
        assert "must hold an integer number" in refused(Allocation(0, ((0, 0, count),)))
    index: Any = 0.0
    assert "by integers" in refused(Allocation(0, ((index, 0, 1),)))
    good = Allocation(0, ((0, 0, 1),))
    for claim in ((), (0, 0)):
        assert "one entry for each of the 1 jobs" in refused(good, claim)
    assert check_schedule(instance, Schedule(((good,),), (0,))).value == 1
    with pytest.raises(TypeError, match=r"schedule: expected a hadaropt.Schedule, got None"):
        check_schedule(instance, None)  # type: ignore[arg-type]
