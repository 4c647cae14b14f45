import random
from dataclasses import replace
from fractions import Fraction

import pytest

from hadaropt import Cluster, audit
from hadaropt.auditing.floor import floors, replays
from hadaropt.auditing.log import make_log
from hadaropt.auditing.sentences import more_lines
from hadaropt.auditing.whatif import parse_change, what_if
from hadaropt.errors import InstanceError
from hadaropt.traces import Trace, TraceJob
from hadaropt.traces.throughputs import ThroughputTable
from tests.auditing.logs import trace
from tests.auditing.test_any_type import SPEEDS, least
from tests.auditing.test_fit import ran


def answer(text, *jobs, cluster="V100=4"):
    log = make_log(Trace("normalised", "ours", jobs, {}, len(jobs)), Cluster.parse(cluster))
    asked = [(job.pool, (job.submit, job.service, job.gang)) for job in log.jobs]
    before = floors(asked, log.pools, log.ticks, replays(asked, log.pools))
    return what_if(log, asked, parse_change(text, log.pools), before)


def test_narrower_gangs_hold_fewer_gpus_for_as_many_gpu_seconds():
    """Two gangs of 3 on four GPUs wait for each other; as gangs of 2 they run side by side."""
    jobs = [ran("a", 0, (0, 100), gpus=3), ran("b", 0, (100, 200), gpus=3)]
    found = answer("gangs=2", *jobs)
    assert found.service == 300  # each takes 150 s
    assert found.total == found.floor == 300
    assert answer("gangs=3", *jobs).total == 100 + 200
    odd = answer("gangs=2", ran("a", 0, (0, 5), gpus=3))
    assert odd.service == 8  # 7.5 ticks, rounded up


@pytest.mark.parametrize("text", ["gangs=0", "gangs=", "gangs=1/2", "gang=2"])
def test_a_gang_is_a_whole_number_of_gpus(text):
    with pytest.raises(InstanceError, match="what_if"):
        parse_change(text, {"V100": 4})


@pytest.mark.parametrize(
    "size", ["²x8", "1x²", "٣x8", "9" * 5000 + "x8", "0x8", "1.5x8", "x", "-1x8"]
)
def test_nodes_and_gpus_are_whole_numbers_in_ascii(size):
    for verb in ("add", "drop"):
        with pytest.raises(InstanceError, match=r"^what_if .*must be add=TYPE:NODESxGPUS") as bad:
            parse_change(f"{verb}=V100:{size}", {"V100": 40})
        assert len(str(bad.value)) < 400


def test_a_cluster_of_more_gpus_than_can_be_counted_is_refused():
    with pytest.raises(InstanceError, match="makes more than"):
        parse_change("add=V100:2147483647x2147483647", {"V100": 4})


@pytest.mark.parametrize("cluster", ["V100=4", "V100=4,P100=4", None])
def test_gpus_on_which_no_job_ran_are_refused(cluster):
    log = make_log(
        Trace("normalised", "ours", (ran("a", 0, (0, 9)),), {}, 1),
        None if cluster is None else Cluster.parse(cluster),
    )
    with pytest.raises(InstanceError, match=r"on K80 GPUs.*assume speeds that name this type"):
        parse_change("add=K80:1x8", log.pools, log.types)
    for name in ("V100", "v100", " V100 "):
        assert parse_change(f"add={name}:1x8", log.pools, log.types).pool == "V100"


def test_types_of_a_common_pool_name_it():
    pools, types = {"GPU": 12}, {"P100": "GPU", "V100": "GPU"}
    for name in ("V100", "p100", "GPU", "gpu"):
        assert parse_change(f"add={name}:1x8", pools, types).pool == "GPU"
    with pytest.raises(InstanceError, match=r"the log has GPU, P100, V100"):
        parse_change("add=K80:1x8", pools, types)


def test_price_of_a_node_bounds_what_adding_it_does() -> None:
    draw = random.Random(1)
    jobs, now = [], 0
    for _ in range(12):
        service = draw.randint(5, 30)
        jobs.append((0, [(now, now + service)], 1))
        now += service
    found = audit(trace(jobs), "GPU=1", changes=["add=GPU:1x1", "load=2"])
    change, load = found.changes
    after = audit(trace(jobs), "GPU=2", changes=["drop=GPU:1x1"])
    best_after = min(own.jct for own in after.schedulers.values())
    assert change.least_by_price is not None
    assert change.least_by_price <= best_after  # all are submitted at 0
    assert change.floor >= change.least_by_price
    (dropped,) = after.changes
    assert dropped.least_by_price is not None
    assert dropped.least_by_price <= min(own.jct for own in found.schedulers.values())
    assert load.least_by_price is None
    assert "falls by at most" in more_lines(found)[-2]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("more=GPU:1x1", "must be add="),
        ("add=GPU:x", "must be add="),
        ("drop=GPU:4x1", "takes more than there is"),
        ("load=0", "must be > 0"),
    ],
)
def test_bad_changes_are_refused(text: str, rule: str) -> None:
    with pytest.raises(InstanceError, match=rule):
        audit(trace([(0, [(0, 5)], 1)]), "GPU=2", changes=[text])


ONE_OF_TWO_TYPES = [
    TraceJob(f"j{i}", Fraction(0), 1, Fraction(100), kind, attempts=((Fraction(s), Fraction(e)),))
    for i, (kind, s, e) in enumerate([("K80", 0, 100), ("K80", 100, 200), ("V100", 0, 100)])
]


def typed(**own):
    jobs = tuple(ONE_OF_TWO_TYPES)
    return audit(Trace("normalised", "ours", jobs, {}, 3), "K80=1,V100=1", **own)


@pytest.mark.parametrize("text", ["add=K80:1x1", "load=2"])
def test_assumed_speeds_are_evaluated_again_as_on_the_cluster_after(text):
    speeds = {"K80": 1, "V100": 2}
    (found,) = typed(relative_speeds=speeds, changes=[text], schedulers=["srtf"]).changes
    jobs = tuple(ONE_OF_TWO_TYPES)
    there = "K80=2,V100=1" if text.startswith("add") else "K80=1,V100=1"
    alone = audit(
        Trace("normalised", "ours", jobs, {}, 3), there, relative_speeds=speeds, schedulers=["srtf"]
    )
    assert (found.any_type.mean_jct, found.any_type.last) == (
        alone.any_type.mean_jct,
        alone.any_type.last,
    )
    assert found.any_type.reached == alone.any_type.reached
    assert found.any_type.mean_jct <= found.any_type.reached["srtf in rounds"][0]
    own = alone.schedulers["srtf in rounds"]
    assert found.reached["srtf in rounds"] - found.service == own.waiting


@pytest.mark.parametrize("seed", range(6))
def test_no_enumerated_schedule_after_a_change_is_below_at_assumed_speeds(seed):
    """Jobs of the exhaustive search of `test_any_type`, on one K80 and one V100 after the drop."""
    draw = random.Random(seed)
    sizes = [(i, 2 * draw.randint(1, 3)) for i in range(3)]
    jobs = tuple(
        TraceJob(
            f"j{i}", Fraction(submit), 1, Fraction(size), "K80",
            attempts=((Fraction(submit), Fraction(submit + size)),),
        )
        for i, (submit, size) in enumerate(sizes)
    )  # fmt: skip
    found = audit(
        Trace("normalised", "ours", jobs, {}, 3),
        "K80=3x1,V100=1",
        relative_speeds=SPEEDS,
        changes=["drop=K80:2x1"],
        schedulers=["srtf"],
        round_seconds=1,
    )
    (after,) = found.changes
    optimum = least(sizes, {"K80": 1, "V100": 1}) - sum(submit for submit, _ in sizes)
    assert after.any_type.mean_jct * 3 <= optimum
    assert after.any_type.mean_jct >= found.any_type.mean_jct
    assert "falls by at most" not in more_lines(found)[-1]


def test_gangs_are_not_answered_by_a_table_and_this_is_said():
    table = ThroughputTable([("a", 1, "K80", Fraction(1)), ("a", 1, "V100", Fraction(2))])
    given = typed(throughputs=table, model="a", changes=["gangs=1", "add=K80:1x1"])
    gangs, added = given.changes
    assert gangs.any_type is None
    assert "recorded gangs" in gangs.any_type_left_out
    assert added.any_type is not None
    assert "Not at assumed speeds" in more_lines(given)[-2]
    factors = typed(relative_speeds=SPEEDS, changes=["gangs=1"])
    assert factors.changes[0].any_type == factors.any_type


TABLE = ThroughputTable(
    [("a", 1, kind, Fraction(speed)) for kind, speed in (("K80", 1), ("V100", 4), ("A100", 9))]
)


@pytest.mark.parametrize(
    "speeds",
    [
        {"relative_speeds": {**SPEEDS, "A100": 9}},
        {"throughputs": TABLE, "model": "a"},
    ],
)
def test_a_type_on_which_no_job_ran_is_added_where_its_speed_is_assumed(speeds):
    asked = {"schedulers": ["srtf"], "round_seconds": 1}
    found = typed(changes=["add=a100:1x2"], **speeds, **asked)
    (after,) = found.changes
    jobs = Trace("normalised", "ours", tuple(ONE_OF_TWO_TYPES), {}, 3)
    there = audit(jobs, "K80=1,V100=1,A100=1x2", **speeds, **asked)
    assert after.any_type == there.any_type
    assert after.any_type.mean_jct < found.any_type.mean_jct
    assert after.floor == sum(own.completions for own in found.floor.values())
    assert after.reached == {
        name: sum(job.submit for job in found.log.jobs) + own.jct
        for name, own in found.schedulers.items()
        if name == "srtf in rounds"
    }
    assert "at recorded speeds it stands idle. On any type" in more_lines(found)[-1]
    with pytest.raises(InstanceError, match=r"takes more than there is \(0 A100\)"):
        typed(changes=["drop=A100:1x2"], **speeds)
    with pytest.raises(InstanceError, match="no job is known to have run on H100 GPUs"):
        typed(changes=["add=H100:1x2"], **speeds)


def test_a_type_is_not_added_to_one_pool_of_several_types():
    """There nobody knows on which type a job ran, so that no speed elsewhere follows."""
    jobs = [ran("a", 0, (0, 9)), replace(ran("b", 0, (0, 9)), gpu_type=None)]
    log = Trace("normalised", "ours", tuple(jobs), {}, 2)
    with pytest.raises(InstanceError, match="no job is known to have run on A100 GPUs"):
        audit(log, "K80=4,V100=4", relative_speeds={"A100": 9}, changes=["add=A100:1x2"])


def test_nodes_that_schedulers_need_must_be_there():
    with pytest.raises(InstanceError, match=r"^what_if .*need nodes to take, and 0 have 2 GPU"):
        audit(trace([(0, [(0, 5)], 1)]), "GPU=4x1", changes=["drop=GPU:1x2"], schedulers=["srtf"])
    assert audit(trace([(0, [(0, 5)], 1)]), "GPU=4x1", changes=["drop=GPU:1x2"]).changes


def test_each_run_is_told_before_it_begins():
    said = []
    typed(relative_speeds=SPEEDS, changes=["load=2"], schedulers=["srtf"], callback=said.append)
    assert said == ["srtf", "srtf on any type", "load=2: srtf", "load=2: srtf on any type"]
