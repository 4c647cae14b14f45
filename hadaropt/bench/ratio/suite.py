"""The ratio suite: the same instances for every policy, in parallel, in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from hadaropt.bench.ratio.calibrated import Calibrated
from hadaropt.bench.ratio.cells import Cell, run_cell, settle
from hadaropt.bench.ratio.defaults import DEFAULT_FAMILIES, DEFAULT_POLICIES
from hadaropt.bench.ratio.policy_text import policy_from_text
from hadaropt.bench.ratio.reference import prove_optimum
from hadaropt.errors import InvariantError
from hadaropt.generate import generate
from hadaropt.instance import PARALLELISM, Instance, Parallelism
from hadaropt.io import instance_sha256, write_instance
from hadaropt.policies import Policy

YESTERDAY = 1_000_000
"""What is added to the seed of an instance for that of the earlier one."""


@dataclass(frozen=True)
class RatioSuite:
    """Which instances and which policies.

    Attributes
    ----------
    families : tuple of str
    policies : tuple of str
    seeds : int
        Seeds 0 .. seeds - 1 of each family.
    parallelism : tuple of str
        Each instance is solved under each of these models.
    jobs, rounds : int
        J and T of every instance.
    time_limit : float
        Seconds for the proof of one optimum; beyond, its cells stay open.
    dump_folder : str or None
        Where the instance of a contradiction is written.
    parameters : mapping
        Further parameters of `generate`.
    label : str
        Tells this suite from the others of its experiment.
    """

    families: tuple[str, ...] = DEFAULT_FAMILIES
    policies: tuple[str, ...] = DEFAULT_POLICIES
    seeds: int = 20
    parallelism: tuple[Parallelism, ...] = PARALLELISM
    jobs: int = 12
    rounds: int = 12
    time_limit: float = 20.0
    dump_folder: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    label: str = ""

    def named(self, family: str) -> str:
        """Return the name of a family in the tables of this suite."""
        return f"{family} {self.label}".rstrip()

    def tasks(self) -> list[tuple[str, int, Parallelism]]:
        """Return (family, seed, parallelism) of every instance, seeds outermost."""
        return [
            (family, seed, parallelism)
            for seed in range(self.seeds)
            for family in self.families
            for parallelism in self.parallelism
        ]

    def instance(self, family: str, seed: int, parallelism: Parallelism) -> Instance:
        """Return one instance of the suite."""
        sizes = {"num_jobs": self.jobs, "num_rounds": self.rounds}
        drawn = generate(family, seed=seed, **sizes, **self.parameters)  # type: ignore[arg-type]
        return drawn.with_parallelism(parallelism)

    def policy(self, text: str, family: str, seed: int, parallelism: Parallelism) -> Policy:
        """Return a policy of the suite, ready for one of its instances."""
        made = policy_from_text(text)
        if isinstance(made, Calibrated):
            earlier = self.instance(family, seed + YESTERDAY, parallelism)
            return replace(made, earlier=earlier)
        return made


def run_task(suite: RatioSuite, family: str, seed: int, parallelism: Parallelism) -> list[Cell]:
    """Return the cells of all policies on one instance."""
    instance = suite.instance(family, seed, parallelism)
    sha = instance_sha256(instance)
    try:
        reference = prove_optimum(instance, suite.time_limit)
        cells = []
        for name in suite.policies:
            policy = suite.policy(name, family, seed, parallelism)
            cell, _ = run_cell(instance, sha, family, seed, policy, reference)
            cells.append(cell)
        cells = settle(cells) if cells else []
    except InvariantError as breach:
        raise InvariantError(str(breach), dump(instance, sha, suite.dump_folder)) from breach
    return cells


def warm_up(suite: RatioSuite) -> None:
    """Compile every kernel of a suite, into the cache on disk, outside of all time limits."""
    small = replace(suite, jobs=3, rounds=3, time_limit=600, parameters={})
    for parallelism in suite.parallelism:
        run_task(small, "small_uniform", 0, parallelism)


def dump(instance: Instance, sha: str, folder: str | None) -> tuple[str, ...]:
    """Write the instance of a failure and return the files."""
    place = Path(folder or ".")
    place.mkdir(parents=True, exist_ok=True)
    file = place / f"instance-{sha[:12]}.json"
    write_instance(instance, file)
    return (str(file),)
