"""What a training was started with: from the command line, or back from its checkpoint."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from hadaropt.errors import TrackerError, shown
from hadaropt.forking.tracking.averaging import OPTIMISER_POLICIES, OptimiserPolicy
from hadaropt.forking.training.options import Options, TrainingJob
from hadaropt.forking.training.proportional import Plan, proportional

PlanName = Literal["proportional", "jct", "makespan"]
PLANS: tuple[PlanName, ...] = get_args(PlanName)
UNTIMED_SECONDS = 60
"""What a plan takes for the length of a round that has only a number of steps."""


@dataclass(frozen=True)
class Settings:
    """The settings that a resumed training keeps.

    Parameters
    ----------
    tasks : tuple of str
    steps : int
        Of each job.
    copies : int or None
        Most copies of a job at once.
    round_steps : int or None
        Consolidation period in steps of a job.
    round_seconds : float or None
        Consolidation period in seconds.
    optimiser : {"average", "reset"}
    seed : int
    plan : {"proportional", "jct", "makespan"}

    Raises
    ------
    TrackerError
        Naming the setting, its value and the rule.
    """

    tasks: tuple[str, ...]
    steps: int
    copies: int | None
    round_steps: int | None
    round_seconds: float | None
    optimiser: OptimiserPolicy
    seed: int
    plan: PlanName = "proportional"

    def __post_init__(self) -> None:
        for name, least in (("steps", 1), ("copies", 1), ("round_steps", 1), ("seed", 0)):
            value = getattr(self, name)
            if value is None and name in ("copies", "round_steps"):
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise TrackerError(name, f"must be an integer >= {least}", shown(value))
        seconds = self.round_seconds
        if seconds is not None and not (
            isinstance(seconds, int | float) and math.isfinite(seconds) and seconds > 0
        ):
            raise TrackerError("round_seconds", "must be finite and > 0", shown(seconds))
        if self.optimiser not in OPTIMISER_POLICIES:
            rule = f"must be one of {', '.join(OPTIMISER_POLICIES)}"
            raise TrackerError("optimiser", rule, shown(self.optimiser))
        if self.plan not in PLANS:
            raise TrackerError("plan", f"must be one of {', '.join(PLANS)}", shown(self.plan))

    @classmethod
    def read(cls, document: object) -> Settings:
        """Return the settings in a checkpoint.

        Raises
        ------
        TrackerError
            If they are not the settings of this command.
        """
        names = tuple(cls.__dataclass_fields__)
        if not isinstance(document, Mapping) or set(document) != set(names):
            raise TrackerError("settings", f"must hold just {', '.join(names)}", shown(document))
        tasks = document["tasks"]
        if not isinstance(tasks, list) or not all(isinstance(task, str) for task in tasks):
            raise TrackerError("settings.tasks", "must be a list of strings", shown(tasks))
        try:
            return cls(**{**document, "tasks": tuple(tasks)})
        except TrackerError as bad:
            raise bad.below("settings") from None

    def document(self) -> dict[str, Any]:
        """Return the settings for a checkpoint."""
        return {**asdict(self), "tasks": list(self.tasks)}

    def jobs(self) -> list[TrainingJob]:
        """Return the jobs.

        Raises
        ------
        TrackerError
            For an unknown task.
        MissingExtraError
            If what a task needs is not installed.
        """
        from hadaropt.forking.training.tasks.registry import make_task

        return [TrainingJob(make_task(task), self.steps, self.copies) for task in self.tasks]

    def options(self, patience: float) -> Options:
        """Return the options of the training.

        A copy is given up that is silent for ten rounds and a minute.
        """
        seconds = self.round_seconds
        lease = None if seconds is None else 10 * seconds + 60
        return Options(self.seed, seconds, lease, patience, self.optimiser)

    def make_plan(self) -> Plan:
        """Return the plan of a round."""
        if self.plan == "proportional":
            return lambda views: proportional(views, round_steps=self.round_steps)
        from hadaropt.forking.training.planned import planned

        seconds = str(self.round_seconds or UNTIMED_SECONDS)
        return planned(self.plan, round_seconds=seconds, round_steps=self.round_steps)
