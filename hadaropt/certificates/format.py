"""Certificate files, formats ``hadaropt-certificate/1`` and ``hadaropt-certificate/2``."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hadaropt.certificates.posted_document import Posted, parse_posted, posted_to_document
from hadaropt.errors import CertificateError, InstanceError, OtherInstanceError, check_type, shown
from hadaropt.exact import MAX_CLAIM_DIGITS, parse_text, to_integer, to_text
from hadaropt.frozen import Value, thaw
from hadaropt.instance import Instance
from hadaropt.io.documents import (
    Document,
    check_fields,
    check_format,
    check_list,
    check_string,
    load_json,
    save_json,
)
from hadaropt.io.instances import instance_sha256
from hadaropt.io.schedules import entries_of, job_taker

_SHA256 = re.compile("[0-9a-f]{64}")
FORMAT = "hadaropt-certificate/2"
FIRST_FORMAT = "hadaropt-certificate/1"
"""Without guarantees and posted prices; still read, and written where there is none."""
LEVELS = ("L0", "L1", "L2")

PriceMap = dict[tuple[int, ...], Fraction]
"""(t, r) or (t, h, r) -> price; absent means 0."""


@dataclass(frozen=True, eq=False)
class Certificate(Value):
    """A claim about one instance, with what is needed to check it.

    Attributes
    ----------
    instance_sha256 : str
    level : {"L0", "L1", "L2"}
        L0: the schedule is feasible and worth ``value``. L1: moreover OPT <= ``bound``, by weak
        duality at ``prices``. L2: OPT <= ``bound`` by a branching tree.
    parallelism : str
    value : Fraction
        Exact value of the schedule.
    schedule : dict
        The schedule, as a document.
    pool : {"type", "node"}
        Which resources the prices are on.
    prices : dict
        (t, r) or (t, h, r) -> price > 0.
    upper_payoffs : dict
        Job name -> m_j, an upper bound on its payoff over all its schedules; absent means 0.
    slack : Fraction
        At least sum_j (m_j - mu*_j); 0 when the m_j are the maxima.
    bound : Fraction or None
        D(k) = sum m_j + sum c k. None at level L0.
    theorem : dict or None
        The theorem that is said to apply to the algorithm. Without posted prices it is a claim.
    posted : Posted or None
        The price tables of the run, by which the theorem is checked.
    guarantee : (Fraction, Fraction) or None
        (constant, additive): OPT <= constant value + additive, for this very run. It has to follow
        from ``bound``.
    tree : dict or None
        The branching tree of level L2.
    """

    instance_sha256: str
    level: str
    parallelism: str
    value: Fraction
    schedule: Document
    pool: str = "type"
    prices: PriceMap = field(default_factory=dict)
    upper_payoffs: dict[str, Fraction] = field(default_factory=dict)
    slack: Fraction = Fraction(0)
    bound: Fraction | None = None
    theorem: Document | None = None
    tree: Document | None = None
    guarantee: tuple[Fraction, Fraction] | None = None
    posted: Posted | None = None


def certificate_to_document(instance: Instance, certificate: Certificate) -> Document:
    """Return the certificate as a document, numbers as exact text."""
    document = _document(instance, certificate)
    return {**document, "schedule": thaw(document["schedule"])}


def _document(instance: Instance, certificate: Certificate) -> Document:
    """Return the document, whose schedule is that of the certificate: for reading."""
    cluster = instance.cluster
    entries = []
    for place, price in sorted(certificate.prices.items()):
        entry: Document = {"round": place[0]}
        if certificate.pool == "node":
            entry["node"] = cluster.nodes[place[1]]
        entries.append({**entry, "type": cluster.accelerators[place[-1]], "price": to_text(price)})
    document: Document = {
        "format": FORMAT if _needs_second(certificate) else FIRST_FORMAT,
        "instance_sha256": certificate.instance_sha256,
        "level": certificate.level,
        "parallelism": certificate.parallelism,
        "pool": certificate.pool,
        "prices": entries,
        "upper_payoffs": {name: to_text(m) for name, m in certificate.upper_payoffs.items()},
        "slack": to_text(certificate.slack),
        "bound": None if certificate.bound is None else to_text(certificate.bound),
        "value": to_text(certificate.value),
        "schedule": certificate.schedule,
        "theorem": certificate.theorem,
    }
    if certificate.tree is not None:
        document["tree"] = certificate.tree
    if certificate.guarantee is not None:
        constant, additive = map(to_text, certificate.guarantee)
        document["guarantee"] = {"constant": constant, "additive": additive}
    if certificate.posted is not None:
        document["posted"] = posted_to_document(certificate.posted, instance)
    return document


def _needs_second(certificate: Certificate) -> bool:
    return certificate.guarantee is not None or certificate.posted is not None


def certificate_from_document(document: Document, instance: Instance) -> Certificate:
    """Return the certificate of a parsed document. Nothing is verified but the format.

    Raises
    ------
    CertificateError
        Naming the path, the value and the rule that it breaks; the hash, where the certificate is
        one of another instance.
    """
    try:
        return _parse(document, instance)
    except (InstanceError, CertificateError) as bad:
        # Names that this instance lacks are no typing errors where it is another instance.
        sha, claimed = instance_sha256(instance), document.get("instance_sha256")
        if isinstance(claimed, str) and _SHA256.fullmatch(claimed) and claimed != sha:
            raise other_instance(sha, claimed) from bad
        if isinstance(bad, CertificateError):
            raise
        raise CertificateError(bad.path, bad.rule, bad.value) from None


def other_instance(sha: str, claimed: str) -> OtherInstanceError:
    """Return the error of a certificate of another instance."""
    rule = f"must be {sha}, the hash of this instance"
    return OtherInstanceError("instance_sha256", rule, shown(claimed))


def _number(value: object, path: str) -> Fraction:
    return parse_text(check_string(value, path, CertificateError), path, digits=MAX_CLAIM_DIGITS)


def _parse(document: Document, instance: Instance) -> Certificate:
    error = CertificateError
    first = document.get("format") == FIRST_FORMAT
    check_format(document, FIRST_FORMAT if first else FORMAT, error)
    required = ("format", "instance_sha256", "level", "parallelism", "value", "schedule")
    optional = ["pool", "prices", "upper_payoffs", "slack", "bound", "theorem", "tree"]
    optional += [] if first else ["guarantee", "posted"]
    check_fields(document, required, optional, error=error)
    for name, known in (("level", LEVELS), ("pool", ("type", "node"))):
        if document.get(name, known[0]) not in known:
            raise error(name, f"must be one of {', '.join(known)}", shown(document[name]))
    pool = str(document.get("pool", "type"))
    bound = document.get("bound")
    if bound is None and document["level"] != "L0":
        raise error("bound", f"must be given at level {document['level']}", "null")
    if (document.get("tree") is None) != (document["level"] != "L2"):
        raise error("tree", "must be given at level L2, and only there")
    payoffs: Mapping[str, object] = check_fields(
        document.get("upper_payoffs", {}),
        (),
        {job.name for job in instance.jobs},
        path="upper_payoffs",
        error=error,
    )
    schedule, theorem, tree = (document.get(name) for name in ("schedule", "theorem", "tree"))
    for name, value, may_miss in (
        ("schedule", schedule, False),
        ("theorem", theorem, True),
        ("tree", tree, True),
    ):
        if not isinstance(value, dict) and not (may_miss and value is None):
            raise error(name, "must be an object", shown(value))
    return Certificate(
        check_string(document["instance_sha256"], "instance_sha256", error),
        str(document["level"]),
        check_string(document["parallelism"], "parallelism", error),
        _number(document["value"], "value"),
        schedule,  # type: ignore[arg-type]
        pool,
        parse_prices(document.get("prices", []), "prices", pool, instance),
        {name: _number(m, f"upper_payoffs.{name}") for name, m in payoffs.items()},
        _number(document.get("slack", "0"), "slack"),
        None if bound is None else _number(bound, "bound"),
        theorem,  # type: ignore[arg-type]
        tree,  # type: ignore[arg-type]
        _guarantee(document),
        _posted(document, pool, instance),
    )


def _posted(document: Document, pool: str, instance: Instance) -> Posted | None:
    if document.get("posted") is None:
        return None
    if document["level"] != "L1" or document.get("theorem") is None:
        rule = "must be left out without a theorem, and at other levels than L1"
        raise CertificateError("posted", rule)
    return parse_posted(document["posted"], pool, instance)


def _guarantee(document: Document) -> tuple[Fraction, Fraction] | None:
    if document.get("guarantee") is None:
        return None
    names = ("constant", "additive")
    fields: dict[str, Any] = check_fields(
        document["guarantee"], names, path="guarantee", error=CertificateError
    )
    if document["level"] == "L0":
        raise CertificateError("guarantee", "must be left out at level L0: it follows from a bound")
    constant, additive = (_number(fields[name], f"guarantee.{name}") for name in names)
    return constant, additive


def parse_prices(value: object, path: str, pool: str, instance: Instance) -> PriceMap:
    """Return the prices of a list of entries; each place once, no price negative."""
    cluster = instance.cluster
    nodes = {name: h for h, name in enumerate(cluster.nodes)}
    types = {name: r for r, name in enumerate(cluster.accelerators)}
    names = ("round", "node", "type", "price") if pool == "node" else ("round", "type", "price")
    prices: PriceMap = {}
    for i, entry in enumerate(check_list(value, path, CertificateError)):
        here = f"{path}[{i}]"
        fields: dict[str, Any] = check_fields(entry, names, path=here, error=CertificateError)
        most = instance.num_rounds - 1
        place: tuple[int, ...] = (to_integer(fields["round"], f"{here}.round", most=most),)
        for name, known in (("node", nodes), ("type", types)):
            if name in fields:
                key = check_string(fields[name], f"{here}.{name}", CertificateError)
                if key not in known:
                    raise CertificateError(f"{here}.{name}", "is not in the instance", shown(key))
                place = (*place, known[key])
        price = _number(fields["price"], f"{here}.price")
        if price < 0:
            raise CertificateError(f"{here}.price", "must be >= 0", to_text(price))
        if place in prices:
            raise CertificateError(here, "must price each place once")
        prices[place] = price
    return prices


def read_certificate(path: str | os.PathLike[str], instance: Instance) -> Certificate:
    """Read a certificate file of ``instance``. It is not yet verified: see `verify`.

    Raises
    ------
    CertificateError
        If the file is malformed.
    OSError
        If the file cannot be read.
    """
    document = load_json(path, CertificateError, {("schedule", "jobs"): job_taker(instance)})
    schedule = document.get("schedule")
    if isinstance(schedule, dict):
        document["schedule"] = entries_of(schedule, instance)
    return certificate_from_document(document, instance)


def write_certificate(
    certificate: Certificate, path: str | os.PathLike[str], instance: Instance
) -> None:
    """Write a certificate file of an instance.

    Raises
    ------
    TypeError
        If the arguments are in another order.
    """
    order = "write_certificate(certificate, path, instance)"
    check_type("certificate", certificate, Certificate, order)
    save_json(path, _document(instance, certificate))
