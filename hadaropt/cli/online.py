"""``hadaropt online``: an online algorithm on an instance, with its certified ratio."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Token

from hadaropt import policies
from hadaropt.cli.common.answer import Answer, Lines, Table, at_most, number
from hadaropt.cli.common.guarantee import guarantee_document, guarantee_lines
from hadaropt.cli.common.inputs import instance_facts, load_instance, unschedulable_jobs
from hadaropt.cli.common.kept import keep_certificate, keep_schedule
from hadaropt.cli.common.names import one_of
from hadaropt.cli.common.options import (
    AsJson,
    CertificateOut,
    InstanceFile,
    MaybeInteger,
    Parallelism,
    ScheduleOut,
    UsageError,
    as_choice,
    as_given,
    check_outputs,
    check_seconds,
    one_of_rule,
    option,
    option_error,
)
from hadaropt.errors import InstanceError, LimitError
from hadaropt.figures import counted
from hadaropt.interrupts import quiet, uninterrupted
from hadaropt.names import spelled
from hadaropt.policies import POLICY_NAMES, PRICE_NAMES, price_names, unnamed_price
from hadaropt.schedule import jobs_in_vain

if TYPE_CHECKING:
    from hadaropt.instance import Instance
    from hadaropt.policies import Policy
    from hadaropt.results import OnlineRun

FAMILIES = tuple(dict.fromkeys(name.partition(":")[0] for name in POLICY_NAMES))
"""Policies without their price functions."""


def _price(_: object, tokens: Sequence[Token]) -> str:
    """Return the price function that a token names.

    Raises
    ------
    ValueError
        If there is none of that name; the nearest is named.
    """
    text, known = tokens[0].value, price_names()
    name = spelled(text, known)
    if name is None:
        raise ValueError(f"{as_given(text)}: {unnamed_price(text) or one_of_rule(text, known)}")
    return name


PolicyName = Annotated[
    str,
    option(
        f"What decides about the jobs: {', '.join(FAMILIES)}, primal_dual:PRICE, or a policy of "
        "another package; with parameters in brackets (fifo[iterations=1/2])."
    ),
]
PriceName = Annotated[
    str | None,
    option(
        f"Price function of primal_dual: {', '.join(PRICE_NAMES)}, or one of another package.",
        default="zero_start",
        converter=_price,
    ),
]
PoolName = Annotated[
    Literal["auto", "type", "node"] | None,
    option(
        "Price the GPUs of a type over all nodes, or on each node; auto: on each node where nodes "
        "matter.",
        default="auto",
        converter=as_choice,
    ),
]
Seed = Annotated[MaybeInteger, option("Of random.", default="0")]
Replan = Annotated[
    float | None,
    option(
        "For each re-optimisation of rolling_horizon.",
        default="2",
        unit="seconds",
        validator=check_seconds,
    ),
]


def online(
    instance: InstanceFile,
    /,
    *,
    policy: PolicyName = "primal_dual",
    price: PriceName = None,
    pool: PoolName = None,
    seed: Seed = None,
    time_limit: Replan = None,
    parallelism: Parallelism = None,
    output: ScheduleOut = None,
    certificate: CertificateOut = None,
    json: AsJson = False,
) -> Answer:
    """Run an online policy, which learns of each job at its release.

    Exit code 0: the run is complete; its certified ratio is a proof for this instance, its theorem
    (if the hypotheses hold) one for every instance that satisfies them.
    """
    from hadaropt.online.run import run_online

    inputs = (instance,)
    check_outputs(("--out", output), ("--certificate", certificate), inputs=inputs)
    chosen = _policy(policy, {"price": price, "pool": pool, "seed": seed, "time_limit": time_limit})
    problem = load_instance(instance, parallelism)
    with pool_is_an_option():
        run = run_online(problem, chosen)
    quiet()  # an answer is known: whoever presses Ctrl-C again must not lose it
    troubles: list[BaseException] = []
    written = keep_schedule(problem, run.schedule, output, troubles)
    if run.prices is None:
        try:
            run = _priced(problem, run)
        except (Exception, KeyboardInterrupt) as error:
            troubles.append(error)
    keep_certificate(problem, run, None, certificate, written, troubles)
    return _answer(problem, run, written, troubles)


SECONDS_FOR_PRICES = 10.0
"""Limit, in seconds, of the search for the prices that certify a run whose policy has none. A
longer search gives a lower bound D, and the command takes as much longer."""
MOST_NAMED = 5
"""Jobs that are named where a line lists them; JSON has all."""
OPTIONS = {
    "primal_dual": ("price", "pool"),
    "random": ("seed",),
    "rolling_horizon": ("time_limit",),
}
"""What each policy can be told; the others can be told nothing."""


def _policy(name: str, told: dict[str, str | float | None]) -> Policy:
    """Return the policy with the options that were given.

    Raises
    ------
    UsageError
        For an option that the policy does not have, or two price functions.
    """
    text, name = name, _known(name)
    family, colon, price = name.partition(":")
    if family in FAMILIES:
        name = family
    if "[" in text:
        for key, value in told.items():
            if value is not None:
                _check_option(name, key, value)
                raise UsageError(f"{_flag(key)} {value}: goes into the brackets of {text}")
        return _with_parameters(text)
    if colon and name == "primal_dual":
        if told["price"] not in (None, price):
            raise UsageError(f"--price {told['price']}: --policy names {price} already")
        told = {**told, "price": price}
    given = {key: value for key, value in told.items() if value is not None}
    for key, value in given.items():
        _check_option(name, key, value)
    plain = policies.make_policy(name)
    try:
        return replace(plain, **given) if given else plain
    except InstanceError as bad:
        raise UsageError(f"{_flag(bad.path)} {bad.value}: {bad.rule}") from None


def _check_option(name: str, key: str, value: str | float) -> None:
    """Raise UsageError where an option is not one of that policy."""
    if key not in OPTIONS.get(name, ()):
        owner = next(policy for policy, options in OPTIONS.items() if key in options)
        raise UsageError(f"{_flag(key)} {value}: is for --policy {owner}, not {name}")


def _flag(key: str) -> str:
    return f"--{key.replace('_', '-')}"


def _known(text: str) -> str:
    """Return the name without parameters, as it is known.

    Raises
    ------
    UsageError
        For an unknown one; the nearest is named.
    """
    known = tuple(dict.fromkeys((*FAMILIES, *policies.policy_names())))
    return one_of("--policy", text.partition("[")[0].strip(), known)


def _with_parameters(text: str) -> Policy:
    from hadaropt.bench.ratio.calibrated import Calibrated
    from hadaropt.bench.ratio.policy_text import policy_from_text

    try:
        made = policy_from_text(text)
    except InstanceError as bad:
        raise UsageError(f"--policy {text}: {bad}") from None
    if isinstance(made, Calibrated):
        raise UsageError(f"--policy {text}: an earlier instance is known in bench only")
    return made


@contextmanager
def pool_is_an_option() -> Iterator[None]:
    """Name the option where the policy cannot pool its prices on this instance.

    Raises
    ------
    UsageError
    """
    try:
        yield
    except InstanceError as bad:
        if bad.path != "pool":
            raise
        raise option_error(bad) from None


def _priced(problem: Instance, run: OnlineRun) -> OnlineRun:
    """Return a run without prices of its own with those of the Lagrangian bound, to certify it."""
    from hadaropt.offline.lagrangian.bound import lagrangian_bound

    try:
        found = uninterrupted(lagrangian_bound(problem, time_limit=SECONDS_FOR_PRICES))
    except LimitError as limit:
        return replace(run, foreknowledge={**run.foreknowledge, "D": f"zero prices ({limit})"})
    if not isinstance(found.bound, Fraction) or found.bound >= run.bound:
        return run
    origin = {**run.foreknowledge, "D": "prices of the Lagrangian bound, not of the policy"}
    return replace(run, prices=found.prices, bound=found.bound, foreknowledge=origin)


def _answer(
    problem: Instance, run: OnlineRun, written: dict[str, str], troubles: list[BaseException]
) -> Answer:
    never = unschedulable_jobs(problem)
    names = [job.name for job in problem.jobs]
    document = {
        "command": "online",
        "instance": instance_facts(problem),
        "policy": run.policy,
        "primal": run.value,
        "dual": run.bound,
        "certified_ratio": run.certified_ratio,
        "online_dual": run.online_dual,
        "dual_feasible": run.dual_feasible,
        **guarantee_document(run),
        "foreknowledge": run.foreknowledge,
        "payoffs": dict(zip(names, run.payoffs, strict=True)),
        "completion": dict(zip(names, run.completion, strict=True)),
        "in_vain": [names[j] for j in jobs_in_vain(run.schedule, run.completion)],
        "unschedulable": never,
        "seconds": run.seconds,
        "files": written,
    }
    table = Table(("unschedulable", "reason"), [(job["name"], job["reason"]) for job in never])
    lines = [*_lines(run, names), *_file_lines(written)]
    return Answer(document, lines, [table], troubles=troubles)


def _lines(run: OnlineRun, names: Sequence[str]) -> list[tuple[str, str]]:
    completed = sum(finish is not None for finish in run.completion)
    lines = [
        ("policy", run.policy),
        ("completed", f"{completed} of {len(run.completion)} jobs"),
    ]
    if vain := [names[j] for j in jobs_in_vain(run.schedule, run.completion)]:
        named = ", ".join(vain[:MOST_NAMED]) + (", ..." if len(vain) > MOST_NAMED else "")
        how = f"{counted(len(vain), 'job')} admitted with too little progress to complete"
        lines.append(("in vain", f"{how}: {named}"))
    lines += [
        ("value P", number(run.value)),
        ("bound D", number(run.bound, up=True)),
        ("OPT / P", f"<= {at_most(run.bound, run.value)} (D / P)"),
    ]
    if run.dual_feasible is not None:
        lines.append(("online dual", "feasible" if run.dual_feasible else "infeasible"))
    lines += guarantee_lines(run)
    lines += [("foreknowledge", f"{key}: {how}") for key, how in run.foreknowledge.items()]
    return lines


def _file_lines(written: dict[str, str]) -> Lines:
    return [(f"{name} file", file) for name, file in written.items()]
