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
TABLE_HEAD = "| family | jobs x rounds | model | proved | open | median gap % | worst gap % |"
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
"""Parallelism model by seed; of these, only small instances are forked."""


@dataclass(frozen=True)
class Group:
    """Further instances of one family and size, all of one parallelism model.

    Attributes
    ----------
    family : str
    jobs, rounds : int
    model : str
    seeds : tuple of int
    label : str
        Tells its instances from others of the family.
    cluster, spread_factor, load : str
        Parameters of the generator; empty for its defaults.
    """

    family: str
    jobs: int
    rounds: int
    model: str
    seeds: tuple[int, ...]
    label: str = ""
    cluster: str = ""
    spread_factor: str = ""
    load: str = ""


RAGGED, WIDE = "V100=1x6,P100=2x3,K80=1x5", "V100=4x8,P100=4x8"
GROUPS = (
    # Of the default suite of `hadaropt bench ratio --parallelism forked`, the hardest.
    Group("gavel_like", 12, 12, "forked", (0, 17)),
    Group("measured_rates", 12, 12, "forked", (2, 4, 5, 9)),
    Group("small_uniform", 12, 12, "forked", (6,)),
    *(Group(family, 20, 24, "forked", (4, 5)) for family in SIZES),
    Group("gavel_like", 24, 24, "mixed", (0, 1, 2), "ragged", RAGGED, "0.8", "1.3"),
    Group("gavel_like", 16, 24, "forked", (0, 1, 2), "ragged", RAGGED, "0.8", "1.3"),
    Group("gavel_like", 40, 24, "mixed", (0, 1, 2, 3), "spread", WIDE, "0.8", "1.3"),
    Group("gavel_like", 24, 24, "forked", (0, 1, 2, 3), "spread", WIDE, "0.8", "1.3"),
    *(
        Group(family, 60, 48, "mixed", (0, 1, 2))
        for family in ("six_class", "measured_rates", "overloaded_tight")
    ),
)
"""Where the library was thin: forked, ragged nodes, gangs slowed by spreading, 60 x 48."""


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
    label, cluster, spread_factor, load : str
        As of its `Group`.
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
    label: str = ""
    cluster: str = ""
    spread_factor: str = ""
    load: str = ""

    def instance(self) -> Instance:
        """Make the instance, and check that it is the same as ever."""
        chosen = {"cluster": self.cluster, "spread_factor": self.spread_factor}
        parameters = {name: text for name, text in chosen.items() if text}
        made = generate(
            self.family,
            seed=self.seed,
            num_jobs=self.jobs,
            num_rounds=self.rounds,
            parallelism=self.parallelism,  # type: ignore[arg-type]
            load=self.load or None,
            **parameters,
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
    for group in GROUPS:
        kind = f"{group.family}-{group.label}" if group.label else group.family
        for seed in group.seeds:
            entries.append(
                Entry(
                    f"{kind}-{group.jobs}x{group.rounds}-{seed}-{group.model}",
                    group.family,
                    group.model,
                    seed,
                    group.jobs,
                    group.rounds,
                    "",
                    label=group.label,
                    cluster=group.cluster,
                    spread_factor=group.spread_factor,
                    load=group.load,
                )
            )
    return entries


def read_table() -> list[Entry]:
    """Return the entries of the library."""
    return [Entry(**row) for row in json.loads(TABLE.read_text())]


def write_table(entries: list[Entry]) -> None:
    """Write the entries, one on a line."""
    rows = ",\n".join(json.dumps(asdict(entry)) for entry in entries)
    TABLE.write_text(f"[\n{rows}\n]\n")


def summary(entries: list[Entry]) -> str:
    """Return the Markdown table of what is known, by family, size and whether jobs may fork."""
    groups: dict[tuple[str, int, int, str], list[Entry]] = {}
    for entry in entries:
        family = f"{entry.family}, {entry.label}" if entry.label else entry.family
        model = "forked" if entry.parallelism == "forked" else "one gang"
        groups.setdefault((family, entry.jobs, entry.rounds, model), []).append(entry)
    lines = [TABLE_HEAD, "|---|---|---|---|---|---|---|"]
    for (family, jobs, rounds, model), group in sorted(groups.items()):
        lines.append(f"| {family} | {jobs} x {rounds} | {model} | {_cells(group)} |")
    return "\n".join([*lines, f"| all | | | {_cells(entries)} |"])


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
