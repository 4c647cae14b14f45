"""What an audit says."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from hadaropt import audit
from hadaropt.auditing.log import UNTYPED
from hadaropt.auditing.sentences import (
    assumptions,
    early_lines,
    headline,
    hours,
    more_lines,
    percent,
    rules,
)
from hadaropt.errors import TraceError
from hadaropt.traces import Trace, TraceJob
from tests.auditing.logs import trace


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


def test_a_log_without_starts_on_a_large_cluster_says_that_nobody_need_wait() -> None:
    jobs = tuple(TraceJob(f"j{i}", Fraction(0), 1, Fraction(10)) for i in range(2))
    found = audit(Trace("normalised", "ours.csv", jobs, {"no GPU": 3}, 5), "GPU=2")
    assert "nobody need have waited: fifo gives each job its recorded gang" in headline(found)
    assert any("What is left out (3 rows" in line for line in assumptions(found))


def test_what_did_not_finish_is_named_with_its_share_and_the_cure() -> None:
    good = trace([(0, [(50, 150)], 1)]).jobs
    for seconds, says in ((50, ["held 33.3 % of the GPU time"]), (4, [])):
        bad = trace([(0, [(0, seconds)], 1)], status="FAILED").jobs
        both = Trace("normalised", "ours.csv", (*good, *(bad)), {}, 2)
        lines = early_lines(audit(both, "GPU=1"))
        assert len(lines) == len(says)
        assert all(part in line for part, line in zip(says, lines, strict=True))
        assert all("`--count all` keeps it" in line for line in lines)
        assert not early_lines(audit(both, "GPU=1", everyone=True))
    assert more_lines(audit(both, "GPU=1"))[0] not in says


def test_one_job_without_a_type_pools_all_and_may_be_left_out() -> None:
    rows = [trace([(0, [(0, 100)], 1), (0, [(100, 200)], 1)], gpu_type=own) for own in ("A", "B")]
    typed = [replace(job, name=f"{job.gpu_type}{job.name}") for own in rows for job in own.jobs]
    bare = replace(typed[0], name="bare\x1b", gpu_type=None)
    both = Trace("normalised", "ours.csv", (*typed, bare), {}, 5)
    found = audit(both, "A=2,B=1")
    assert list(found.log.pools) == ["GPU"]
    (line,) = early_lines(found)
    assert line.startswith(
        "1 of 5 jobs has no one GPU type (first: bare\\x1b), so all GPUs are one"
    )
    assert "`--untyped drop`" in line
    dropped = audit(both, "A=2,B=1", typed=True)
    assert dropped.log.pools == {"A": 2, "B": 1}
    assert dropped.log.left_out == {UNTYPED: 1}
    assert not early_lines(dropped)
    lists = Trace("normalised", "ours.csv", (*typed, replace(bare, gpu_type="A|B")), {}, 5)
    assert audit(lists, "A=2,B=1", typed=True).log.left_out == {UNTYPED: 1}
    none = Trace("normalised", "ours.csv", tuple(replace(j, gpu_type=None) for j in typed), {}, 4)
    assert not early_lines(audit(none, "A=2,B=1"))
    with pytest.raises(TraceError, match="no job to audit"):
        audit(none, "A=2,B=1", typed=True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("add=gpu:1x8", "One more node of 8 GPUs (add=gpu:1x8): mean"),
        ("add=GPU:4x8", "4 more nodes, each of 8 GPUs (add=GPU:4x8): mean"),
        ("drop=GPU:1x1", "One node of 1 GPUs, taken away (drop=GPU:1x1): mean"),
        ("load=1.5", "Jobs that come 1.5 times as fast (load=1.5): mean"),
        ("gangs=1", "No gang wider than 1 (gangs=1): mean"),
    ],
)
def test_a_change_is_said_in_words(change: str, words: str) -> None:
    found = audit(trace([(0, [(0, 300)], 1), (0, [(300, 400)], 1)]), "GPU=2", changes=[change])
    assert more_lines(found)[-1].startswith(words)


def test_what_a_node_saves_is_told_from_what_needs_none() -> None:
    rows = [(0, [(0, 300)], 1), (0, [(300, 400)], 1)]  # waiting 300; shortest first: 100
    line = more_lines(audit(trace(rows), "GPU=1", changes=["add=GPU:1x1"]))[-1]
    start, log = line.split("; against the log any schedule saves at most ")
    node = start.split("falls by at most ")[1].split(" (")[0]
    assert node == "0.84 min"  # 50 s, rounded up
    assert log == "2.50 min, of which 1.67 min need no change: shortest saves them without."
    best = more_lines(audit(trace([rows[0]]), "GPU=1", changes=["add=GPU:1x1"]))[-1]
    assert "need no change" not in best


def test_no_sentence_says_more_than_a_hundred_per_cent() -> None:
    rows = [(0, [(0, 1)], 1), (0, [(1, 2)], 1), (0, [(100_000, 100_001)], 1)]
    found = audit(trace(rows), "GPU=1")
    assert found.avoidable is not None
    assert Fraction(999, 1000) < found.avoidable[1] < 1
    assert "not excluded" in headline(found)
    assert "could have avoided more than 99.9 % of it" in headline(found)
    assert not any("100.0 %" in line for line in (headline(found), *more_lines(found)))


def test_runs_of_a_requeued_job_are_not_said_to_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(SLURM)
    found = audit(path, "GPU=2")
    said = [line for line in assumptions(found) if "left out (" in line]
    assert len(said) == 3
    assert said[0].startswith("What is left out (1 row,")  # the job of zero GPUs
    assert "1 row, job step" in said[1]
    assert "1 row, run of a requeued job" in said[2]
    assert found.log.jobs[0].attempts == ((0, 3600), (7200, 10800))
    wide = audit(path, "GPU=1")  # the requeued job does not fit: nor do its parts
    assert not wide.log.merged
    assert sum(wide.log.left_out.values()) + len(wide.log.jobs) == wide.log.rows


SLURM = """JobID|Submit|Start|End|State|AllocTRES
1|2026-03-01T00:00:00|2026-03-01T00:00:00|2026-03-01T01:00:00|REQUEUED|gres/gpu=2
1|2026-03-01T00:00:00|2026-03-01T02:00:00|2026-03-01T03:00:00|COMPLETED|gres/gpu=2
1.batch|2026-03-01T00:00:00|2026-03-01T02:00:00|2026-03-01T03:00:00|COMPLETED|gres/gpu=2
2|2026-03-01T00:00:00|2026-03-01T03:00:00|2026-03-01T04:00:00|COMPLETED|gres/gpu=1
3|2026-03-01T00:00:00|2026-03-01T03:00:00|2026-03-01T04:00:00|COMPLETED|cpu=1
"""


def test_each_rule_of_the_table_is_explained() -> None:
    found = audit(trace([(0, [(0, 300)], 1), (0, [(300, 400)], 1)]), "GPU=1")
    assert [name for name, _ in rules(found)] == [
        "fifo", "backfill", "shortest", "smallest", "preemptive",
    ]  # fmt: skip
    assert set(found.schedulers) == {name for name, text in rules(found) if text}
