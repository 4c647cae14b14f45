"""A run of HiGHS within a limit: of seconds, or of nodes and iterations where work is counted."""

from __future__ import annotations

from hadaropt.exact import MAX_COUNT
from hadaropt.mip.highs import HighsModel, Outcome
from hadaropt.offline.clock import Clock

RUN_OPERATIONS, NODE_OPERATIONS, ITERATION_OPERATIONS = 2 * 10**6, 2 * 10**7, 10**4
"""What a run, a node and a simplex iteration count for at least in a limit of work."""


def run_within(
    highs: HighsModel, clock: Clock, size: int, *, node_limit: int = MAX_COUNT
) -> Outcome:
    """Run a solver until a clock is over.

    Parameters
    ----------
    highs : HighsModel
    clock : Clock
        Where it counts work, what the solver did is counted.
    size : int
        Rows and columns of the model.
    node_limit : int
        Most nodes.
    """
    each = ITERATION_OPERATIONS + size
    nodes, iterations = clock.most(NODE_OPERATIONS), clock.most(each)
    if nodes is not None and iterations is not None:
        node_limit = min(node_limit, nodes)
        highs.set_option("simplex_iteration_limit", iterations)
        highs.set_option("ipm_iteration_limit", iterations)
    highs.set_option("mip_max_nodes", node_limit)
    outcome = highs.run(clock.machine_seconds())
    clock.spend(RUN_OPERATIONS + outcome.nodes * NODE_OPERATIONS + outcome.iterations * each)
    return outcome


__all__ = ["run_within"]
