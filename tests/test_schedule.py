"""The checker against the oracle, and the place and rule that each of its errors names."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from hadaropt.errors import ScheduleError
from hadaropt.instance import PARALLELISM, Cluster, Instance, Job
from hadaropt.io import (
    instance_from_document,
    schedule_from_document,
)
from hadaropt.schedule import Allocation, Schedule, check_schedule, jobs_in_vain, trim_schedule
from hadaropt.utility import Table
from tests import oracle
from tests.instances_strategy import contended_instances, roomy_instances, tiny_instances
from tests.oracle import Json
from tests.schedules import A, B, P, V, example, run

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


def test_the_example_is_feasible() -> None:
    instance, schedule = example()
    checked = check_schedule(instance, schedule)
    assert (checked.value, checked.completion, checked.progress) == (170, (1, 3), (4, 2))


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


def test_jobs_that_hold_gpus_without_completing() -> None:
    instance, schedule = example()
    vain = Schedule((schedule.jobs[0][:1], schedule.jobs[1]))
    for plan, expected in ((schedule, ()), (vain, (0,)), (Schedule(((), ())), ())):
        assert jobs_in_vain(plan, check_schedule(instance, plan).completion) == expected


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


def test_what_one_job_may_hold_says_nothing_of_others_or_of_equal_numbers() -> None:
    # The checker knows GPUs that it saw; the same object may be wrong, or slower, for another job.
    cluster = Cluster.of({"n0": {"A": 2}, "n1": {"A": 2}})
    values = Table((1, 1, 1, 1))
    fast, slow = (Job(n, 0, 2, 12, {"A": x}, values) for n, x in (("fast", 4), ("slow", 1)))
    spread = Job("spread", 0, 2, 12, {"A": 4}, values, Fraction(1, 2))
    single = Job("single", 0, 1, 4, {"A": 4}, values)
    instance = Instance(cluster, (fast, slow, spread, single), 4, 1)
    here, across = ((0, 0, 2),), ((0, 0, 1), (1, 0, 1))
    jobs = [[Allocation(0, here)], [Allocation(1, here)], [Allocation(2, here)], []]
    jobs[0].append(Allocation(3, across))
    checked = check_schedule(instance, Schedule(tuple(map(tuple, jobs))))
    assert checked.progress == (8, 1, 4, 0)
    jobs[2] = [Allocation(2, across)]
    assert check_schedule(instance, Schedule(tuple(map(tuple, jobs)))).progress == (8, 1, 2, 0)
    jobs[3] = [Allocation(3, here)]
    with pytest.raises(ScheduleError, match="must hold 0 or exactly 1 GPUs"):
        check_schedule(instance, Schedule(tuple(map(tuple, jobs))))
    two: Any = 2.0
    jobs[3] = []
    jobs[0][1] = Allocation(3, ((0, 0, two),))
    with pytest.raises(ScheduleError, match="must hold an integer number"):
        check_schedule(instance, Schedule(tuple(map(tuple, jobs))))
    jobs[0][1] = Allocation(4, here)
    with pytest.raises(ScheduleError, match=r"must lie in rounds 0 .. 3"):
        check_schedule(instance, Schedule(tuple(map(tuple, jobs))))
