"""What can be tuned in the dual search."""

from __future__ import annotations

from dataclasses import dataclass, field

from hadaropt.keywords import known_fields


@known_fields
@dataclass(frozen=True)
class SubgradientParams:
    """Parameters of a descent by deflected subgradients towards a level.

    Attributes
    ----------
    deflection : float
        Share of the last direction in the next one. More: less zigzag, later turns.
    step : float
        Share of Polyak's step that is made. More: faster and less steady.
    patience : int
        Evaluations without progress after which the level is raised halfway to the best value.
        More: levels that are too low are pursued for longer.
    progress : float
        Share of the way to the level that counts as progress. More: levels rise sooner.
    first_drop : float
        How far below the first value the first level lies, relative to it. More: a bolder start.
    """

    deflection: float = 0.6
    step: float = 0.5
    patience: int = 8
    progress: float = 0.001
    first_drop: float = 0.1


@known_fields
@dataclass(frozen=True)
class LagrangianParams:
    """Parameters of `hadaropt.solve`, method ``lagrangian``; tolerances are relative to the bound.

    The search goes through *stages*: on samples of the jobs, then on all of them in tables of
    coarse and of fine progress. *Detail* multiplies the units of progress of a table.

    Attributes
    ----------
    samples : tuple of int
        A stage on every so many-th job for each of these. More of them: a softer start of very
        large instances.
    least_sample : int
        Jobs that a sample must have. More: fewer stages on samples.
    sample_tolerance : float
        Distance of level and best value that ends a stage on a sample. More: it ends earlier.
    coarse_tolerance : float
        Distance of level and best value that ends the stage on the coarse table. More: the fine
        table, which takes longer, comes earlier.
    tolerance : float
        Distance of level and best value that ends the stage on the last table. More: a worse
        bound, sooner.
    drop_factor : float
        A stage begins with its level this many tolerances below the best value. More: a bolder
        start of a stage.
    fine : int
        Detail of the table of the last stage. More: a tighter bound, slower evaluations.
    finest : tuple of int
        Details at which the best prices are evaluated at the end, as long as the bound gains.
    settle_share : float
        Share of the time of a search that is kept for the evaluations at ``finest``. More: less
        search.
    table_entries : int
        Rounds x units of progress that a table of more detail may have. More: finer tables, more
        memory (8 bytes for each).
    subgradient : SubgradientParams
    """

    samples: tuple[int, ...] = (64, 8)
    least_sample: int = 1000
    sample_tolerance: float = 1e-3
    coarse_tolerance: float = 5e-4
    tolerance: float = 2e-6
    drop_factor: float = 8.0
    fine: int = 8
    finest: tuple[int, ...] = (32, 128)
    settle_share: float = 0.2
    table_entries: int = 2**26
    subgradient: SubgradientParams = field(default_factory=SubgradientParams)


__all__ = ["LagrangianParams", "SubgradientParams"]
