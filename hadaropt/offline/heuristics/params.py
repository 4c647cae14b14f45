"""What can be tuned in the heuristics inside branch-and-price."""

from __future__ import annotations

from dataclasses import dataclass, field

from hadaropt.keywords import known_fields


@known_fields
@dataclass(frozen=True)
class DivingParams:
    """Parameters of one dive.

    Attributes
    ----------
    most_sets : int
        Sets of cells of Hall's condition up to which dives are made. More: slower checks of room.
    gang_exponent : float
        Columns are fixed by decreasing share times gang size to this power. More: large gangs are
        settled earlier.
    share : float
        Least share of the columns that are fixed together with the best one. More: fewer at once.
    lps : int
        LPs between two steps. More: better prices, slower dives.
    gang_chance : float
        The chance of a job to be in a neighbourhood is in proportion to its gang size to this
        power. More: neighbourhoods of large gangs.
    dispute : float
        Weight of chance against the share of its present schedule in the LP point, where jobs are
        drawn for which both disagree. More: neighbourhoods that differ more.
    """

    most_sets: int = 64
    gang_exponent: float = 2.0
    share: float = 0.5
    lps: int = 3
    gang_chance: float = 0.7
    dispute: float = 0.5


@known_fields
@dataclass(frozen=True)
class HeuristicParams:
    """Parameters of the heuristics at a node. Shares are of the time that is left.

    A *dive from the incumbent* keeps most of its columns and schedules some jobs anew. *Few* jobs
    are at most ``few_jobs``.

    Attributes
    ----------
    few_jobs : int
        Jobs up to which local search pays besides dives. More: dives get less time.
    search_iterations : int
        Most iterations of one local search. More: better and slower.
    search_operations : int
        Most operations of one local search (see `hadaropt.offline.clock`): jobs of many states get
        fewer iterations. More: better, while dives wait.
    removed : tuple of int
        Most jobs that are taken out at once: one local search for each of these.
    restricted_nodes : int
        Nodes of one restricted integer program.
    restricted_columns : int
        Columns per job in it. More: better schedules, if it ends within its nodes.
    restricted_gap, restricted_gap_many : float
        Relative gap above which it is not tried, for few jobs and for more of them: it would find
        nothing. More: it is tried more often in vain.
    restricted_share : float
        Share of the time that it may take.
    first_columns : int
        Columns per job with which dives begin. More: slower LPs, fewer columns to price.
    steps, careful_steps : int
        Steps after which a quick and a careful dive would have fixed a column of every job. More:
        better and slower dives.
    noisy_dives : int
        Careful dives with noise, after the one without.
    noise : float
        Standard deviation of the noise on the logarithm of the scores. More: dives that differ
        more.
    dive_share : float
        Share of the time for the dives from the root, for few jobs or before there are cuts.
    work_share : float
        Share of the work of branch-and-price for all dives, for many jobs, while they go on beside
        cuts and nodes. More: better schedules, later bounds.
    stale_share : float
        The same, once dives from the incumbent were in vain too often.
    refilled : int
        Jobs that are scheduled anew by the first dive from the incumbent; at most half of all.
    refill_growth : float
        Factor by which they become more after a dive in vain.
    most_refilled : float
        Share of all jobs up to which they become more.
    refilled_at_once : int
        Columns fixed between two LPs of a dive from the incumbent. More: quicker and worse.
    refill_share : float
        Share of the time for all dives from the incumbent at a node, for few jobs.
    stale_refills : int
        Dives from the incumbent in vain, one after the other, after which dives get
        ``stale_share``. More: better schedules, later bounds.
    node_refills : int
        Dives in vain that end them at a node, for few jobs, where branching gains more.
    divers_from : float
        Seconds, of time or work, that must be left for other processes to dive. More: short solves
        start none.
    diving : DivingParams
    """

    few_jobs: int = 60
    search_iterations: int = 10_000
    search_operations: int = 10**9
    removed: tuple[int, ...] = (24, 12, 40)
    restricted_nodes: int = 20
    restricted_columns: int = 4
    restricted_gap: float = 0.015
    restricted_gap_many: float = 0.003
    restricted_share: float = 0.2
    first_columns: int = 6
    steps: int = 33
    careful_steps: int = 100
    noisy_dives: int = 3
    noise: float = 0.3
    dive_share: float = 0.3
    work_share: float = 0.75
    stale_share: float = 0.5
    refilled: int = 40
    refill_growth: float = 1.03
    most_refilled: float = 0.75
    refilled_at_once: int = 3
    refill_share: float = 0.6
    stale_refills: int = 60
    node_refills: int = 5
    divers_from: float = 5.0
    diving: DivingParams = field(default_factory=DivingParams)


__all__ = ["DivingParams", "HeuristicParams"]
