"""What can be tuned in branch-and-price."""

from __future__ import annotations

from dataclasses import dataclass, field

from hadaropt.keywords import known_fields
from hadaropt.offline.cuts.params import CutParams
from hadaropt.offline.heuristics.params import HeuristicParams


@known_fields
@dataclass(frozen=True)
class BranchingParams:
    """Parameters of strong branching. A *probe* solves the LP under one answer, roughly.

    Attributes
    ----------
    tried : int
        Candidates that are probed under either answer. More: smaller trees, slower nodes.
    stale : int
        Probes in a row without a better candidate after which there are no more.
    probe_iterations : int
        Simplex iterations of one probe. More: truer scores, slower nodes.
    negligible : float
        Product of the relative gains of the two answers below which a candidate moves nothing:
        then rounds are settled in their order. More: that happens more often.
    progress_weight : float
        Weight of a decision on the progress in a round against one on the completion round. More:
        rounds are decided earlier.
    """

    tried: int = 8
    stale: int = 3
    probe_iterations: int = 60
    negligible: float = 1e-4
    progress_weight: float = 0.25


@known_fields
@dataclass(frozen=True)
class TreeParams:
    """Parameters of `hadaropt.solve` with the method ``branch_and_price``.

    Attributes
    ----------
    root_cut_rounds, node_cut_rounds : int
        Most rounds of cuts at the root and at any other node. More: better bounds, slower nodes.
    least_cut_gain : float
        Share of the gap that a round of cuts must close for another one to follow. More: fewer.
    tight : float
        Relative distance of LP value and incumbent at which the duals are made exact. More: that
        is tried more often, also where it closes nothing.
    building_share : float
        Share of the limit that listing the states of all jobs may take.
    building_seconds : float
        Seconds that it is given at the least.
    heuristics_every : int
        Nodes between two rounds of heuristics. More: fewer schedules, more nodes.
    root_smoothing : float
        Weight of the best prices so far in those that are priced next, at the root. More: steadier
        and slower column generation.
    branching : BranchingParams
    cuts : CutParams
    heuristics : HeuristicParams
    """

    root_cut_rounds: int = 30
    node_cut_rounds: int = 2
    least_cut_gain: float = 1e-3
    tight: float = 1e-7
    building_share: float = 0.5
    building_seconds: float = 1.0
    heuristics_every: int = 50
    root_smoothing: float = 0.5
    branching: BranchingParams = field(default_factory=BranchingParams)
    cuts: CutParams = field(default_factory=CutParams)
    heuristics: HeuristicParams = field(default_factory=HeuristicParams)


__all__ = ["BranchingParams", "TreeParams"]
