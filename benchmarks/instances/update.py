"""Improve the instance library: solve further, or take in a certificate from elsewhere.

    python -m benchmarks.instances.update --seconds 60 [NAME ...]
    python -m benchmarks.instances.update NAME --certificate FILE

Without names, all open instances are solved further. Nothing is taken in without a certificate
that verifies and proves more than the stored one.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.instances.library import (
    TABLE,
    Entry,
    blank_entries,
    improve,
    read_table,
    write_summary,
    write_table,
)
from hadaropt import certify, solve
from hadaropt.certificates import Certificate, read_certificate
from hadaropt.errors import HadaroptError
from hadaropt.instance import Instance
from hadaropt.io.schedules import schedule_from_document


def solved(entry: Entry, instance: Instance, seconds: float) -> Certificate:
    """Solve an instance from its stored schedule and return the certificate of the answer."""
    start = None
    if entry.file.exists():
        document = read_certificate(entry.file, instance).schedule
        start = schedule_from_document(document, instance)
    result = solve(instance, time_limit=seconds, start=start, display=True)
    return certify(instance, result)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--certificate", type=Path)
    parser.add_argument("--build", action="store_true", help="add the instances that are missing")
    options = parser.parse_args()
    entries = read_table() if TABLE.exists() else []
    if options.build:
        there = {entry.name for entry in entries}
        entries += [entry for entry in blank_entries() if entry.name not in there]
    known = {entry.name for entry in entries}
    if set(options.names) - known:
        parser.error(f"unknown: {', '.join(sorted(set(options.names) - known))}")
    if options.certificate is not None and len(options.names) != 1:
        parser.error("--certificate takes exactly one NAME")
    refused = 0
    for i, entry in enumerate(entries):
        chosen = entry.name in options.names if options.names else entry.status == "open"
        if not chosen:
            continue
        instance = entry.instance()
        try:
            if options.certificate is not None:
                certificate = read_certificate(options.certificate, instance)
            else:
                certificate = solved(entry, instance, options.seconds)
            after = improve(entry, instance, certificate)
        except (HadaroptError, ValueError) as error:
            refused += 1
            print(f"refused: {error}")
            continue
        entries[i] = replace(after)
        write_table([each for each in entries if each.sha256])
        print(f"{after.name}: {after.value} <= OPT <= {after.bound}, {after.status}", flush=True)
    write_summary(read_table())
    return 1 if refused and options.certificate is not None else 0


if __name__ == "__main__":
    sys.exit(main())
