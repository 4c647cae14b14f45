"""Experiments as documents (TOML files): families, contestants, seeds, sizes, and what varies."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hadaropt.bench.ratio.defaults import DEFAULT_FAMILIES, DEFAULT_POLICIES
from hadaropt.bench.ratio.policy_text import policy_from_text
from hadaropt.bench.ratio.suite import RatioSuite
from hadaropt.bench.ratio.sweep import CELL_SECONDS
from hadaropt.bench.results.paired import ITSELF, without_parameters
from hadaropt.bench.schedulers.suite import DEFAULT_SCHEDULERS, SchedulerSuite
from hadaropt.errors import InstanceError, one_of, shown
from hadaropt.generate import FAMILIES
from hadaropt.generate.registry import find_family
from hadaropt.instance import PARALLELISM
from hadaropt.names import known_name
from hadaropt.simulate.scheduler_text import scheduler_from_text

KINDS = ("ratio", "schedulers")
_COMMON: dict[str, object] = {
    "kind": "ratio",
    "title": "",
    "baseline": None,
    "families": None,
    "seeds": 20,
    "cell_seconds": CELL_SECONDS,
    "parameters": {},
    "vary": {},
}
_OWN: dict[str, dict[str, object]] = {
    "ratio": {
        "families": list(DEFAULT_FAMILIES),
        "policies": list(DEFAULT_POLICIES),
        "parallelism": list(PARALLELISM),
        "jobs": 12,
        "rounds": 12,
        "time_limit": 20.0,
    },
    "schedulers": {
        "families": ["gavel_like", "philly_like"],
        "schedulers": list(DEFAULT_SCHEDULERS),
        "jobs": 100,
        "seeds": 10,
        "round_seconds": "360",
        "restart_seconds": "10",
        "objective": "jct",
    },
}


@dataclass(frozen=True)
class Experiment:
    """A checked experiment.

    Attributes
    ----------
    document : dict
        The whole definition, defaults filled in; JSON.
    suites : tuple
        One per combination of what varies, in order.
    """

    document: dict[str, Any]
    suites: tuple[RatioSuite, ...] | tuple[SchedulerSuite, ...]

    @property
    def kind(self) -> str:
        """``ratio`` or ``schedulers``."""
        return str(self.document["kind"])

    @property
    def compares(self) -> bool:
        """Whether a baseline is named."""
        return self.document["baseline"] is not None

    @property
    def baseline(self) -> str:
        """Name, as in the tables, of what the others are compared with, or `ITSELF`."""
        text = str(self.document["baseline"])
        if text == ITSELF:
            return ITSELF
        return policy_from_text(text).name if self.kind == "ratio" else text

    @property
    def definition(self) -> str:
        """The document as text, in its order: what varies first is outermost."""
        return json.dumps(self.document)


def experiment_folder() -> Path:
    """Return the folder of the experiments that come with hadaropt."""
    installed = Path(__file__).parents[1] / "experiments"
    checkout = Path(__file__).parents[3] / "benchmarks" / "competitive_ratio"
    return installed if installed.is_dir() else checkout


def experiment_names() -> tuple[str, ...]:
    """Return the names of the experiments that come with hadaropt."""
    return tuple(sorted(path.stem for path in experiment_folder().glob("*.toml")))


def find_experiment(text: str, changes: Mapping[str, object]) -> Experiment:
    """Return the experiment in a TOML file, or the one of that name that comes with hadaropt.

    Parameters
    ----------
    text : str
    changes : mapping
        What stands instead of the file's own.

    Raises
    ------
    InstanceError
        If there is no such name, it is no TOML, or the experiment is wrong: place, value and rule.
    """
    path = Path(text)
    if path.suffix != ".toml" and not path.is_file():  # a results folder may have its name
        path = experiment_folder() / f"{known_name('experiment', text, experiment_names())}.toml"
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as bad:
        raise InstanceError(path.name, f"is not valid TOML: {bad}") from None
    try:
        return experiment({**document, **changes})
    except InstanceError as bad:
        raise bad.below(path.name) from None


def experiment(document: Mapping[str, object]) -> Experiment:
    """Return the experiment of a document, checked before anything runs.

    Raises
    ------
    InstanceError
        Naming the place, the value and the rule; for unknown names the nearest.
    """
    kind = document.get("kind", "ratio")
    kind = known_name("kind", kind, KINDS)
    defaults = {**_COMMON, **_OWN[kind]}
    for name in document:
        if name not in defaults:
            raise InstanceError(name, one_of(name, tuple(defaults)), shown(document[name]))
    full: dict[str, Any] = {**defaults, **document}
    contestants = "policies" if kind == "ratio" else "schedulers"
    for name in ("families", contestants, *(["parallelism"] if kind == "ratio" else [])):
        full[name] = _names(name, full[name])
    full["families"] = [find_family(name)[0] for name in full["families"]]
    if kind == "ratio":
        called = [_policy_name(k, text) for k, text in enumerate(full["policies"])]
        for k, name in enumerate(called):
            if name in called[:k]:
                text = full["policies"][k]
                raise InstanceError(f"policies[{k}]", f"is called {name} like another", shown(text))
        models = full["parallelism"]
        full["parallelism"] = [known_name("parallelism", name, PARALLELISM) for name in models]
    else:
        for text in full["schedulers"]:
            scheduler_from_text(text)
        with_seconds = tuple(name for name, found in FAMILIES.items() if found.build_workload)
        for name in full["families"]:
            known_name("families", name, with_seconds)
    if kind == "schedulers" and full["baseline"] is None:
        full["baseline"] = full["schedulers"][0]
    if full["baseline"] is not None:
        if kind == "ratio":
            full["baseline"] = _named_alike(full["baseline"], full["policies"])
        known = (*full[contestants], ITSELF)
        full["baseline"] = known_name("baseline", full["baseline"], known)
        if full["baseline"] == ITSELF and not any(
            "[" in text and without_parameters(text) in full[contestants]
            for text in full[contestants]
        ):
            rule = f"needs one of {contestants} with parameters, and the same without"
            raise InstanceError("baseline", rule, shown(ITSELF))
    for name in ("seeds", "jobs", *(["rounds"] if kind == "ratio" else [])):
        _at_least_one(name, full[name])
    _positive("cell_seconds", full["cell_seconds"])
    _check_table("parameters", full["parameters"])
    _check_table("vary", full["vary"])
    for name, values in full["vary"].items():
        if not isinstance(values, list) or not values:
            raise InstanceError(f"vary.{name}", "must be a list of values", shown(values))
    if kind == "ratio":
        _positive("time_limit", full["time_limit"])
        return Experiment(full, tuple(_ratio_suites(full)))
    return Experiment(full, tuple(_scheduler_suites(full)))


def _policy_name(k: int, text: str) -> str:
    try:
        return policy_from_text(text).name
    except InstanceError as bad:
        raise bad.below(f"policies[{k}]") from None


def _named_alike(text: object, policies: Sequence[str]) -> object:
    """Return the policy of the list that has the same name in tables, or the text itself."""
    with suppress(InstanceError):
        name = policy_from_text(str(text)).name
        return next((own for own in policies if policy_from_text(own).name == name), text)
    return text


def _combinations(full: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return (label, values) of every combination of what varies."""
    names = list(full["vary"])
    return [
        (" ".join(f"{name}={_short(x)}" for name, x in zip(names, values, strict=True)),
         dict(zip(names, values, strict=True)))
        for values in itertools.product(*full["vary"].values())
    ]  # fmt: skip


def _short(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _ratio_suites(full: Mapping[str, Any]) -> list[RatioSuite]:
    base = RatioSuite(
        tuple(full["families"]),
        tuple(full["policies"]),
        full["seeds"],
        tuple(full["parallelism"]),
        full["jobs"],
        full["rounds"],
        float(full["time_limit"]),
    )
    suites = []
    for label, values in _combinations(full):
        own = {name: values.pop(name) for name in ("jobs", "rounds") if name in values}
        for name, value in own.items():
            _at_least_one(f"vary.{name}", value)
        parameters = {**full["parameters"], **values}
        suites.append(replace(base, parameters=parameters, label=label, **own))
    return suites


def _scheduler_suites(full: Mapping[str, Any]) -> list[SchedulerSuite]:
    own_names = ("jobs", "round_seconds", "restart_seconds", "objective")
    base = SchedulerSuite(
        tuple(full["families"]),
        tuple(full["schedulers"]),
        full["seeds"],
        full["jobs"],
        str(full["round_seconds"]),
        str(full["restart_seconds"]),
        full["objective"],
    )
    suites = []
    for label, values in _combinations(full):
        own = {name: values.pop(name) for name in own_names if name in values}
        own = {name: x if name == "jobs" else str(x) for name, x in own.items()}
        parameters = {**full["parameters"], **values}
        suites.append(replace(base, parameters=parameters, label=label, **own))
    return suites


def _names(path: str, value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise InstanceError(path, "must be a list of names", shown(value))
    if not value:
        raise InstanceError(path, "selects nothing", "[]")
    return list(dict.fromkeys(value))


def _at_least_one(path: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InstanceError(path, "must be an integer >= 1", shown(value))


def _positive(path: str, value: object) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
        raise InstanceError(path, "must be a number > 0", shown(value))


def _check_table(path: str, value: object) -> None:
    if not isinstance(value, dict):
        raise InstanceError(path, "must be a table", shown(value))
