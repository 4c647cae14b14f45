"""Branch-and-price: optima of small and medium instances, each with its branching tree as proof."""

from __future__ import annotations

import heapq
import time
from contextlib import nullcontext
from fractions import Fraction

import numpy as np

from hadaropt.errors import USE_ILP, SolverError, check_type, limited
from hadaropt.instance import Instance
from hadaropt.interrupts import interrupted_once
from hadaropt.mip.model import Floats
from hadaropt.offline.clock import Clock
from hadaropt.offline.colgen.column_generation import Proof, Relaxation, Solved
from hadaropt.offline.colgen.configuration_lp import published_prices
from hadaropt.offline.colgen.exact_duals import exact_proof
from hadaropt.offline.colgen.plan import place
from hadaropt.offline.colgen.pricing_data import Space, TooLargeError
from hadaropt.offline.contradiction import answering
from hadaropt.offline.cuts.lifted_covers import Separator
from hadaropt.offline.first_schedule import first_schedule
from hadaropt.offline.heuristics.divers import Divers, OneDiver, divers
from hadaropt.offline.heuristics.incumbent import Incumbent
from hadaropt.offline.heuristics.portfolio import Heuristics
from hadaropt.offline.heuristics.restricted_master import restricted_integer
from hadaropt.offline.known import Known, check_target_gap, zero_prices
from hadaropt.offline.lagrangian.pricing_workers import check_threads
from hadaropt.offline.monitor import Callback, Progress, says_stop
from hadaropt.offline.spare import without_spare
from hadaropt.offline.tree.branching import candidates, choose, divided_gpus, undecided
from hadaropt.offline.tree.nodes import Decision, Node, restrict, tree_document
from hadaropt.offline.tree.params import TreeParams
from hadaropt.offline.tree.short_prices import shortened
from hadaropt.pricing import dual_bound
from hadaropt.results import Result, Status, Termination, Timings, relative_gap
from hadaropt.schedule import Schedule, check_schedule

METHOD = "branch_and_price"
"""As it stands in answers."""
MAX_SHORTENED = 200
"""Open leaves that are given short prices after the search."""
SEARCHED = ("closed", "time_limit", "work_limit", "stopped")
"""How a search may end that has come as far as it was asked to."""


class _TimeUpError(Exception):
    """The time limit was reached."""


class _StoppedError(Exception):
    """The callback said stop."""


class _UndecidedError(Exception):
    """Equal nodes share cells, and what is left can only be decided for single nodes."""


class Search:
    """One branch-and-price run. Deterministic up to where a limit of time, not of work, strikes.

    Parameters
    ----------
    instance : Instance
    clock : Clock
    target_gap : float
        Subtrees within this relative gap are not searched.
    params : TreeParams, optional
    callback : callable, optional
    grouped : bool
        Whether equal nodes share cells: see `Space`. The search may then end ``undecided``.
    known : Fraction, optional
        A bound that is proved already, for reports.
    divers : Divers, optional
        Who dives; this process by default.
    """

    def __init__(
        self,
        instance: Instance,
        *,
        clock: Clock,
        target_gap: float,
        params: TreeParams | None = None,
        callback: Callback | None = None,
        grouped: bool = True,
        known: Fraction | None = None,
        divers: Divers | None = None,
    ) -> None:
        self._begin = time.perf_counter()
        self.instance, self.clock, self.target_gap = instance, clock, target_gap
        self._params = params = TreeParams() if params is None else params
        building = clock.part(params.building_share * clock.left(), params.building_seconds)
        self.space = Space.of(instance, building, grouped=grouped)
        self._proved_before = known
        self.relaxation = Relaxation(self.space)
        self.separator = Separator(self.space, params.cuts)
        self.incumbent = Incumbent(self.space, self._report)
        self._callback = callback
        self._heap: list[tuple[Fraction, int, Node]] = []
        self._closed = Fraction(0)
        """Largest bound of the closed subtrees."""
        self._undecided = Fraction(-1)
        """Largest bound of what only cells of single nodes can decide."""
        self.heuristics = Heuristics(
            self.relaxation, self.incumbent, self.closes, clock, params.heuristics, divers
        )
        self.trouble = ""
        self.solved = 0
        self.root_bounds: list[Fraction] = []
        self._created = 0
        self._base = self.relaxation.pricing.round_at.tolist()
        limits = self.relaxation.pricing.no_limits()
        cells = np.zeros((instance.num_rounds, len(self.space.capacity)))
        self.root = self._node(limits, self.relaxation.prove(cells, np.zeros(0), limits), 0)
        self._now = self.root
        """The subtree that is being searched."""

    def open_leaves(self) -> list[Node]:
        """Return the leaves that wait to be searched, in order of creation."""
        waiting = [node for _, _, node in self._heap if node.decision is None]
        return sorted(waiting, key=lambda node: node.number)

    def _node(self, limits: object, proof: Proof, depth: int) -> Node:
        node = Node(self._created, limits, proof, depth)  # type: ignore[arg-type]
        self._created += 1
        return node

    def closes(self, proof: Proof) -> bool:
        """Return whether a subtree needs no further search."""
        if self.relaxation.closes(proof, self.incumbent.value):
            return True
        if self.target_gap <= 0 or proof.bound is None:
            return False
        bound = self.instance.round_down(proof.bound)
        return relative_gap(bound, self.incumbent.value) <= self.target_gap

    def run(self, start: Schedule) -> str:
        """Search until everything is closed or time is up; return the termination."""
        try:
            self.incumbent.offer_schedule(start)
            self._search()
        except _TimeUpError:
            return self.clock.reached()
        except _StoppedError:
            return "stopped"
        except _UndecidedError:
            return "undecided"
        except KeyboardInterrupt:
            return "interrupted"
        except SolverError as error:
            # What was proved before holds: no bound rests on the solver's word.
            self.trouble = f", stopped: {error}"
            return "solver_error"
        finally:
            self.heuristics.rest()
        return "closed"

    def _report(self) -> None:
        """Report the best value, and the bound of what is open or closed so far."""
        if self._callback is None:
            return
        waiting = -self._heap[0][0] if self._heap else Fraction(0)
        bound = max(waiting, self._now.order(), self._closed, self.incumbent.value)
        if self._proved_before is not None:
            bound = min(bound, self._proved_before)
        seconds, bound = time.perf_counter() - self._begin, self.instance.round_down(bound)
        if says_stop(self._callback, Progress(seconds, "exact", self.incumbent.value, bound)):
            raise _StoppedError

    def _close(self, node: Node) -> None:
        self.shorten(node, self.incumbent.value)
        self._closed = max(self._closed, node.order())

    def shorten(self, node: Node, bound: Fraction) -> None:
        """Give a leaf short prices, if they prove the bound as well."""

        def enough(proof: Proof) -> bool:
            return self.relaxation.closes(proof, bound)

        if enough(node.proof):
            node.proof = shortened(self.relaxation, node.proof, node.limits, enough)

    def _search(self) -> None:
        heap = self._heap
        found = self._solve(self.root)
        node = self.root
        while True:
            if found is None:
                self._close(node)
                while heap:
                    node = heapq.heappop(heap)[2]
                    if node.order() <= self._undecided > self.incumbent.value:
                        raise _UndecidedError  # nothing else here lowers the bound
                    if not self.closes(node.proof):
                        break
                    self._close(node)
                else:
                    if self._undecided > self.incumbent.value:
                        raise _UndecidedError
                    return
                self._now = node
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
            node.yes, node.no = children
            node.decision = decision  # last: an interrupt must not find a node without children
            first, second = children if prefer_yes else children[::-1]
            found = self._solve(first)
            if found is None:
                self._close(first)
                self._now = node = second
                found = self._solve(second)
            else:
                self._now = node = first
                heapq.heappush(heap, (-second.order(), second.number, second))

    def _solve(self, node: Node) -> tuple[Decision, bool] | None:
        """Solve a node; return what to branch on, or None when it is closed."""
        self.solved += 1
        params = self._params
        at_root = node.depth == 0
        rounds = params.root_cut_rounds if at_root else params.node_cut_rounds
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
            tight = float(self.incumbent.value) * (1 + params.tight) + params.tight
            if objective <= tight:
                self._prove_exactly(node)
            if self.closes(node.proof):
                return None
            bound = node.order()
            stalled = last is not None and last - bound < params.least_cut_gain * (
                bound - self.incumbent.value
            )
            # First of all, and again before cuts that take long to find.
            if at_root and (cut_round == 0 or (stalled and not packings)):
                self._heuristics(node, solved)
                if self.closes(node.proof):
                    return None
            if cut_round == rounds or integral or (stalled and (packings or not at_root)):
                break
            packings = packings or stalled
            last = bound
            cuts = self.separator.separate(
                self.relaxation.master,
                weights,
                packings=packings,
                clock=self.clock,
                pause=self.heuristics.turn,
            )
            if not cuts:
                break
            self.relaxation.master.add_cuts(cuts)
        if at_root or self.solved % params.heuristics_every == 0:
            self._heuristics(node, solved)
            if self.closes(node.proof):
                return None
        assert solved.outcome is not None
        decision = choose(
            self.relaxation,
            weights,
            node.limits,
            objective,
            self.incumbent.value,
            self._base,
            self.clock,
            params.branching,
        )
        if decision is None:
            decision = divided_gpus(self.relaxation.master, weights)
        if decision is None:
            decision = undecided(self.relaxation.master, weights, node.limits, self._base)
        if decision is None:
            self._prove_without_prices(node)
            if self.space.grouped and not self.closes(node.proof):
                self._undecided = max(self._undecided, node.order())
        return decision

    def _heuristics(self, node: Node, solved: Solved) -> None:
        self.heuristics.run(node.proof, solved, node.depth == 0, seed=len(self.root_bounds))

    def _converge(self, node: Node) -> Solved:
        solved = self.relaxation.converge(
            node.limits,
            incumbent=self.incumbent.value,
            clock=self.clock,
            start=node.proof if node.depth else None,
            smoothing=self._params.root_smoothing if node.depth == 0 else 0.0,
        )
        node.proof = solved.proof.better(node.proof)
        if node.depth == 0:
            self.root_bounds.append(node.order())
        self._report()
        if solved.status == "time_limit" or self.clock.over():
            raise _TimeUpError
        self.heuristics.turn()
        return solved

    def _prove_exactly(self, node: Node) -> None:
        """Replace rounded prices by the exact duals of the last basis, if that helps."""
        proof = exact_proof(self.relaxation, node.limits)
        if proof is not None:
            node.proof = proof.better(node.proof)

    def _prove_without_prices(self, node: Node) -> None:
        """Where all is decided nobody competes: worths alone are a bound without rounded prices."""
        relaxation = self.relaxation
        cells, cuts = np.zeros(node.proof.cells.shape), np.zeros(len(relaxation.master.cuts))
        node.proof = relaxation.prove(cells, cuts, node.limits).better(node.proof)

    def _integral(self, weights: Floats) -> None:
        master = self.relaxation.master
        used = np.flatnonzero(weights > 1e-6).tolist()
        chosen = [master.columns[p] for p in used if weights[p] > 0.5]
        if not self.incumbent.offer(place(self.space, [c for c in chosen if c.completion >= 0])):
            keep = [p for p in used if master.columns[p].completion >= 0]
            if any(weights[p] < 1 - 1e-6 for p in keep):
                self.incumbent.offer(
                    restricted_integer(master, keep, None, clock=self.clock, node_limit=10)
                )


@without_spare
@limited("column generation", USE_ILP)
def branch_and_price(
    instance: Instance,
    *,
    time_limit: float | None = None,
    work_limit: int | None = None,
    target_gap: float = 0.0,
    start: Schedule | None = None,
    callback: Callback | None = None,
    clock: Clock | None = None,
    threads: int | None = None,
    others: Divers | None = None,
    params: TreeParams | None = None,
) -> Result:
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
    work_limit : int, optional
        Units of work, see `hadaropt.offline.clock`: the answer is the same on every run.
    target_gap : float
        Relative gap at which to stop.
    start : Schedule, optional
        A feasible schedule to start from; `first_schedule` by default.
    callback : callable, optional
        Called with a `Progress` when value or bound may have become better; stops the search by
        returning True (False or None: it goes on). What it raises is raised.
    clock : Clock, optional
        Of a solve that this is a part of, instead of limits.
    threads : int, optional
        Dives that may run at once, each in a process of its own (at most 16), where jobs are more
        than 60 and time is enough; 1 by default. With a limit of work, or none, the answer does
        not depend on it.
    others : Divers, optional
        Who dives, of a solve that this is a part of, instead of ``threads``.
    params : TreeParams, optional
        What can be tuned.

    Returns
    -------
    Result
        ``bound`` is exact; ``status`` is ``proved`` when it equals the value. ``termination``
        is ``target_gap`` where that is reached; ``interrupted`` after Ctrl-C; ``stopped`` where
        the callback says so; ``too_large`` where a job can run in too many ways to list: then
        only the start and D(0) are returned; ``solver_error`` where HiGHS failed on the way;
        ``tolerance`` where worths are so many orders of magnitude apart that rounded prices leave
        a gap although nothing is left to branch on; ``search_limit`` where gangs do not pack on
        equal nodes, and a program with cells for each of these would be too large.

    Raises
    ------
    ScheduleError
        If ``start`` is infeasible.

    Notes
    -----
    Whatever else is raised has the attribute ``best_known``: the best answer so far. A defect
    leaves files that reproduce it (attribute ``files``).
    """
    params = TreeParams() if params is None else params
    check_type("params", params, TreeParams)
    clock = Clock(time_limit, work_limit) if clock is None else clock
    check_target_gap(target_gap)
    check_threads(threads)
    instance.check_size()
    start = first_schedule(instance) if start is None else start
    run = _Run(instance, clock, target_gap, start)
    who = divers(threads) if others is None else nullcontext(others)
    with answering(run), interrupted_once(), who as run.divers:
        try:
            return run.answer(params, callback)
        except KeyboardInterrupt:
            return run.best(Termination.INTERRUPTED)


class _Run:
    """A call of `branch_and_price`, from set-up to answer."""

    def __init__(
        self,
        instance: Instance,
        clock: Clock,
        target_gap: float,
        start: Schedule,
    ) -> None:
        self.begin = time.perf_counter()
        self.clock = clock
        self.instance, self.target_gap, self.start = instance, target_gap, start
        self._known = Known(instance, METHOD, start)
        self.divers: Divers = OneDiver()
        self._searches: list[Search] = []
        self._assembled = self._solved = self.begin

    def answer(self, params: TreeParams, callback: Callback | None) -> Result:
        """Set up and search; return the answer."""
        try:
            search = self._set_up(params, callback)
        except TooLargeError as error:
            seconds = time.perf_counter() - self.begin
            return _too_large(self.instance, self.start, error, seconds)
        self._assembled = time.perf_counter()
        termination = search.run(self.start)
        if termination == "undecided":
            termination = self._by_node(search, params, callback)
        self._solved = time.perf_counter()
        return self._result(termination)

    def _set_up(
        self, params: TreeParams, callback: Callback | None, known: Fraction | None = None
    ) -> Search:
        search = Search(
            self.instance,
            clock=self.clock,
            target_gap=self.target_gap,
            params=params,
            callback=callback,
            grouped=known is None,
            known=known,
            divers=self.divers,
        )
        self._searches.append(search)
        return search

    def _by_node(self, first: Search, params: TreeParams, callback: Callback | None) -> str:
        """Search again with cells for every node; return the termination."""
        try:
            search = self._set_up(params, callback, max(leaf_bounds(first.root)))
        except TooLargeError:
            return "search_limit"
        return search.run(first.incumbent.schedule)

    def best(self, termination: Termination) -> Result:
        """Return the best answer known, whatever ended the search."""
        if not self._searches:
            return self._known.best(termination)
        try:
            return self._result(termination)
        except (Exception, KeyboardInterrupt):
            # The tree is in no state to be told; the schedules found are.
            for search in self._searches:
                self._known.offer(search.incumbent.schedule)
            return self._known.best(termination)

    def _result(self, termination: str) -> Result:
        incumbent = max((s.incumbent for s in self._searches), key=lambda found: found.value)
        value = incumbent.value
        search = min(self._searches, key=lambda s: max(leaf_bounds(s.root), default=value))
        relaxation = search.relaxation
        bounds = [value, *map(self.instance.round_down, leaf_bounds(search.root))]
        bound = max(bounds)
        for node in search.open_leaves()[:MAX_SHORTENED]:
            search.shorten(node, bound)
        tree = tree_document(search.space, relaxation.master.cuts, search.root, bound)
        if bound == value:
            termination = "optimal"
        elif termination in SEARCHED and relative_gap(bound, value) <= self.target_gap:
            termination = "target_gap"
        elif termination == "closed":
            # Worths are too many orders of magnitude apart for the numbers that bounds are made of.
            termination = "tolerance"
        ended = max(self._solved, self._assembled)
        solved = sum(s.solved for s in self._searches)
        return Result(
            method=METHOD,
            termination=Termination(termination),
            status=Status.PROVED if bound == value else Status.FEASIBLE,
            value=value,
            bound=bound,
            schedule=incumbent.schedule,
            prices=published_prices(search.space, search.root.proof, relaxation.scale),
            branching_tree=tree,
            raw_status=f"{solved} nodes, {len(relaxation.master.columns)} columns, "
            f"{len(relaxation.master.cuts)} cuts{self._searches[-1].trouble}",
            timings=Timings(
                self._assembled - self.begin,
                ended - self._assembled,
                time.perf_counter() - ended,
            ),
            solver=relaxation.master.highs.facts,
            nodes=solved,
        )


def _too_large(
    instance: Instance, schedule: Schedule, error: TooLargeError, seconds: float
) -> Result:
    """Return the start and D(0)."""
    value, prices = check_schedule(instance, schedule).value, zero_prices(instance)
    bound = dual_bound(instance, prices).value
    return Result(
        method=METHOD,
        termination=Termination.TOO_LARGE,
        status=Status.PROVED if bound == value else Status.FEASIBLE,
        value=value,
        bound=bound,
        schedule=schedule,
        prices=prices,
        raw_status=str(error),
        timings=Timings(seconds),
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
