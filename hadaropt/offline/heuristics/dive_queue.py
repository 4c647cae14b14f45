"""Dives beside other work: begun ahead of their turn, told one after the other.

Which dive is the next one, and what it begins from, follows from what the dives before it found,
never from when they found it: so the answer of a solve does not depend on how many run at once.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np

from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Proof
from hadaropt.offline.colgen.plan import Plan
from hadaropt.offline.heuristics.dive import Allowance, Dive
from hadaropt.offline.heuristics.divers import Begun, Divers
from hadaropt.offline.heuristics.diving import Diving
from hadaropt.offline.heuristics.incumbent import Incumbent
from hadaropt.offline.heuristics.neighbourhoods import Neighbourhoods
from hadaropt.offline.heuristics.params import HeuristicParams


class DiveQueue:
    """Dives from an LP point: first some that are given, then dives from the incumbent.

    Dives from the incumbent that run at once are those that follow each other while they are in
    vain; once there is a better schedule, those after it begin anew from that.

    Parameters
    ----------
    incumbent : Incumbent
    clock : Clock
    params : HeuristicParams
    divers : Divers
    jobs : int

    Attributes
    ----------
    operations : int
        Work of all dives that were told.
    stale : int
        Dives from the incumbent in vain, one after the other.
    """

    def __init__(
        self,
        incumbent: Incumbent,
        clock: Clock,
        params: HeuristicParams,
        divers: Divers,
        jobs: int,
    ) -> None:
        self._incumbent, self._clock, self._params = incumbent, clock, params
        self._divers = divers
        self._first_size = min(params.refilled, (jobs + 1) / 2)
        self._most_size = max(self._first_size, params.most_refilled * jobs)
        self._size = self._first_size
        self._given: deque[Dive] = deque()
        self._begun: deque[Begun] = deque()
        self._from: Plan | None = None
        self._proof: Proof | None = None
        self._around: Neighbourhoods | None = None
        self._refills = 0
        self.operations = self.stale = 0

    def aim(
        self,
        diving: Diving,
        proof: Proof,
        around: Neighbourhoods | None,
        given: Sequence[Dive],
    ) -> None:
        """Dive from another LP point from now on.

        Parameters
        ----------
        diving : Diving
        proof : Proof
            Of the LP point.
        around : Neighbourhoods or None
            What is scheduled anew by dives from the incumbent; without it there are none.
        given : sequence of Dive
            Dives from the LP point itself, which come first.
        """
        self.drop()
        self._given, self._proof, self._around = deque(given), proof, around
        self._size = self._first_size
        if given:
            self.stale = 0
        self._divers.load(diving)

    @property
    def given(self) -> bool:
        """Whether the next dive is a given one."""
        return bool(self._given)

    def ahead(self) -> None:
        """Begin the next dives, as many as can run at once."""
        if self._from is not self._incumbent.plan:
            self._drop_refills()
        while len(self._begun) < self._divers.count:
            dive = self._next(len(self._begun))
            if dive is None:
                break
            self._begun.append(self._divers.begin(dive, self._incumbent.value, self._clock))

    def take(self, until: Clock | None = None) -> bool:
        """Wait for the next dive, and keep what it found in its turn; return whether there is one.

        Parameters
        ----------
        until : Clock, optional
            With the work that the dive may use up; the clock of all by default.
        """
        self.ahead()
        if not self._begun:
            return False
        descent = self._begun.popleft().result()
        until = self._clock if until is None else until
        plan, operations = descent.within(self._incumbent.value, Allowance.of(until).work)
        self.operations += operations
        self._clock.spend(operations)
        better = self._incumbent.offer(plan)
        if self._given:
            self._given.popleft()
            return True
        self._refills += 1
        if better:
            self.stale = 0
        else:
            self.stale += 1
            self._size = self._grown(self._size)
        return True

    def drop(self) -> None:
        """Let nobody wait for what is begun."""
        while self._begun:
            self._begun.pop().drop()

    def skip_given(self) -> None:
        """Leave out the given dives that were not told."""
        self.drop()
        self._given.clear()

    def _drop_refills(self) -> None:
        """Drop the dives that begin from another schedule than the best one."""
        while len(self._begun) > len(self._given):
            self._begun.pop().drop()
        self._from = self._incumbent.plan

    def _next(self, place: int) -> Dive | None:
        """Return the dive at a place of the queue."""
        if place < len(self._given):
            return self._given[place]
        plan, proof, around = self._from, self._proof, self._around
        if around is None or plan is None:
            return None
        assert proof is not None
        later, size = place - len(self._given), self._size
        for _ in range(later):
            size = self._grown(size)
        jobs = around.draw(plan, math.ceil(size), np.random.default_rng(self._refills + later))
        return Dive(proof, plan.value, at_once=self._params.refilled_at_once, plan=plan, loose=jobs)

    def _grown(self, size: float) -> float:
        return min(self._params.refill_growth * size, self._most_size)


__all__ = ["DiveQueue"]
