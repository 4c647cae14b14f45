"""The phases of a solve: what runs when, with what share of the limit, and why.

A *share* counts from the beginning of the solve: a phase of share 0.4 ends when 40 % of the limit
(of time or of work) are used up, whatever came before it took. So shares rise along every path.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hadaropt.offline.run import Run


@dataclass(frozen=True)
class Situation:
    """What decides which phase runs next.

    Attributes
    ----------
    tiny, small, medium : bool
        Size of the instance, by `SolveParams`; each of these holds where the one before it does.
    diving : bool
        Medium, and so small that dives find more than ejection chains.
    checked : bool
        Small enough for the compact integer program.
    limited : bool
        Whether there is a limit of time or work.
    by_node : bool
        Whether nodes matter to some job (it slows when it spans nodes, or runs as copies).
    too_large : bool
        Branch-and-price was tried and cannot list the ways to run a job.
    wide : bool
        Whether the relative gap of the best schedule and the best bound is wide.
    """

    tiny: bool
    small: bool
    medium: bool
    diving: bool
    checked: bool
    limited: bool
    by_node: bool
    too_large: bool = False
    wide: bool = True

    @classmethod
    def of(cls, run: Run) -> Situation:
        """Return the situation of a solve under way."""
        return cls(
            run.tiny,
            run.small,
            run.medium,
            run.diving,
            run.checked,
            run.limited,
            run.by_node,
            run.too_large,
            run.monitor.progress().gap > run.params.wide_gap,
        )

    @property
    def branches(self) -> bool:
        """Whether branch-and-price is to come."""
        return self.medium and not self.too_large


@dataclass(frozen=True)
class Phase:
    """A step of a solve.

    Attributes
    ----------
    name : str
        As `Progress` shows it; phases that do the same have the same name.
    applies : callable
        (situation) -> whether the phase runs.
    run : callable
        (run, share) -> None.
    share : float
        Of the limit, which may be used up when the phase ends; 1 for all of it.
    reason : str
        Why here, why then, and why so much.
    always : bool
        Whether it runs even where the limit is reached or the answer is good enough.
    """

    name: str
    applies: Callable[[Situation], bool]
    run: Callable[[Run, float], None]
    share: float
    reason: str
    always: bool = False


# In order; `run_phases` runs those that apply.
PHASES: tuple[Phase, ...] = (
    Phase(
        "greedy",
        lambda s: True,
        Run.first_schedule,
        1.0,
        "Takes milliseconds of plain Python: whatever ends the solve, there is a schedule.",
        always=True,
    ),
    Phase(
        "bound",
        lambda s: True,
        Run.first_bound,
        0.02,
        "Every answer has prices that prove a bound. A few evaluations of the dual also give the "
        "prices at which jobs are inserted; more of them pay only once it is known that "
        "branch-and-price does not end the solve at once.",
        always=True,
    ),
    Phase(
        "greedy",
        lambda s: s.tiny and s.by_node,
        Run.greedy,
        1.0,
        "Where nodes matter, the first LP of branch-and-price may take as long as the limit "
        "allows: a good schedule has to be there before.",
    ),
    Phase(
        "search",
        lambda s: s.tiny and s.by_node and s.limited,
        Run.chains,
        0.1,
        "For the same case: ejection chains for tiny instances converge within a tenth. Without a "
        "limit branch-and-price comes to its end anyway.",
    ),
    Phase(
        "exact",
        lambda s: s.tiny and s.branches,
        Run.branch_and_price,
        1.0,
        "Tiny instances are closed in a moment: nothing else pays. It ends the solve unless the "
        "ways to run a job are too many.",
    ),
    Phase(
        "exact",
        lambda s: s.tiny and s.too_large and s.checked,
        Run.compact_program,
        0.5,
        "Few jobs with too many ways to run are often easy for the compact integer program; half "
        "of the limit is left to ejection chains if they are not.",
    ),
    Phase(
        "greedy",
        lambda s: True,
        Run.greedy,
        1.0,
        "Insertion at the first prices: one pass over the jobs.",
    ),
    Phase(
        "bound",
        lambda s: s.branches and s.diving,
        Run.bound,
        0.02,
        "The LP of the root gives the same bound exactly, soon.",
    ),
    Phase(
        "bound",
        lambda s: s.branches and not s.diving,
        Run.bound,
        0.25,
        "The LP of the root may not converge within the limit: the bound, and the prices for all "
        "that follows, come from here.",
    ),
    Phase(
        "bound",
        lambda s: not s.branches,
        Run.bound,
        0.4,
        "No other phase improves the bound of what is not branched on; schedules at converged "
        "prices gain more than those at early ones from the same time.",
    ),
    Phase(
        "greedy",
        lambda s: True,
        Run.greedy,
        1.0,
        "Insertion at the converged prices.",
    ),
    Phase(
        "build",
        lambda s: s.branches and not s.diving,
        Run.build,
        0.35,
        "A tenth of the limit is enough for a few passes of insertion in batches.",
    ),
    Phase(
        "build",
        lambda s: not s.branches,
        Run.build,
        0.95,
        "For many jobs each further pass beats ejection chains; the passes end by themselves.",
    ),
    Phase(
        "search",
        lambda s: s.branches and s.diving,
        Run.chains,
        0.02,
        "Dives find more: only what the bound has left of its share goes to ejection chains.",
    ),
    Phase(
        "search",
        lambda s: s.branches and not s.diving,
        Run.chains,
        0.4,
        "Long enough for a good incumbent, which decides how much branch-and-price can close.",
    ),
    Phase(
        "search",
        lambda s: not s.branches,
        Run.chains,
        1.0,
        "Nothing follows.",
    ),
    Phase(
        "search",
        lambda s: s.branches and not s.diving and s.limited and s.wide,
        Run.chains,
        0.8,
        "Wide gaps of larger instances are seldom closed: better schedules gain more, and a fifth "
        "of the limit is left for a bound with cuts.",
    ),
    Phase(
        "exact",
        lambda s: s.branches,
        Run.branch_and_price,
        1.0,
        "Closes what is left. It ends the solve unless the ways to run a job are too many.",
    ),
    Phase(
        "greedy",
        lambda s: s.too_large and not s.tiny,
        Run.greedy,
        1.0,
        "Branch-and-price has given up, and the search that it had replaced goes on.",
    ),
    Phase(
        "search",
        lambda s: s.too_large and not s.tiny,
        Run.chains,
        1.0,
        "For the same case: nothing follows.",
    ),
)


def run_phases(run: Run, phases: tuple[Phase, ...] = PHASES) -> None:
    """Run one phase after the other until the answer is good enough or the limit is reached."""
    for phase in phases:
        if not phase.applies(Situation.of(run)):
            continue
        if run.closed or (run.monitor.done() and not phase.always):
            return
        run.monitor.phase = phase.name
        phase.run(run, phase.share)


__all__ = ["PHASES", "Phase", "Situation", "run_phases"]
