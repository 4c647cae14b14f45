"""A find as files: the instance, a certificate of its optimum, and what the policy made of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path

from hadaropt.bench.adversary.bounds import lower_bound
from hadaropt.bench.adversary.judge import Judge, Judged, Objective
from hadaropt.bench.adversary.space import Limits, belongs, told, truth
from hadaropt.bench.ratio.contestants import make_contestant, run_contestant
from hadaropt.certificates import (
    Certificate,
    certify,
    read_certificate,
    verify,
    write_certificate,
)
from hadaropt.errors import InvariantError
from hadaropt.exact import to_text
from hadaropt.instance import Instance
from hadaropt.io import read_instance, schedule_from_document, write_instance
from hadaropt.io.files import write_text
from hadaropt.offline.tree.branch_and_price import branch_and_price
from hadaropt.policies import Policy
from hadaropt.results import OnlineRun
from hadaropt.schedule import Schedule, check_schedule

FORMAT = "hadaropt-find/1"
INSTANCE, CERTIFICATE, FIND = "instance.json", "certificate.json", "find.json"


@dataclass(frozen=True)
class Find:
    """A bad instance, with everything that is claimed about it.

    Attributes
    ----------
    policy, rival : str
        Names for `make_contestant`; the rival may be "".
    objective : {"ratio", "certified", "rival"}
    limits : Limits
    instance : Instance
    certificate : Certificate
        Of the best schedule known and the bound.
    completion, best_completion : tuple of (int or None)
        Round in which each job completes under the policy, and in the best schedule known.
    primal, best, bound, dual : Fraction
        P; best value known and proven bound of the optimum, equal where it is proved; D(k) of the
        run.
    rival_primal : Fraction or None
    theorem : str
        Of the policy's run, or "".
    guarantee : Fraction or None
        Constant P + additive of that theorem.
    lower : Fraction or None
        No deterministic policy that commits at arrival has a smaller ratio on the class; None
        for policies that revise their plans.
    priced : bool
        Whether D is at prices of the policy; else it is at zero prices.
    stated_by : str
        The theorem that states the constant, `Theorem.stated_by`; "" without one.
    interrupted : bool
        Whether Ctrl-C ended the proof of the optimum.
    """

    policy: str
    rival: str
    objective: Objective
    limits: Limits
    instance: Instance
    certificate: Certificate
    completion: tuple[int | None, ...]
    best_completion: tuple[int | None, ...]
    primal: Fraction
    best: Fraction
    bound: Fraction
    dual: Fraction
    rival_primal: Fraction | None
    theorem: str
    guarantee: Fraction | None
    lower: Fraction | None
    priced: bool
    stated_by: str
    interrupted: bool = False

    @property
    def against(self) -> Fraction:
        """What P is compared with: the best value known, D, or the rival's value."""
        if self.rival_primal is not None:
            return self.rival_primal
        return self.dual if self.objective == "certified" else self.best

    def facts(self) -> dict[str, object]:
        """Return the find for a JSON file; exact numbers as text."""
        optional = (self.rival_primal, self.guarantee, self.lower)
        rival, guarantee, lower = (None if x is None else to_text(x) for x in optional)
        return {
            "format": FORMAT,
            "policy": self.policy,
            "rival": self.rival,
            "objective": self.objective,
            "limits": asdict(self.limits),
            "primal": to_text(self.primal),
            "best": to_text(self.best),
            "bound": to_text(self.bound),
            "dual": to_text(self.dual),
            "rival_primal": rival,
            "theorem": self.theorem,
            "guarantee": guarantee,
            "lower_bound": lower,
        }


def settle(
    judged: Judged, judge: Judge, policy: str, rival: str = "", *, time_limit: float = 60.0
) -> Find:
    """Prove the optimum of a play and return the find.

    Raises
    ------
    InvariantError
        If the policy is above a proven bound, or above what its theorem allows.
    """
    name = f"worst {judge.objective} of {policy}"
    instance = judged.play.instance(judge.limits.parallelism, name)
    answer = branch_and_price(instance, time_limit=time_limit)
    schedule = answer.schedule if answer.schedule is not None else Schedule.empty(instance)
    certificate = certify(instance, answer, schedule=schedule)
    find = _find(instance, certificate, judge.limits, judge.objective, policy, rival)
    return replace(find, interrupted=answer.termination == "interrupted")


def _find(
    instance: Instance,
    certificate: Certificate,
    limits: Limits,
    objective: Objective,
    policy: str,
    rival: str,
) -> Find:
    """Verify the certificate, run the policies and put the find together."""
    verified = verify(instance, certificate)
    if verified.bound is None:
        raise InvariantError("the certificate of an optimum has no bound")

    def run(name: str) -> OnlineRun:
        chosen = make_contestant(name)
        return run_contestant(
            instance, told(instance, chosen, gang=limits.gang, spread=limits.spread)
        )

    ours = run(policy)
    schedule = schedule_from_document(certificate.schedule, instance)
    completion = check_schedule(instance, schedule).completion
    theorem, guarantee = ours.theorem, None
    if theorem is not None:
        guarantee = theorem.constant * ours.value + theorem.additive
    if ours.value > verified.bound:
        raise InvariantError(f"{policy} is worth {ours.value}, above the bound {verified.bound}")
    if guarantee is not None and verified.value > guarantee:
        raise InvariantError(f"OPT >= {verified.value}, above the {guarantee} of the theorem")
    return Find(
        policy,
        rival,
        objective,
        limits,
        instance,
        certificate,
        ours.completion,
        completion,
        ours.value,
        verified.value,
        verified.bound,
        ours.bound,
        run(rival).value if rival else None,
        "" if theorem is None else theorem.id,
        guarantee,
        class_bound(instance, limits, make_contestant(policy)),
        ours.prices is not None,
        "" if theorem is None else theorem.stated_by,
    )


def class_bound(instance: Instance, limits: Limits, policy: Policy) -> Fraction | None:
    """Return the lower bound of T9, T10 and T12 on the class of the instance's cluster.

    The adversary of the theorems needs one resource and one round. None for policies that revise.
    """
    if policy.revises:
        return None
    capacities = set(truth(instance).capacity.values())
    return max(lower_bound(c, min(limits.gang, c), limits.spread) for c in capacities)


def write_find(find: Find, folder: Path) -> dict[str, str]:
    """Write the three files of a find in an existing folder; return what was written.

    The facts come last, and those of an earlier find go first: whatever ends the writing, `FIND` is
    never there beside an instance that it is not about.
    """
    (folder / FIND).unlink(missing_ok=True)
    write_instance(find.instance, folder / INSTANCE)
    write_certificate(find.certificate, folder / CERTIFICATE, find.instance)
    text = json.dumps(find.facts(), indent=1) + "\n"
    write_text(folder / FIND, text)
    return {name: str(folder / name) for name in (INSTANCE, CERTIFICATE, FIND)}


def replay(folder: Path) -> tuple[Find, dict[str, tuple[object, object]]]:
    """Read a find, verify and run everything anew; return it and what differs from the file.

    Returns
    -------
    Find
        As found now.
    dict
        Name of a fact -> (recorded, now), for the facts that differ; empty if all hold.
    """
    recorded = json.loads((folder / FIND).read_text("utf-8"))
    if recorded.get("format") != FORMAT:
        raise ValueError(f"{folder / FIND}: format = {recorded.get('format')}, must be {FORMAT}")
    limits = Limits(**recorded["limits"])
    instance = read_instance(folder / INSTANCE)
    certificate = read_certificate(folder / CERTIFICATE, instance)
    now = _find(
        instance,
        certificate,
        limits,
        recorded["objective"],
        recorded["policy"],
        recorded["rival"],
    )
    facts = now.facts() | {"limits": recorded["limits"]}
    different = {
        key: (recorded.get(key), value)
        for key, value in facts.items()
        if recorded.get(key) != value
    }
    if not belongs(instance, limits):
        different["limits"] = (recorded["limits"], "the densities of the instance exceed them")
    return now, different
