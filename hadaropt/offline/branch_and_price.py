"""Branch-and-price: optima of small and medium instances, each with its branching tree as proof."""

from __future__ import annotations

import heapq
import math
import time
from fractions import Fraction

import numpy as np

from hadaropt.errors import SolverError
from hadaropt.instance import Instance
from hadaropt.offline.branching import candidates, choose, divided_gpus, undecided
from hadaropt.offline.configuration import published_prices
from hadaropt.offline.covers import Separator
from hadaropt.offline.diving import Diving
from hadaropt.offline.local_search import LocalSearch
from hadaropt.offline.model import Floats
from hadaropt.offline.options import Space, TooLargeError
from hadaropt.offline.prices import zero_prices
from hadaropt.offline.primal import (
    Plan,
    exact_value,
    place,
    restricted_integer,
    to_plan,
    to_schedule,
)
from hadaropt.offline.relaxation import Proof, Relaxation, Solved
from hadaropt.offline.repair import exact_proof
from hadaropt.offline.tree import Decision, Node, restrict, tree_document
from hadaropt.pricing import dual_bound
from hadaropt.results import SolveResult, Timings
from hadaropt.schedule import Schedule, check_schedule

ROOT_CUT_ROUNDS = 30
NODE_CUT_ROUNDS = 2
TIGHT = 1e-7
"""Relative distance of LP value and incumbent at which the duals are made exact."""
RESTRICTED_NODES = 20
RESTRICTED_COLUMNS = 4
"""Nodes, and columns per job, of one restricted integer program: the same on every machine."""
PROMISING, NEARLY = 0.015, 0.003
"""Relative gaps above which restricted integer programs find nothing: few jobs, and more."""
RESTRICTED_SHARE = 0.2
"""Share of the time left that one restricted integer program may take."""
SEARCH_ITERATIONS, REMOVED = 10_000, (24, 12, 40)
"""Iterations of a local search, and the most jobs it takes out at once: one after the other."""
BUILDING_SHARE, BUILDING_SECONDS = 0.5, 1.0
"""Share of the time that listing the states of all jobs may take, and the least it is given."""
FIRST_COLUMNS = 6
"""Columns per job with which dives begin."""
STEPS, CAREFUL_STEPS = 33, 100
"""Steps after which a quick and a careful dive would have fixed a column of every job."""
NOISY_DIVES, DIVE_NOISE = 3, 0.3
DIVE_SHARE = 0.3
"""Share of the time left for dives from the root."""
REFILLED, REFILL_GROWTH, MOST_REFILLED = 40, 1.03, 0.75
"""Jobs that are scheduled anew by one dive from the incumbent: at first this, at most half of all;
more after each dive in vain, up to a share of all."""
REFILLED_AT_ONCE = 3
REFILL_SHARE = 0.6
"""Share of the time left that dives from the incumbent may take before branching begins."""
STALE_REFILLS, NODE_REFILLS = 60, 5
"""Dives from the incumbent in vain until the search for better ones ends: before branching begins,
and at a later round of heuristics or where few jobs leave branching the better way."""
SEARCHED_JOBS = 60
"""Most jobs for which local search is worth its time beside dives."""
SEARCH_EVERY = 50
"""Nodes between two rounds of heuristics."""
MIN_CUT_GAIN = 1e-3
"""Share of the gap that a round of cuts must close for another one to follow."""


class _TimeUpError(Exception):
    """The time limit was reached."""


class Search:
    """One branch-and-price run. Deterministic up to where a time limit strikes.

    Parameters
    ----------
    instance : Instance
    deadline : float
        Of `time.perf_counter`.
    target_gap : float
        Subtrees within this relative gap are not searched.
    packing_cuts : bool
    """

    def __init__(
        self, instance: Instance, *, deadline: float, target_gap: float, packing_cuts: bool = True
    ) -> None:
        self.instance, self.deadline, self.target_gap = instance, deadline, target_gap
        now = time.perf_counter()
        building = max(BUILDING_SECONDS, BUILDING_SHARE * (deadline - now))
        self.space = Space.of(instance, now + building)
        self.relaxation = Relaxation(self.space, instance.value_unit)
        self.separator = Separator(self.space, packings=packing_cuts)
        self.local_search = LocalSearch(self.relaxation.pricing)
        self.diving: Diving | None = None
        self.searches = 0
        self.trouble = ""
        self.schedule = Schedule.empty(instance)
        self.value = Fraction(0)
        self.plan: Plan | None = None
        self.solved = 0
        self.repaired = 0
        self.heur_seconds = self.sep_seconds = self.repair_seconds = 0.0
        self.root_bounds: list[Fraction] = []
        self._created = 0
        self._base = self.relaxation.pricing.round_at.tolist()
        limits = self.relaxation.pricing.no_limits()
        cells = np.zeros((instance.num_rounds, len(self.space.capacity)))
        self.root = self._node(limits, self.relaxation.prove(cells, np.zeros(0), limits), 0)

    def _node(self, limits: object, proof: Proof, depth: int) -> Node:
        node = Node(self._created, limits, proof, depth)  # type: ignore[arg-type]
        self._created += 1
        return node

    # ------------------------------------------------------------------ incumbents

    def offer(self, plan: Plan | None) -> bool:
        """Keep a plan if it beats the incumbent; return whether it does."""
        if plan is None or plan.value <= self.value:
            return False
        return self.offer_schedule(to_schedule(self.space, plan), plan)

    def offer_schedule(self, schedule: Schedule, plan: Plan | None = None) -> bool:
        """Keep a schedule if it is feasible and beats the incumbent."""
        value = exact_value(self.space, schedule)
        if value <= self.value:
            return False
        if plan is None:
            plan = to_plan(self.space, schedule)
        self.schedule, self.value, self.plan = schedule, value, plan
        return True

    def closes(self, proof: Proof) -> bool:
        """Return whether a subtree needs no further search."""
        if self.relaxation.closes(proof, self.value):
            return True
        if self.target_gap <= 0 or proof.bound is None:
            return False
        return float(proof.bound - self.value) <= self.target_gap * max(1.0, float(self.value))

    # ------------------------------------------------------------------ the tree

    def run(self) -> str:
        """Search until everything is closed or time is up; return the termination."""
        try:
            self._search()
        except _TimeUpError:
            return "time_limit"
        except KeyboardInterrupt:
            return "interrupted"
        except SolverError as error:
            # What was proved before holds: no bound rests on the solver's word.
            self.trouble = f", stopped: {error}"
            return "solver_error"
        return "unresolved"

    def _search(self) -> None:
        heap: list[tuple[Fraction, int, Node]] = []
        found = self._solve(self.root)
        node = self.root
        while True:
            if found is None:
                while heap:
                    node = heapq.heappop(heap)[2]
                    if not self.closes(node.proof):
                        break
                else:
                    return
                found = self._solve(node)
                continue
            decision, prefer_yes = found
            children = [
                self._node(
                    restrict(self.space, node.limits, self._base, decision, yes),
                    node.proof,
                    node.depth + 1,
                )
                for yes in (True, False)
            ]
            node.decision, (node.yes, node.no) = decision, children
            first, second = children if prefer_yes else children[::-1]
            found = self._solve(first)
            if found is None:
                node, found = second, self._solve(second)
            else:
                node = first
                heapq.heappush(heap, (-second.order(), second.number, second))

    def _solve(self, node: Node) -> tuple[Decision, bool] | None:
        """Solve a node; return what to branch on, or None when it is closed."""
        self.solved += 1
        at_root = node.depth == 0
        rounds = ROOT_CUT_ROUNDS if at_root else NODE_CUT_ROUNDS
        last: Fraction | None = None
        packings = False
        for cut_round in range(rounds + 1):
            solved = self._converge(node)
            if solved.status == "closed":
                return None
            assert solved.outcome is not None
            assert solved.outcome.objective is not None
            objective = solved.outcome.objective
            weights = self.relaxation.master.weights(solved.outcome)
            integral = not candidates(self.relaxation.master, weights)
            if integral:
                self._integral(weights)
            tight = float(self.value) * (1 + TIGHT) + TIGHT
            if objective <= tight:
                self._repair(node)
            if self.closes(node.proof):
                return None
            bound = node.order()
            stalled = last is not None and last - bound < MIN_CUT_GAIN * (bound - self.value)
            # First of all, and again before cuts that take long to find.
            if at_root and (cut_round == 0 or (stalled and not packings)):
                self._heuristics(node, weights, solved)
                if self.closes(node.proof):
                    return None
            if cut_round == rounds or integral or (stalled and (packings or not at_root)):
                break
            packings = packings or stalled
            last = bound
            begin = time.perf_counter()
            cuts = self.separator.separate(
                self.relaxation.master, weights, packings=packings, deadline=self.deadline
            )
            self.sep_seconds += time.perf_counter() - begin
            if not cuts:
                break
            self.relaxation.master.add_cuts(cuts)
        if at_root or self.solved % SEARCH_EVERY == 0:
            self._heuristics(node, weights, solved)
            if self.closes(node.proof):
                return None
        assert solved.outcome is not None
        decision = choose(
            self.relaxation,
            weights,
            node.limits,
            objective,
            self.value,
            self._base,
        )
        if decision is None:
            decision = divided_gpus(self.relaxation.master, weights)
        if decision is None:
            return undecided(self.relaxation.master, weights, node.limits, self._base)
        return decision

    def _converge(self, node: Node) -> Solved:
        solved = self.relaxation.converge(
            node.limits,
            incumbent=self.value,
            deadline=self.deadline,
            start=node.proof if node.depth else None,
            smoothing=0.5 if node.depth == 0 else 0.0,
        )
        node.proof = solved.proof.better(node.proof)
        if node.depth == 0:
            self.root_bounds.append(node.order())
        if solved.status == "time_limit":
            raise _TimeUpError
        if time.perf_counter() > self.deadline:
            raise _TimeUpError
        return solved

    def _repair(self, node: Node) -> None:
        """Replace rounded prices by the exact duals of the last basis, if that helps."""
        self.repaired += 1
        begin = time.perf_counter()
        proof = exact_proof(self.relaxation, node.limits)
        self.repair_seconds += time.perf_counter() - begin
        if proof is not None:
            node.proof = proof.better(node.proof)

    def _integral(self, weights: Floats) -> None:
        master = self.relaxation.master
        used = np.flatnonzero(weights > 1e-6).tolist()
        chosen = [master.columns[p] for p in used if weights[p] > 0.5]
        if not self.offer(place(self.space, [c for c in chosen if c.completion >= 0])):
            keep = [p for p in used if master.columns[p].completion >= 0]
            left = max(0.0, self.deadline - time.perf_counter())
            if any(weights[p] < 1 - 1e-6 for p in keep):
                self.offer(restricted_integer(master, keep, None, time_limit=left, node_limit=10))

    # ------------------------------------------------------------------ heuristics

    def _heuristics(self, node: Node, weights: Floats, solved: Solved) -> None:
        begin = time.perf_counter()
        self._try(node, weights, solved)
        self.heur_seconds += time.perf_counter() - begin

    def _try(self, node: Node, weights: Floats, solved: Solved) -> None:
        master = self.relaxation.master
        assert solved.outcome is not None and solved.outcome.column_prices is not None
        few = len(self.space.jobs) <= SEARCHED_JOBS
        if few:
            self._local_search(node)
        if node.depth == 0:
            self._dive(node, solved)
        if self.value == 0 and not few:
            self._local_search(node)
        # Dives that the cuts guide do better.
        if master.cuts:
            self._refill(node)
        assert node.proof.bound is not None
        gap = float(node.proof.bound - self.value)
        most = (PROMISING if few else NEARLY) * float(self.value)
        if self.closes(node.proof) or node.depth > 0 or gap > most:
            return
        cost = solved.outcome.column_prices[master.linear.shape[1] :]
        order = np.argsort(-cost, kind="stable")[: RESTRICTED_COLUMNS * len(self.space.jobs)]
        keep = sorted(order[cost[order] >= -gap].tolist())
        if self.plan is not None:
            master.add_columns(list(self.plan.columns.values()))
            keep = sorted({*keep, *(master.place_of(c) for c in self.plan.columns.values())})
        left = self.deadline - time.perf_counter()
        self.offer(
            restricted_integer(
                master,
                keep,
                self.plan,
                time_limit=max(0.0, RESTRICTED_SHARE * left),
                node_limit=RESTRICTED_NODES,
            )
        )

    def _out_of_time(self, node: Node) -> bool:
        return self.closes(node.proof) or time.perf_counter() > self.deadline

    def _dive(self, node: Node, solved: Solved) -> None:
        """Dive from the LP point of the root: quickly at first, with care when cuts are in."""
        master, jobs = self.relaxation.master, len(self.space.jobs)
        assert solved.outcome is not None and solved.outcome.column_prices is not None
        cost = solved.outcome.column_prices[master.linear.shape[1] :]
        best = np.argsort(-cost, kind="stable")[: FIRST_COLUMNS * jobs].tolist()
        columns = [master.columns[p] for p in best]
        self.diving = Diving(self.relaxation, columns, seed=len(self.root_bounds))
        if not self.diving.usable:
            return
        plans = [(STEPS, 0.0)]
        if master.cuts:
            plans += [(CAREFUL_STEPS, 0.0)] + [(CAREFUL_STEPS, DIVE_NOISE)] * NOISY_DIVES
        now = time.perf_counter()
        end = min(self.deadline, now + DIVE_SHARE * (self.deadline - now))
        for steps, noise in plans:
            if self._out_of_time(node) or time.perf_counter() > end:
                return
            until = self.deadline if steps == STEPS else end
            at_once = max(1, jobs // steps)
            self.offer(
                self.diving.dive(
                    node.proof, self.value, deadline=until, at_once=at_once, noise=noise
                )
            )

    def _refill(self, node: Node) -> None:
        """Dive from the incumbent until that is in vain too often."""
        diving = self.diving
        if diving is None or not diving.usable or self.plan is None:
            return
        now = time.perf_counter()
        end = min(self.deadline, now + REFILL_SHARE * (self.deadline - now))
        few = len(self.space.jobs) <= SEARCHED_JOBS
        most = NODE_REFILLS if node.depth or few else STALE_REFILLS
        many = len(self.space.jobs)
        size, stale = min(REFILLED, (many + 1) / 2), 0
        while stale < most and time.perf_counter() < end and not self._out_of_time(node):
            jobs = diving.neighbourhood(self.plan, math.ceil(size))
            found = diving.refill(
                self.plan, jobs, node.proof, deadline=self.deadline, at_once=REFILLED_AT_ONCE
            )
            stale = 0 if self.offer(found) else stale + 1
            if stale:
                size = min(REFILL_GROWTH * size, max(size, MOST_REFILLED * many))

    def _local_search(self, node: Node) -> None:
        prices = published_prices(self.space, node.proof, self.relaxation.scale).units
        prices = prices.reshape(len(prices), -1)
        for most in REMOVED:
            if self._out_of_time(node):
                return
            self.offer(
                self.local_search.improve(
                    self.plan,
                    prices,
                    seed=self.searches,
                    iterations=SEARCH_ITERATIONS,
                    most=most,
                )
            )
            self.searches += 1


def branch_and_price(
    instance: Instance,
    *,
    time_limit: float | None = None,
    target_gap: float = 0.0,
    start: Schedule | None = None,
    packing_cuts: bool = True,
) -> SolveResult:
    """Solve an instance to proved optimality by branch-and-price.

    The configuration LP with lifted cover cuts is solved at every node by column generation; the
    branches are "job j completes by round m" and "job j makes at least p iterations in round t",
    which only limit the options of the pricing problem. The answer carries the tree, from which
    `certify` makes a certificate of level L2.

    Parameters
    ----------
    instance : Instance
    time_limit : float, optional
        Seconds; the best schedule and the proven bound so far are returned when it is reached.
    target_gap : float
        Relative gap at which to stop.
    start : Schedule, optional
        A feasible schedule to start from.
    packing_cuts : bool
        Use cuts of several terms (joint packings of a round) beside lifted covers.

    Returns
    -------
    SolveResult
        ``bound`` is exact; ``grade`` is ``proved`` when it equals the objective. ``termination``
        is ``too_large`` where exact pricing would need too many states: then only the start and
        D(0) are returned. It is ``solver_error`` where HiGHS failed on the way.

    Raises
    ------
    ScheduleError
        If ``start`` is infeasible.
    """
    begin = time.perf_counter()
    deadline = math.inf if time_limit is None else begin + time_limit
    try:
        search = Search(
            instance, deadline=deadline, target_gap=target_gap, packing_cuts=packing_cuts
        )
    except TooLargeError as error:
        return _too_large(instance, start, error, time.perf_counter() - begin)
    if start is not None:
        search.offer_schedule(start)
    assembled = time.perf_counter()
    termination = search.run()
    solved = time.perf_counter()
    bound = max(
        (search.relaxation.round_down(b) for b in leaf_bounds(search.root)), default=search.value
    )
    bound = max(bound, search.value)
    prices = published_prices(search.space, search.root.proof, search.relaxation.scale)
    tree = tree_document(search.space, search.relaxation.master.cuts, search.root)
    facts = search.relaxation.master.highs.facts
    return SolveResult(
        "branch-and-price",
        "optimal" if bound == search.value else termination,
        "feasible",
        f"{search.solved} nodes, {len(search.relaxation.master.columns)} columns, "
        f"{len(search.relaxation.master.cuts)} cuts{search.trouble}",
        search.value,
        bound,
        "proved" if bound == search.value else "feasible",
        search.schedule,
        prices,
        Timings(assembled - begin, solved - assembled, time.perf_counter() - solved),
        facts,
        search.solved,
        tree=tree,
    )


def _too_large(
    instance: Instance, start: Schedule | None, error: TooLargeError, seconds: float
) -> SolveResult:
    """Return the start and D(0)."""
    schedule = Schedule.empty(instance) if start is None else start
    value, prices = check_schedule(instance, schedule).value, zero_prices(instance)
    bound = dual_bound(instance, prices).value
    return SolveResult(
        "branch-and-price",
        "too_large",
        "feasible",
        str(error),
        value,
        bound,
        "proved" if bound == value else "feasible",
        schedule,
        prices,
        Timings(seconds),
    )


def leaf_bounds(root: Node) -> list[Fraction]:
    """Return the bounds of the feasible leaves."""
    bounds, stack = [], [root]
    while stack:
        node = stack.pop()
        if node.decision is None:
            if node.proof.bound is not None:
                bounds.append(node.proof.bound)
            continue
        assert node.yes is not None and node.no is not None
        stack += [node.no, node.yes]
    return bounds
