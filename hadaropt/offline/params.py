"""What can be tuned in a solve of method ``auto``: sizes and amounts here, the rest by part.

When each part runs, and with what share of the limit, stands in `hadaropt.offline.phases`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hadaropt.keywords import known_fields
from hadaropt.offline.lagrangian.params import LagrangianParams
from hadaropt.offline.lns.params import LnsParams
from hadaropt.offline.tree.params import TreeParams


@known_fields
@dataclass(frozen=True)
class SolveParams:
    """Parameters of `hadaropt.solve`. A *cell* is a pair of a job and a round.

    Attributes
    ----------
    tiny_jobs : int
        Jobs up to which branch-and-price begins at once. More: tiny instances get no ejection
        chains, which larger ones need for a good incumbent.
    small_jobs : int
        Jobs up to which a solve without limits goes on to the proved optimum. More: such solves
        may take very long.
    medium_jobs : int
        Jobs up to which branch-and-price is tried at all. More: time for ejection chains is lost
        to nodes that move neither value nor bound.
    medium_cells : int
        Cells up to which branch-and-price is tried at all. More: as for ``medium_jobs``; its
        memory grows in proportion.
    diving_cells : int
        Cells up to which the dives of branch-and-price find more than ejection chains, so that
        these get little time. More: large instances are left to dives that finish no step.
    wide_gap : float
        Relative gap above which branch-and-price seldom closes what is no diving instance: then
        ejection chains come first, for longer. More: branch-and-price begins earlier.
    checked_cells : int
        Cells up to which the compact integer program is solved as well, as a cross-check and
        where branch-and-price cannot list the ways to run a job. More: longer solves.
    check_seconds : float
        Seconds, of the machine or of work, that the compact integer program is given at the most.
        More: longer solves where it is hard.
    small_bound_seconds : float
        Seconds for the dual search of a small instance where there is no limit. More: a better
        first bound, though branch-and-price finds the best one anyway.
    chains_per_job : int
        Ejection chains per job where there is no limit. More: better schedules, later.
    lagrangian : LagrangianParams
        Of the dual search.
    lns : LnsParams
        Of insertion in batches and ejection chains.
    tree : TreeParams
        Of branch-and-price, with its heuristics and cuts.
    """

    tiny_jobs: int = 25
    small_jobs: int = 60
    medium_jobs: int = 500
    medium_cells: int = 50_000
    diving_cells: int = 12_000
    wide_gap: float = 0.005
    checked_cells: int = 400
    check_seconds: float = 20.0
    small_bound_seconds: float = 10.0
    chains_per_job: int = 100
    lagrangian: LagrangianParams = field(default_factory=LagrangianParams)
    lns: LnsParams = field(default_factory=LnsParams)
    tree: TreeParams = field(default_factory=TreeParams)


__all__ = ["SolveParams"]
