"""The queue of dives: what comes next, what is dropped, and what is kept begun."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Proof
from hadaropt.offline.colgen.plan import Plan
from hadaropt.offline.heuristics.dive import Allowance, Descent, Dive
from hadaropt.offline.heuristics.dive_queue import DiveQueue
from hadaropt.offline.heuristics.diving import Diving
from hadaropt.offline.heuristics.neighbourhoods import Neighbourhoods
from hadaropt.offline.heuristics.params import HeuristicParams
from hadaropt.offline.tree.branch_and_price import Search
from tests.offline.support import tight

PARAMS = HeuristicParams(refilled=3, refill_growth=1.5)


class Told:
    """A dive whose answer is given beforehand."""

    def __init__(self, owner: Recorder, dive: Dive) -> None:
        self._owner, self.dive = owner, dive

    def result(self) -> Descent:
        return self._owner.answers.pop(0)

    def drop(self) -> None:
        self._owner.dropped.append(self.dive)


class Recorder:
    """Divers that note what they are asked for."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.begun: list[Dive] = []
        self.dropped: list[Dive] = []
        self.answers: list[Descent] = []

    def start(self) -> None:
        pass

    def load(self, diving: Diving) -> None:
        pass

    def begin(self, dive: Dive, value: Fraction, clock: Clock) -> Told:
        self.begun.append(dive)
        return Told(self, dive)


@pytest.fixture(scope="module")
def ready() -> tuple[Search, Diving, Proof, Plan]:
    """A search, dives from its root, and a plan."""
    search = Search(tight("mixed"), clock=Clock(), target_gap=0)
    solved = search.relaxation.converge(search.root.limits)
    diving = Diving(search.relaxation, list(search.relaxation.master.columns))
    plan = diving.descend(Dive(solved.proof), Fraction(0), Allowance()).plan
    assert plan is not None
    return search, diving, solved.proof, plan


VAIN = Descent(None, (), 10)


def aimed(
    ready: tuple[Search, Diving, Proof, Plan], count: int, given: int
) -> tuple[DiveQueue, Recorder, Search]:
    """A queue that is aimed at the root, without a best schedule."""
    _, diving, proof, _ = ready
    search = Search(tight("mixed"), clock=Clock(), target_gap=0)
    recorder = Recorder(count)
    jobs = len(search.space.jobs)
    queue = DiveQueue(search.incumbent, search.clock, PARAMS, recorder, jobs)
    around = Neighbourhoods(search.space, {})
    queue.aim(diving, proof, around, [Dive(proof, seed=k) for k in range(given)])
    return queue, recorder, search


def test_given_dives_come_first_and_stay_begun_when_there_is_a_better_schedule(
    ready: tuple[Search, Diving, Proof, Plan],
) -> None:
    queue, recorder, search = aimed(ready, 3, given=2)
    recorder.answers = [VAIN, Descent(ready[3], (), 20)]
    assert queue.given and queue.take()
    assert [dive.seed for dive in recorder.begun] == [0, 1]  # no schedule to begin from
    assert queue.take() and not queue.given
    assert search.incumbent.plan is ready[3] and recorder.dropped == []
    assert queue.operations == 30 and queue.stale == 0
    queue.ahead()
    assert [len(dive.loose) for dive in recorder.begun[2:]] == [3, 5, 7]
    assert all(dive.plan is ready[3] for dive in recorder.begun[2:])


def test_given_dives_can_be_left_out(ready: tuple[Search, Diving, Proof, Plan]) -> None:
    queue, recorder, _ = aimed(ready, 1, given=3)
    recorder.answers = [VAIN]
    queue.take()
    queue.ahead()
    queue.skip_given()
    assert not queue.given and not queue.take()
    assert recorder.dropped == [recorder.begun[1]] and len(recorder.begun) == 2


def test_dives_in_vain_make_the_next_ones_larger_and_count_as_stale(
    ready: tuple[Search, Diving, Proof, Plan],
) -> None:
    queue, recorder, search = aimed(ready, 2, given=0)
    assert not queue.take()  # there is no schedule to begin from
    search.incumbent.offer(ready[3])
    recorder.answers = [VAIN] * 3
    for stale in (1, 2, 3):
        assert queue.take() and queue.stale == stale
    assert [len(dive.loose) for dive in recorder.begun] == [3, 5, 7, 7]  # three quarters of 9
    other, one, same = aimed(ready, 1, given=0)
    same.incumbent.offer(ready[3])
    one.answers = [VAIN] * 3
    for _ in range(3):
        other.take()
    assert [dive.loose for dive in one.begun] == [dive.loose for dive in recorder.begun[:3]]


def test_what_begins_from_an_old_schedule_is_dropped(
    ready: tuple[Search, Diving, Proof, Plan],
) -> None:
    queue, recorder, search = aimed(ready, 2, given=1)
    queue.ahead()
    assert len(recorder.begun) == 1
    search.incumbent.offer(ready[3])  # found by something else
    queue.ahead()
    assert len(recorder.begun) == 2 and recorder.dropped == []
    queue._incumbent._best = (*search.incumbent._best[:2], replace(ready[3]))
    queue.ahead()
    assert recorder.dropped == [recorder.begun[1]] and len(recorder.begun) == 3
    queue.drop()
    assert set(map(id, recorder.dropped)) == set(map(id, recorder.begun))


def test_another_aim_drops_what_is_begun_and_given_dives_are_a_new_beginning(
    ready: tuple[Search, Diving, Proof, Plan],
) -> None:
    queue, recorder, search = aimed(ready, 2, given=0)
    search.incumbent.offer(ready[3])
    recorder.answers = [VAIN] * 2
    queue.take()
    queue.take()
    queue.aim(ready[1], ready[2], Neighbourhoods(search.space, {}), [])
    assert queue.stale == 2 and len(recorder.dropped) == 1
    queue.aim(ready[1], ready[2], None, [Dive(ready[2])])
    assert queue.stale == 0
    recorder.answers = [VAIN]
    assert queue.take() and not queue.take()  # nothing is scheduled anew
