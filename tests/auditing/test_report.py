"""Audits of small logs: sentences, edges told honestly, and what is left out."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from hadaropt import Cluster, audit
from hadaropt.auditing.fit import misfits
from hadaropt.auditing.log import EARLY, OVERLAP, make_log
from hadaropt.auditing.nodes import read_nodes
from hadaropt.auditing.sentences import assumptions, headline, hours, more_lines, percent
from hadaropt.errors import InstanceError, TraceError
from hadaropt.traces import Trace, TraceJob
from tests.auditing.brute import least_in_one_piece, least_with_preemption

Row = tuple[int, list[tuple[int, int]], int]
"""Submit, attempts and GPUs."""


def trace(rows: list[Row], **own: object) -> Trace:
    jobs = sorted(
        (
            TraceJob(
                f"j{i}",
                Fraction(submit),
                gpus,
                Fraction(sum(end - start for start, end in runs)),
                attempts=tuple((Fraction(start), Fraction(end)) for start, end in runs),
                **own,  # type: ignore[arg-type]
            )
            for i, (submit, runs, gpus) in enumerate(rows)
        ),
        key=lambda job: job.submit_seconds,
    )
    return Trace("normalised", "ours.csv", tuple(jobs), {}, len(jobs))


def test_nobody_waited() -> None:
    found = audit(trace([(0, [(0, 10)], 1)]), "GPU=1")
    assert headline(found) == "Nobody waited (1 job): there is nothing to save."
    assert found.avoidable is None


def test_share_is_between_what_is_reached_and_what_is_proven() -> None:
    found = audit(trace([(0, [(0, 300)], 1), (0, [(300, 400)], 1)]), "GPU=1")
    assert found.avoidable == (Fraction(2, 3), Fraction(2, 3))
    assert "could have avoided more than 66.7 %" in headline(found)
    assert "its recorded gang and speed on this cluster" in headline(found)
    typed = trace([(0, [(0, 300)], 1), (0, [(300, 400)], 1)], gpu_type="V100")
    assert "its recorded GPU type, gang and speed on this" in headline(audit(typed, "V100=1"))


@pytest.mark.parametrize("seed", range(25))
def test_no_feasible_recorded_schedule_is_below_the_bounds(seed: int) -> None:
    draw = random.Random(seed)
    gpus = draw.randint(1, 3)
    rows: list[Row] = []
    busy: list[tuple[int, int, int]] = []
    for _ in range(draw.randint(2, 4)):  # each starts at the first whole time at which it fits
        submit, service, gang = draw.randint(0, 5), draw.randint(1, 4), draw.randint(1, gpus)
        start = submit + draw.randint(0, 2)
        while any(
            sum(w for s, e, w in busy if s <= t < e) + gang > gpus
            for t in range(start, start + service)
        ):
            start += 1
        busy.append((start, start + service, gang))
        rows.append((submit, [(start, start + service)], gang))
    first = min(submit for submit, *_ in rows)
    rows = [(s - first, [(a - first, b - first) for a, b in runs], w) for s, runs, w in rows]
    found = audit(trace(rows), Cluster.of({"n": {"GPU": gpus}}))
    assert not found.misfits
    assert found.recorded is not None
    jobs = [(s, runs[0][1] - runs[0][0], w) for s, runs, w in rows]
    alone = sum(s + p for s, p, _ in jobs)
    assert found.least_waiting <= least_with_preemption(jobs, gpus) - alone
    assert found.least_waiting_in_one_piece <= least_in_one_piece(jobs, gpus) - alone
    assert found.least_waiting_in_one_piece <= found.recorded.waiting
    assert found.least_last <= found.recorded.last


def test_a_schedule_that_does_not_fit_gets_no_share() -> None:
    found = audit(trace([(0, [(5, 10)], 1), (0, [(7, 20)], 1)]), "GPU=1")
    assert found.avoidable is None
    (own,) = found.misfits
    assert (own.place, own.gpus, own.held, own.first, own.ticks) == ("GPU", 1, 2, 7, 3)
    assert "does not fit the cluster" in headline(found)
    assert "up to 2 are held at once" in headline(found)


def test_a_node_that_holds_more_than_it_has_is_named() -> None:
    jobs = trace([(0, [(0, 5)], 2), (0, [(2, 5)], 1)], nodes=(("a", 2),))
    cluster = Cluster.of({"a": {"GPU": 2}, "b": {"GPU": 2}})
    assert [own.place for own in misfits(make_log(jobs, cluster))] == ["a"]


def test_inferred_cluster_is_the_most_held_at_once_and_said() -> None:
    found = audit(trace([(0, [(0, 5)], 2), (0, [(2, 9)], 3), (0, [(9, 12)], 1)]))
    assert dict(found.log.pools) == {"GPU": 5}
    assert found.log.origin == "inferred"
    assert any("inferred" in line for line in assumptions(found))


def test_failed_and_cut_jobs_are_left_out_of_sums_unless_asked_for() -> None:
    good = trace([(0, [(0, 10)], 1)]).jobs
    bad = trace([(0, [(90, 100)], 1)], status="FAILED").jobs
    both = Trace("normalised", "ours.csv", (*good, *bad), {}, 2)
    assert audit(both, "GPU=1").jobs == 1
    assert audit(both, "GPU=1").recorded.waiting == 0  # type: ignore[union-attr]
    everyone = audit(both, "GPU=1", everyone=True)
    assert everyone.recorded is not None
    assert everyone.recorded.waiting == 90
    assert any("under that condition" in line for line in assumptions(everyone))


def test_clock_jumps_and_overlaps_are_counted() -> None:
    rows: list[Row] = [(5, [(0, 10)], 1), (0, [(0, 10), (9, 12)], 1), (0, [(0, 1)], 1)]
    log = make_log(trace(rows))
    assert log.left_out == {OVERLAP: 1, EARLY: 1}
    with pytest.raises(TraceError, match=r"has no job to audit \(1 started before"):
        make_log(trace(rows[:1]))


def test_a_log_without_starts_is_bounded_and_not_judged() -> None:
    jobs = tuple(TraceJob(f"{i}", Fraction(0), 1, Fraction(100)) for i in range(3))
    found = audit(Trace("itp", "itp.csv", jobs, {}, 3), "GPU=1")
    assert found.recorded is None
    assert found.least_waiting == 300
    assert headline(found).startswith("The log has no starts")
    with pytest.raises(TraceError, match="give --cluster"):
        audit(Trace("itp", "itp.csv", jobs, {}, 3))


def test_idle_gpus_count_only_what_a_waiting_job_would_take() -> None:
    found = audit(trace([(0, [(0, 10)], 3), (2, [(10, 12)], 2), (4, [(10, 12)], 1)]), "GPU=4")
    assert found.idle == 6  # one GPU, from 4 to 10, for the job of one


def test_attempts_wait_between_them() -> None:
    found = audit(trace([(0, [(1, 3), (8, 10)], 1)]), "GPU=1")
    assert found.recorded is not None
    assert found.recorded.waiting == 6
    assert found.avoidable_in_one_piece is None


def test_types_are_pools_and_unknown_types_are_one() -> None:
    typed = trace([(0, [(0, 5)], 1)], gpu_type="v100")
    assert dict(make_log(typed, Cluster.parse("V100=2,K80=4")).pools) == {"V100": 2, "K80": 4}
    loose = trace([(0, [(0, 5)], 1)])
    assert dict(make_log(loose, Cluster.parse("V100=2,K80=4")).pools) == {"GPU": 6}
    with pytest.raises(TraceError, match="must be a type of the cluster"):
        make_log(typed, Cluster.parse("K80=4"))


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


def test_round_schedulers_run_the_same_jobs_and_are_not_below_the_bounds() -> None:
    rows: list[Row] = [(0, [(0, 300)], 1), (0, [(300, 400)], 1), (50, [(400, 500)], 1)]
    found = audit(trace(rows), "GPU=1", schedulers=["srtf"], round_seconds=50)
    own = found.schedulers["srtf in rounds"]
    assert found.least_waiting <= own.waiting < found.recorded.waiting  # type: ignore[union-attr]


def test_node_lists_of_openb_philly_and_pai(tmp_path: Path) -> None:
    openb = tmp_path / "openb.csv"
    openb.write_text("sn,cpu_milli,memory_mib,gpu,model\na,1,1,0,\nb,1,1,8,V100M32\n")
    assert read_nodes(openb).pooled_capacity == (8,)
    philly = tmp_path / "philly.csv"
    philly.write_text("machineId,number of GPUs, single GPU mem\nm1,2, 12GB\nm2,8, 24GB\n")
    assert read_nodes(philly).accelerators == ("12GB", "24GB")
    pai = tmp_path / "pai_machine_spec.csv"
    rows = "75c5,CPU,96,512,0\nc3ee,P100,64,512,2\ncf2b,V100M32,96,384,8\n"
    for header in ("", "machine,gpu_type,cap_cpu,cap_mem,cap_gpu\n"):
        pai.write_text(header + rows)
        assert read_nodes(pai).gpus_by_type == {"P100": 2, "V100M32": 8}
    philly.write_text("a,b\n1,2\n")
    with pytest.raises(TraceError, match="must be a node list"):
        read_nodes(philly)


def test_percentages_are_rounded_to_the_safe_side() -> None:
    assert percent(Fraction(1, 3)) < percent(Fraction(1, 3), up=True)
    shown = [hours(Fraction(7201, 2), up=up, down=not up) for up in (False, True)]
    assert all(a <= b for a, b in pairwise(shown))


def test_all_of_the_waiting_that_a_rule_avoids_is_said_to_be_avoidable() -> None:
    found = audit(trace([(0, [(5, 10)], 1)]), "GPU=1")
    assert "nobody need have" in headline(found)
    bad = trace([(0, [(0, 5)], 1)], status="FAILED").jobs
    good = trace([(0, [(5, 10)], 1)]).jobs
    both = audit(Trace("normalised", "ours.csv", (*good, *bad), {}, 2), "GPU=1")
    assert "with the other jobs out of its way" in headline(both)


def test_a_recorded_optimum_leaves_nothing_to_avoid() -> None:
    found = audit(trace([(0, [(0, 100)], 1), (0, [(100, 400)], 1)]), "GPU=1")
    assert found.avoidable == (0, 0)
    assert "could have avoided any of it" in headline(found)
