"""Dives in other processes: the same answers, and processes that die, are late or are dropped."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

import pytest

from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Proof
from hadaropt.offline.heuristics import divers as module
from hadaropt.offline.heuristics.dive import Allowance, Descent, Dive
from hadaropt.offline.heuristics.divers import DiverProcesses, OneDiver, divers
from hadaropt.offline.heuristics.diving import Diving
from hadaropt.offline.tree.branch_and_price import Search
from tests.offline.support import tight

NOTHING = Fraction(0)


@pytest.fixture(scope="module")
def ready() -> tuple[Diving, Proof]:
    """Dives that cuts guide."""
    search = Search(tight("mixed"), clock=Clock(), target_gap=0)
    master = search.relaxation.master
    solved = search.relaxation.converge(search.root.limits)
    assert solved.outcome is not None
    cuts = search.separator.separate(
        master, master.weights(solved.outcome), packings=True, clock=Clock()
    )
    assert cuts
    master.add_cuts(cuts)
    solved = search.relaxation.converge(search.root.limits)
    return Diving(search.relaxation, list(master.columns)), solved.proof


@contextmanager
def loaded(ready: tuple[Diving, Proof]) -> Iterator[DiverProcesses]:
    """Two processes that know what to dive from."""
    with divers(2) as processes:
        assert isinstance(processes, DiverProcesses)
        processes.start()
        processes.load(ready[0])
        assert processes.count == 4
        yield processes


@pytest.fixture(scope="module")
def two(ready: tuple[Diving, Proof]) -> Iterator[DiverProcesses]:
    """Two processes for all tests that leave them alive."""
    with loaded(ready) as processes:
        yield processes


def dives(ready: tuple[Diving, Proof]) -> list[tuple[Dive, Descent]]:
    """Return dives, and what they find here."""
    diving, proof = ready
    asked = [Dive(proof, noise=0.5, seed=k) for k in range(3)]
    plan = diving.descend(asked[0], NOTHING, Allowance()).plan
    assert plan is not None
    asked.append(Dive(proof, plan=plan, loose=(0, 1, 2, 5), at_once=2))
    return [(dive, diving.descend(dive, NOTHING, Allowance())) for dive in asked]


def test_another_process_finds_the_same(ready: tuple[Diving, Proof], two: DiverProcesses) -> None:
    wanted = dives(ready)
    for pair in (wanted[:2], wanted[2:]):
        begun = [two.begin(dive, NOTHING, Clock()) for dive, _ in pair]
        assert [one.result() for one in begun] == [found for _, found in pair]
    one = OneDiver()
    one.start()
    one.load(ready[0])
    assert one.begin(wanted[0][0], NOTHING, Clock()).result() == wanted[0][1]


def test_what_a_lost_process_was_to_find_is_found_here(ready: tuple[Diving, Proof]) -> None:
    with loaded(ready) as processes:
        lose(processes, ready)


def lose(two: DiverProcesses, ready: tuple[Diving, Proof]) -> None:
    """Kill the first process in the middle of a dive, and the last between two."""
    wanted = dives(ready)
    begun = [two.begin(dive, NOTHING, Clock()) for dive, _ in wanted]
    assert [len(child.waiting) for child in two._children] == [2, 2]
    os.kill(two._children[0].process.pid, signal.SIGKILL)
    with pytest.warns(RuntimeWarning, match="signal SIGKILL.*same answer"):
        found = [one.result() for one in begun]
    assert found == [found for _, found in wanted]
    assert two.count == 2 and len(two._children) == 1
    last = two._children[0].process
    last.kill()
    last.wait()
    with pytest.warns(RuntimeWarning, match="signal SIGKILL"):
        begun = [two.begin(dive, NOTHING, Clock()) for dive, _ in wanted]
        two.load(Diving(ready[0].relaxation, ready[0].first))
    assert two._children == [] and two.count == 1
    assert [one.result() for one in begun] == [found for _, found in wanted]


def test_what_a_process_that_hangs_was_to_find_is_found_here(
    ready: tuple[Diving, Proof], monkeypatch: pytest.MonkeyPatch
) -> None:
    with loaded(ready) as processes:
        (dive, wanted), *_ = dives(ready)
        begun = [processes.begin(dive, NOTHING, Clock()) for _ in range(2)]
        assert [one.result() for one in begun] == [wanted] * 2  # both have begun to dive
        for child in processes._children:
            os.kill(child.process.pid, signal.SIGSTOP)
        begun = [processes.begin(dive, NOTHING, Clock()) for _ in range(2)]
        monkeypatch.setattr(module, "SILENT_SECONDS", 0.05)
        with pytest.warns(RuntimeWarning, match="has said nothing for .*same answer"):
            assert [one.result() for one in begun] == [wanted] * 2
        assert processes._children == []


def test_a_dropped_dive_is_waited_for_by_nobody(
    ready: tuple[Diving, Proof], two: DiverProcesses
) -> None:
    (first, _), (second, wanted), *_ = dives(ready)
    for _ in range(3):
        for begun in [two.begin(first, NOTHING, Clock()) for _ in range(2)]:
            begun.drop()
    begun = [two.begin(second, NOTHING, Clock()) for _ in range(2)]
    assert [one.result() for one in begun] == [wanted] * 2


def test_a_late_dive_is_one_in_vain(
    ready: tuple[Diving, Proof], two: DiverProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    (dive, wanted), *_ = dives(ready)
    for child in two._children:
        os.kill(child.process.pid, signal.SIGSTOP)
    monkeypatch.setattr(module, "GRACE_SECONDS", 0.01)
    begun = two.begin(dive, NOTHING, Clock(0.01))
    assert begun.result() == Descent(None, (), 0)
    for child in two._children:
        os.kill(child.process.pid, signal.SIGCONT)
    again = [two.begin(dive, NOTHING, Clock()) for _ in range(2)]
    assert [one.result() for one in again] == [wanted] * 2


def test_a_process_is_asked_ahead_and_each_answer_is_that_of_its_dive(
    ready: tuple[Diving, Proof], two: DiverProcesses
) -> None:
    wanted = dives(ready)
    assert len(wanted) == 4
    begun = [two.begin(dive, NOTHING, Clock()) for dive, _ in wanted]
    assert [len(child.waiting) for child in two._children] == [2, 2]
    here = two.begin(wanted[0][0], NOTHING, Clock())  # all are busy
    assert [len(child.waiting) for child in two._children] == [2, 2]
    begun[2].drop()
    for place in (3, 1, 0):  # in another order than they were asked for
        assert begun[place].result() == wanted[place][1]
    assert here.result() == wanted[0][1]
    assert all(not child.waiting and not child._told for child in two._children)


def test_an_error_of_a_dive_is_raised_where_it_was_asked_for(
    ready: tuple[Diving, Proof], two: DiverProcesses
) -> None:
    begun = two.begin(Dive(ready[1]), "nothing", Clock())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'<=' not supported"):
        begun.result()
    assert two.count == 4


def test_no_process_outlives_the_solve(ready: tuple[Diving, Proof]) -> None:
    with divers(3) as processes:
        assert isinstance(processes, DiverProcesses)
        processes.start()
        processes.start()
        children = [child.process for child in processes._children]
        processes.load(ready[0])
        processes.begin(Dive(ready[1]), NOTHING, Clock())
    assert len(children) == 3
    assert all(child.returncode == -signal.SIGKILL for child in children)


def test_where_no_process_can_be_started_this_one_dives(
    ready: tuple[Diving, Proof], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    (dive, wanted), *_ = dives(ready)
    monkeypatch.setattr(module, "start_child", refused)
    with divers(2) as processes:
        with pytest.warns(RuntimeWarning, match="no further process can be started"):
            processes.start()
        processes.load(ready[0])
        assert processes.begin(dive, NOTHING, Clock()).result() == wanted


def test_one_thread_starts_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for threads in (None, 1):
            with divers(threads) as one:
                assert isinstance(one, OneDiver) and one.count == 1
