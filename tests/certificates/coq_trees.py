"""``python -m tests.certificates.coq_trees [--seconds 20] [--seeds 3]``: trees that Coq checks.

Prints the table of ``proofs/README.md``: trees of branch-and-price on six families (12 jobs, 12
rounds), closed and open ones, each checked by one Coq. CPU seconds are those of ``coqc``, reading
the development included.
"""

from __future__ import annotations

import argparse
import resource
import sys

from hadaropt.certificates import Certificate, certify, verify
from hadaropt.certificates.coq_check import check_with_coq
from hadaropt.certificates.tree_document import parse_tree
from hadaropt.errors import CertificateError
from hadaropt.generate import generate
from hadaropt.instance import Instance, Parallelism
from hadaropt.offline.tree.branch_and_price import branch_and_price
from tests.certificates.coq_checker import library

FAMILIES = (
    *("small_uniform", "gavel_like", "philly_like"),
    *("measured_rates", "six_class", "adversarial_price"),
)
WORLDS: tuple[Parallelism, ...] = ("single_type", "mixed", "forked")


def made(family: str, seed: int, world: Parallelism) -> Instance:
    """Return an instance of the table."""
    return generate(family, seed=seed, num_jobs=12, num_rounds=12, parallelism=world)


def main() -> int:
    """Print a row for each kind of parallelism; exit code 1 if Coq refuses a tree."""
    parser = argparse.ArgumentParser(prog="python -m tests.certificates.coq_trees")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each solve")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    library()  # compiled now, if it is not kept
    refused = 0
    for world in WORLDS:
        rows = [
            facts(made(family, seed, world), options.seconds)
            for family in FAMILIES
            for seed in range(options.seeds)
        ]
        optima, accepted, held, cuts, nodes, size, cpu = zip(*rows, strict=True)
        refused += len(rows) - sum(accepted)
        counts = " | ".join(str(sum(flags)) for flags in (optima, accepted, held, cuts))
        kilobytes = f"{min(size) / 1000:.0f} - {max(size) / 1000:.0f}"
        ranges = f"{min(nodes)} - {max(nodes)} | {kilobytes} | {min(cpu):.1f} - {max(cpu):.1f}"
        print(f"| `{world}` | {len(rows)} | {counts} | {ranges} |", flush=True)
    return 1 if refused else 0


def facts(instance: Instance, seconds: float) -> tuple[bool, bool, bool, bool, int, int, float]:
    """Return optimum, accepted, GPUs held, cuts of several terms, nodes, bytes and CPU seconds."""
    certificate = certify(instance, branch_and_price(instance, time_limit=seconds))
    optimum = verify(instance, certificate).proved
    tree = parse_tree(instance, certificate)
    held = any(decision[0] == "held" for decision, _, _ in tree.branches.values())
    cuts = any(len(cut.terms) > 1 for cut in tree.cuts)
    accepted, size, cpu = asked(instance, certificate)
    return optimum, accepted, held, cuts, len(tree.order), size, cpu


def asked(instance: Instance, certificate: Certificate) -> tuple[bool, int, float]:
    """Return whether Coq accepts a certificate, of how many bytes, in how many CPU seconds."""
    before = children()
    try:
        size = check_with_coq(instance, certificate, processes=1).file_bytes
    except CertificateError:
        return False, 0, children() - before
    return True, size, children() - before


def children() -> float:
    """Return the CPU seconds of the processes that have been started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
