"""Tables of an audit."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt import audit
from hadaropt.auditing.sentences import hours
from hadaropt.auditing.tables import (
    GROUP_HEAD,
    HEAD,
    UNCHANGED,
    change_rows,
    group_rows,
    schedule_rows,
    shown_groups,
)
from hadaropt.traces import Trace
from tests.auditing.logs import trace

ROWS = [(0, [(0, 3600)], 1), (0, [(3600, 7200)], 1), (0, [(7200, 14400)], 2)]


def queued(*queues):
    jobs = [trace([row], queue=queue).jobs[0] for row, queue in zip(ROWS, queues, strict=True)]
    return Trace("normalised", "ours.csv", tuple(jobs), {}, len(jobs))


def test_schedules_are_side_by_side_and_none_is_below_the_least():
    found = audit(trace(ROWS), "GPU=2", schedulers=["srtf"], round_seconds=360)
    head, rows = schedule_rows(found)
    assert head == HEAD and all(len(row) == len(head) for row in rows)
    names = [row[0] for row in rows]
    assert names[0] == "recorded"
    assert names[-2:] == ["proven least", "proven, no preemption"]
    assert {"fifo", "backfill", "shortest", "smallest", "preemptive"} <= set(names)
    recorded = dict(zip(head, rows[0], strict=True))
    assert (recorded["jobs"], recorded["last done"]) == ("3", "4.00 h")
    assert recorded["mean waiting"] == hours(Fraction(3600))
    assert recorded["mean JCT"] == hours(Fraction(7 * 3600, 3))
    order = [found.schedulers[name].waiting for name in names[1:-2]]
    assert order == sorted(order) and min(order) >= found.least_waiting


def test_queues_have_pseudonyms_unless_their_names_are_asked_for():
    found = audit(queued("secret", "secret", "small"), "GPU=2")
    hidden, open_ = (shown_groups(found, names=names) for names in (False, True))
    assert [name for name, _ in hidden["queue"]] == ["queue 1", "queue 2"]
    assert [name for name, _ in open_["queue"]] == ["secret", "small"]
    assert [own for _, own in hidden["queue"]] == [own for _, own in open_["queue"]]
    assert [name for name, _ in hidden["gang size"]] == [1, 2]


def test_the_row_of_a_group_adds_up():
    found = audit(queued("a", "a", "b"), "GPU=2")
    groups = shown_groups(found, names=True)["queue"]
    rows = group_rows(found, groups)
    assert all(len(row) == len(GROUP_HEAD) for row in rows)
    assert [row[:3] for row in rows] == [("a", "2", "0.50 h"), ("b", "1", "2.00 h")]


def test_a_column_has_one_unit_and_what_bounds_is_rounded_down():
    rows = [(0, [(0, 36000)], 1), (0, [(36000, 36040)], 1), (0, [(36040, 36050)], 1)]
    found = audit(trace(rows), "GPU=1", changes=["add=GPU:1x1", "load=2"])
    for head, table in (schedule_rows(found), change_rows(found)):
        for title, *column in zip(head, *table, strict=True):
            units = {cell.split()[-1] for cell in column if cell and cell[0].isdigit()} - {"0"}
            if title not in ("schedule", "jobs", "what if"):
                assert len(units) <= 1, (title, column)


def test_changes_are_beside_what_there_is_without():
    found = audit(trace(ROWS), "GPU=2", changes=["add=GPU:1x1"])
    _, rows = change_rows(found)
    assert [row[:2] for row in rows[:3]] == [
        (UNCHANGED, "recorded"),
        (UNCHANGED, found.best[0]),
        (UNCHANGED, "proven least"),
    ]
    assert rows[3][0] == "add=GPU:1x1"
    assert change_rows(audit(trace(ROWS), "GPU=2"))[1] == []


@pytest.mark.parametrize("heading", ["queue", "GPU type"])
def test_a_log_without_groups_has_none(heading):
    assert not shown_groups(audit(trace(ROWS), "GPU=2"), names=True)[heading]
