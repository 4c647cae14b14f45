"""``python -m tests.certificates.equal_verdicts [--seconds 300] [--seed N]``: Python against Coq.

Draws certificates of prices, runs and trees until time is up: the cases of `corpus` and `runs`, and
documents of genuine ones with numbers changed at random. Counts the verdicts by kind; where the two
disagree, prints seed and kind, and ends with code 1. Coq evaluates the terms that
``hadaropt verify --coq`` exports. Where Python says no to ``slack`` or ``guarantee`` nothing is
counted: no bound rests on these, and Coq does not judge them.
"""

from __future__ import annotations

import argparse
import copy
import sys
import time
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from hadaropt.certificates import Certificate, verify
from hadaropt.certificates.coq import HEADER
from hadaropt.certificates.format import certificate_from_document, certificate_to_document
from hadaropt.errors import CertificateError, ScheduleError
from hadaropt.instance import Instance
from tests.certificates.coq_checker import verdicts
from tests.certificates.corpus import Case, cases, coq_question
from tests.certificates.runs import run_cases

BATCH = 4
"""Seeds whose certificates are one question to Coq."""
CHANGED = 6
"""Documents that are made of a genuine one."""
NOT_JUDGED = ("slack", "guarantee")
CLAIMS_OF_SCHEDULES = ("objective", "completion")
SAID_OF_SCHEDULES = ("objective = ", "must complete in round")
"""Claims of a schedule's file, and what Python alone says where its allocations say otherwise."""


def main() -> int:
    """Draw, ask both, and count."""
    parser = argparse.ArgumentParser(prog="python -m tests.certificates.equal_verdicts")
    parser.add_argument("--seconds", type=float, default=300.0, help="of the clock")
    parser.add_argument("--seed", type=int, default=1000, help="the first")
    options = parser.parse_args()
    counts: Counter[tuple[str, bool]] = Counter()
    apart, seed = 0, options.seed
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        drawn = [(s, *case) for s in range(seed, seed + BATCH) for case in drawn_of(s)]
        seed += BATCH
        both = [(s, kind, said(i, c), i, c) for s, kind, i, c in drawn]
        judged = [case for case in both if case[2] is not None]
        found = verdicts(HEADER, [question(i, c) for *_, i, c in judged])
        for (s, kind, mine, i, _), theirs in zip(judged, found, strict=True):
            counts[kind, mine is True] += 1
            if mine != theirs:
                apart += 1
                print(f"seed {s}, {kind}, {i.parallelism}: Python {mine}, Coq {theirs}", flush=True)
    for kind in sorted({kind for kind, _ in counts}):
        print(f"{kind}: {counts[kind, True]} yes, {counts[kind, False]} no")
    drawn_in = f"seeds {options.seed} - {seed - 1}"
    print(f"{drawn_in}: {counts.total()} certificates, {apart} verdicts apart")
    return 1 if apart else 0


def drawn_of(seed: int) -> Iterator[Case]:
    """Yield the certificates of one seed."""
    rng = Random(seed)
    for kind, instance, certificate in (*cases(seed), *run_cases(seed)):
        yield kind, instance, certificate
        if not kind.startswith("genuine"):
            continue
        document = certificate_to_document(instance, certificate)
        for _ in range(CHANGED):
            try:
                other = certificate_from_document(changed(rng, document), instance)
            except (CertificateError, ScheduleError):
                continue  # the reader refuses it, for both
            yield f"{kind}, numbers changed", instance, other


def question(instance: Instance, certificate: Certificate) -> str:
    """Return the question to Coq: one whose answer is no where the schedule is malformed."""
    try:
        return coq_question(instance, certificate)
    except ScheduleError:
        return "false"


def said(instance: Instance, certificate: Certificate) -> bool | None:
    """Return the verdict of Python; None where it says no to what it alone judges."""
    try:
        verify(instance, certificate)
    except CertificateError as no:
        claims = no.path == "schedule" and any(word in no.rule for word in SAID_OF_SCHEDULES)
        return None if claims or no.path in NOT_JUDGED else False
    return True


def changed(rng: Random, document: dict[str, Any]) -> dict[str, Any]:
    """Return a document with one to three of its numbers changed."""
    document = {**copy.deepcopy(document)}
    document.pop("guarantee", None)  # arithmetic that Python alone judges
    for _ in range(rng.choice((1, 1, 2, 3))):
        place, key = rng.choice(list(numbers_in(document)))
        place[key] = moved(rng, place[key])
    return document


def numbers_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the container and the key of every number."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, (dict, list)):
            yield from numbers_in(item)
        elif key not in (*NOT_JUDGED, *CLAIMS_OF_SCHEDULES) and is_number(item):
            yield value, key


def is_number(item: Any) -> bool:
    """Return whether an item is a number, or a text that writes one."""
    if isinstance(item, str):
        return item.lstrip("-").replace("/", "").replace(".", "").isdigit()
    return isinstance(item, int) and not isinstance(item, bool)


def moved(rng: Random, item: Any) -> Any:
    """Return another number of the same form."""
    if isinstance(item, int):
        return rng.choice((0, -1, item + 1, item - 1, 10**9))
    return rng.choice(("0", "1", "-1", "1/1000003", "1" + "0" * 40, item + "0", item[:-1] or "7"))


if __name__ == "__main__":
    sys.exit(main())
