"""The ratio suite as a sweep: one optimum per instance, one cell per policy on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hadaropt.bench.ratio.calibrated import Calibrated
from hadaropt.bench.ratio.cells import Cell, settle
from hadaropt.bench.ratio.policy_text import policy_content, policy_from_text
from hadaropt.bench.ratio.suite import YESTERDAY, RatioSuite
from hadaropt.bench.ratio.work import cell_from_document
from hadaropt.errors import InstanceError, InvariantError, PlacedError, SweepError
from hadaropt.instance import Parallelism
from hadaropt.io import instance_sha256
from hadaropt.sweep import Outcome, Store, Task, sweep, task_key
from hadaropt.sweep.sources import code_facts

WORK = "hadaropt.bench.ratio.work"
CELL_SECONDS = 600.0
Place = tuple[str, int, Parallelism]


@dataclass(frozen=True)
class Failure:
    """A cell without a result.

    Attributes
    ----------
    task : Task
        What was to be computed.
    status, reason, detail : str
        As in `hadaropt.sweep.Outcome`.
    """

    task: Task
    status: str
    reason: str
    detail: str = ""

    @property
    def place(self) -> str:
        """What failed, in words."""
        name = self.task.payload
        who = name.get("policy") or name.get("scheduler") or "the optimum"
        return f"{who} on {name['family']} {name['seed']} {name.get('parallelism', '')}".rstrip()


@dataclass(frozen=True)
class Instances:
    """What a sweep found on one instance.

    Attributes
    ----------
    suite : int
        Index of the suite.
    place : (family, seed, parallelism)
    cells : list of Cell
        In the order of the suite's policies; those that failed are absent.
    failures : list of Failure
    instance_sha256 : str
    seconds : dict
        Seconds by what they were spent on: compile, build, prove, assemble, solve, extract (of the
        proof), run, check.
    """

    suite: int
    place: Place
    cells: list[Cell]
    failures: list[Failure]
    instance_sha256: str
    seconds: dict[str, float]


@dataclass(frozen=True)
class _Group:
    suite: int
    place: Place
    optimum: Task
    policies: tuple[Task, ...]

    @property
    def keys(self) -> set[str]:
        return {self.optimum.key, *(task.key for task in self.policies)}


def ratio_groups(suites: Sequence[RatioSuite], cell_seconds: float = CELL_SECONDS) -> list[_Group]:
    """Return the tasks of every instance; each instance is made, to know its hash.

    An instance that cannot be made has tasks without a hash, which fail with the reason.

    Raises
    ------
    InstanceError
        If none can be made: then the definition is wrong.
    """
    code, groups = code_facts(), []
    unmade: list[PlacedError] = []
    for k, suite in enumerate(suites):
        contents = {text: policy_content(text) for text in suite.policies}
        learns = {text for text in suite.policies if isinstance(policy_from_text(text), Calibrated)}
        for family, seed, parallelism in suite.tasks():
            earlier = None
            try:
                sha = instance_sha256(suite.instance(family, seed, parallelism))
                if learns:
                    before = suite.instance(family, seed + YESTERDAY, parallelism)
                    earlier = {"earlier": instance_sha256(before)}
            except InstanceError as bad:
                sha = ""
                unmade.append(bad.below(f"{family} seed {seed}"))
            payload: dict[str, object] = {
                "instance_sha256": sha,
                "family": family,
                "seed": seed,
                "parallelism": parallelism,
                "jobs": suite.jobs,
                "rounds": suite.rounds,
                "parameters": dict(suite.parameters),
                "time_limit": suite.time_limit,
            }
            same: dict[str, object] = {
                "instance": sha or dict(payload),
                "time_limit": suite.time_limit,
                "code": code,
            }
            limit = cell_seconds + suite.time_limit
            optimum = Task(
                task_key({"role": "optimum", **same}), f"{WORK}:prove", payload, None, limit
            )
            policies = tuple(
                Task(
                    task_key(
                        {"role": "policy", **same, "content": contents[text]}
                        | (earlier if earlier and text in learns else {})
                    ),
                    f"{WORK}:compete",
                    {**payload, "policy": text},
                    optimum.key,
                    cell_seconds,
                )
                for text in suite.policies
            )
            groups.append(_Group(k, (family, seed, parallelism), optimum, policies))
    if unmade and len(unmade) == len(groups):
        raise unmade[0]
    return groups


def sweep_ratio(
    suites: Sequence[RatioSuite],
    store: Store,
    *,
    workers: int = 1,
    dask: str | None = None,
    cell_seconds: float = CELL_SECONDS,
) -> Iterator[Instances]:
    """Run suites; yield what was found on each instance as soon as it is complete.

    The results do not depend on the number of workers, but for the cells that a limit leaves open.
    """
    groups = ratio_groups(suites, cell_seconds)
    tasks: dict[str, Task] = {}
    missing = [group.keys for group in groups]
    waiting: dict[str, list[int]] = {}
    for g, group in enumerate(groups):
        tasks |= {task.key: task for task in (group.optimum, *group.policies)}
        for key in missing[g]:
            waiting.setdefault(key, []).append(g)
    found: dict[str, Outcome] = {}
    warm = (f"{WORK}:warm", _warm_payload(suites))
    for task, outcome in sweep(tasks.values(), store, workers=workers, dask=dask, warm=warm):
        found[task.key] = outcome
        for g in waiting[task.key]:
            missing[g].discard(task.key)
            if not missing[g]:
                yield _assemble(groups[g], suites[groups[g].suite], found)


def _warm_payload(suites: Sequence[RatioSuite]) -> dict[str, object]:
    """Return what to compile: not the policies of other packages, which may do anything."""
    texts = dict.fromkeys(text for suite in suites for text in suite.policies)
    return {
        "policies": [text for text in texts if "package" not in policy_content(text)],
        "parallelism": list(
            dict.fromkeys(world for suite in suites for world in suite.parallelism)
        ),
    }


def _assemble(group: _Group, suite: RatioSuite, found: Mapping[str, Outcome]) -> Instances:
    cells, failures = [], []
    family, seed, _ = group.place
    for task in (group.optimum, *group.policies):
        outcome = found[task.key]
        if outcome.status != "done" or outcome.result is None:
            failures.append(Failure(task, outcome.status, outcome.reason, outcome.detail))
        elif task is not group.optimum:
            document: Mapping[str, object] = outcome.result["cell"]  # type: ignore[assignment]
            cells.append(cell_from_document(document, family=suite.named(family), seed=seed))
    try:
        cells = settle(cells) if cells else []
    except InvariantError as breach:
        failures.append(Failure(group.optimum, "breach", str(breach)))
    outcomes = [found[task.key] for task in (group.optimum, *group.policies)]
    sha = str(group.optimum.payload["instance_sha256"])
    return Instances(group.suite, group.place, cells, failures, sha, spent(outcomes))


def spent(outcomes: Iterable[Outcome]) -> dict[str, float]:
    """Return the seconds of outcomes by what they were spent on."""
    total = {"compile": 0.0}
    for outcome in outcomes:
        total["compile"] += outcome.compile_seconds
        parts: Any = {} if outcome.result is None else outcome.result.get("seconds", {})
        for name, seconds in parts.items():
            total[name] = total.get(name, 0.0) + seconds
    return total


def run_ratio(suite: RatioSuite, *, workers: int) -> Iterator[tuple[Place, list[Cell]]]:
    """Run one suite without keeping anything; yield the cells of each instance.

    Raises
    ------
    InvariantError
        If a cell contradicts a proved fact.
    SweepError
        If a cell failed otherwise.
    """
    for found in sweep_ratio([suite], Store(None), workers=workers):
        for failure in found.failures:
            kind = InvariantError if failure.status == "breach" else SweepError
            raise kind(f"{failure.place}: {failure.reason}")
        yield found.place, found.cells


def in_order(suite: RatioSuite, found: Mapping[Place, list[Cell]]) -> list[Cell]:
    """Return the cells in the order of the suite, whatever order they were finished in."""
    return [cell for task in suite.tasks() if task in found for cell in found[task]]
