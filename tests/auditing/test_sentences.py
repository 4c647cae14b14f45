"""What an audit says."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hadaropt import audit
from hadaropt.auditing.sentences import assumptions, headline, hours, percent, rules
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


def test_each_rule_of_the_table_is_explained() -> None:
    found = audit(trace([(0, [(0, 300)], 1), (0, [(300, 400)], 1)]), "GPU=1")
    assert [name for name, _ in rules(found)] == [
        "fifo", "backfill", "shortest", "smallest", "preemptive",
    ]  # fmt: skip
    assert set(found.schedulers) == {name for name, text in rules(found) if text}
