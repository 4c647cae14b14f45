"""The instance library: what is in it, and what is known of each instance.

Instances are made from a seed and checked by their hash; ``library.json`` says what is known of
each, and ``certificates/NAME.json.gz`` proves it: a schedule of the best value, and prices or a
branching tree of the best bound.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path

from hadaropt import Instance, verify
from hadaropt.certificates import Certificate, Verification, read_certificate, write_certificate
from hadaropt.generate import generate
from hadaropt.io import instance_sha256

HERE = Path(__file__).parent
TABLE = HERE / "library.json"
README = HERE / "README.md"
TABLE_HEAD = "| family | jobs x rounds | proved | open | median gap % | worst gap % |"
FOLDER = HERE / "certificates"
SIZES = {
    "small_uniform": ((12, 12), (30, 24), (100, 50)),
    "adversarial_price": ((12, 12), (24, 24), (100, 50)),
    "six_class": ((20, 24), (60, 24), (200, 50)),
    "measured_rates": ((20, 24), (60, 24), (200, 50)),
    "overloaded_tight": ((10, 12), (20, 24), (100, 50)),
}
SEEDS = 4
MODELS = ("mixed", "mixed", "single_type", "forked")
"""Parallelism model by seed; only small instances are forked."""


@dataclass(frozen=True)
class Entry:
    """One instance and what is known of it.

    Attributes
    ----------
    name, family, parallelism : str
    seed, jobs, rounds : int
    sha256 : str
        Of the instance.
    value, bound : str
        Best value, and best proven bound on the optimum, exactly.
    status : str
        ``proved`` if they are equal, else ``open``.
    """

    name: str
    family: str
    parallelism: str
    seed: int
    jobs: int
    rounds: int
    sha256: str
    value: str = "0"
    bound: str = ""
    status: str = "open"

    def instance(self) -> Instance:
        """Make the instance, and check that it is the same as ever."""
        made = generate(
            self.family,
            seed=self.seed,
            num_jobs=self.jobs,
            num_rounds=self.rounds,
            parallelism=self.parallelism,  # type: ignore[arg-type]
        )
        sha = instance_sha256(made)
        if self.sha256 and sha != self.sha256:
            raise ValueError(f"{self.name}: the instance has changed, its hash is {sha}")
        return made

    @property
    def file(self) -> Path:
        """File of the certificate."""
        return FOLDER / f"{self.name}.json.gz"

    @property
    def gap(self) -> float:
        """Relative gap in per cent."""
        value, bound = Fraction(self.value), Fraction(self.bound)
        return 100 * float((bound - value) / max(Fraction(1), value))


def blank_entries() -> list[Entry]:
    """Return an entry for every instance that the library is made of."""
    entries = []
    for family, sizes in SIZES.items():
        for size, (jobs, rounds) in enumerate(sizes):
            for seed in range(SEEDS):
                model = MODELS[seed] if size == 0 or MODELS[seed] != "forked" else "mixed"
                name = f"{family}-{jobs}x{rounds}-{seed}-{model}"
                entries.append(Entry(name, family, model, seed, jobs, rounds, ""))
    return entries


def read_table() -> list[Entry]:
    """Return the entries of the library."""
    return [Entry(**row) for row in json.loads(TABLE.read_text())]


def write_table(entries: list[Entry]) -> None:
    """Write the entries, one on a line."""
    rows = ",\n".join(json.dumps(asdict(entry)) for entry in entries)
    TABLE.write_text(f"[\n{rows}\n]\n")


def summary(entries: list[Entry]) -> str:
    """Return the Markdown table of what is known, by family and size."""
    groups: dict[tuple[str, int, int], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.family, entry.jobs, entry.rounds), []).append(entry)
    lines = [TABLE_HEAD, "|---|---|---|---|---|---|"]
    for (family, jobs, rounds), group in sorted(groups.items()):
        lines.append(f"| {family} | {jobs} x {rounds} | {_cells(group)} |")
    return "\n".join([*lines, f"| all | | {_cells(entries)} |"])


def _cells(entries: list[Entry]) -> str:
    proved = sum(entry.status == "proved" for entry in entries)
    gaps = [entry.gap for entry in entries]
    middle, worst = statistics.median(gaps), max(gaps)
    return f"{proved} | {len(entries) - proved} | {middle:.3f} | {worst:.3f}"


def write_summary(entries: list[Entry]) -> None:
    """Put the table into the README, in place of the old one."""
    before = README.read_text(encoding="utf-8").partition(TABLE_HEAD)[0]
    README.write_text(before + summary(entries) + "\n", encoding="utf-8")


def check_entry(entry: Entry, instance: Instance | None = None) -> Verification:
    """Verify the certificate of an entry and that it proves what the table says.

    Raises
    ------
    ValueError
        If it proves anything else.
    CertificateError
        If it is wrong.
    """
    instance = entry.instance() if instance is None else instance
    found = verify(instance, read_certificate(entry.file, instance))
    said = known(entry, found)
    if said != entry:
        raise ValueError(
            f"{entry.name}: the table says {entry.value} <= OPT <= {entry.bound} ({entry.status}), "
            f"the certificate proves {said.value} <= OPT <= {said.bound} ({said.status})"
        )
    return found


def known(entry: Entry, found: Verification) -> Entry:
    """Return the entry with what a verified certificate proves."""
    if found.best_bound is None:
        raise ValueError(f"{entry.name}: the certificate has no bound")
    status = "proved" if found.proved else "open"
    return replace(entry, value=str(found.value), bound=str(found.best_bound), status=status)


def improve(entry: Entry, instance: Instance, certificate: Certificate) -> Entry:
    """Store a certificate if it proves more than the stored one; return the entry after that.

    A better schedule is paired with the better bound, whichever certificate holds them.

    Raises
    ------
    ValueError
        If it proves nothing new.
    CertificateError
        If it is wrong: nothing is stored.
    """
    found = verify(instance, certificate)
    offered = known(entry, found)
    if entry.file.exists():
        old = read_certificate(entry.file, instance)
        certificate = combine(old, certificate, entry, offered)
        offered = known(entry, verify(instance, certificate))
        better = Fraction(offered.value) > Fraction(entry.value)
        if not better and Fraction(offered.bound) >= Fraction(entry.bound):
            raise ValueError(f"{entry.name}: the certificate proves nothing new")
    FOLDER.mkdir(exist_ok=True)
    write_certificate(certificate, entry.file, instance)
    return replace(offered, sha256=instance_sha256(instance))


def combine(old: Certificate, new: Certificate, was: Entry, offered: Entry) -> Certificate:
    """Return the certificate with the better bound and the better schedule of the two."""
    proof = new if Fraction(offered.bound) < Fraction(was.bound) else old
    best = new if new.value > old.value else old
    bound = proof.bound
    if proof.level == "L2" and bound is not None:
        bound = max(bound, best.value)
    return replace(proof, value=best.value, schedule=best.schedule, bound=bound)
