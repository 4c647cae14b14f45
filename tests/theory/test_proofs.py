"""``proofs/README.md`` against the sources: names, tests, files, code symbols; and a Coq build."""

import importlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROOFS = ROOT / "proofs"
COQ = PROOFS / "coq"

CELLS = ("id", "claim", "statement", "written", "coq", "code", "test", "tag")


def claims():
    """The rows of the table of claims, as dictionaries."""
    text = (PROOFS / "README.md").read_text()
    section = text.split("## Claims")[1].split("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        for line in section.splitlines()
        if line.startswith("| ")
    ]
    assert rows[0][0] == "id"
    assert all(len(row) == len(CELLS) for row in rows), [row for row in rows if len(row) != 8]
    return [dict(zip(CELLS, row, strict=True)) for row in rows[1:]]


def rules():
    """The rows (rule, lemma, test) of the table of the verifier's rules."""
    text = (PROOFS / "README.md").read_text()
    section = text.split("## Rules of the verifier")[1].split("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        for line in section.splitlines()
        if line.startswith("| ")
    ]
    assert rows[0] == ["rule", "lemma", "test"]
    return rows[1:]


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


def listed_files():
    return [name for name in (COQ / "_CoqProject").read_text().split() if name.endswith(".v")]


def statements():
    """Name -> files that state a theorem, corollary or lemma of that name."""
    found: dict[str, list[str]] = {}
    for name in listed_files():
        for match in re.finditer(
            r"^\s*(?:Theorem|Corollary|Lemma)\s+(\w+)", (COQ / name).read_text(), re.MULTILINE
        ):
            found.setdefault(match[1], []).append(name)
    return found


def expected_axioms():
    lines = (COQ / "axioms.expected").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if not line.startswith("#"))


CLAIMS = claims()
by_id = pytest.mark.parametrize("claim", CLAIMS, ids=[claim["id"] for claim in CLAIMS])


def test_identifiers_are_unique():
    identifiers = [claim["id"] for claim in CLAIMS]
    assert len(set(identifiers)) == len(identifiers)


@by_id
def test_coq_names_exist_once(claim):
    stated = statements()
    for name in quoted(claim["coq"]):
        assert len(stated.get(name, [])) == 1, f"{name} is stated in {stated.get(name)}"


def test_every_theorem_of_the_table_is_audited_and_no_other():
    named = {name for claim in CLAIMS for name in quoted(claim["coq"])}
    assert named == set(expected_axioms())


@by_id
def test_tags_say_what_backs_the_claim(claim):
    tag = re.split(r"[ ;]", claim["tag"])[0]
    assert tag in {"Coq", "paper", "cited", "FALSE"}
    if tag == "Coq":
        assert quoted(claim["coq"])
    if tag != "cited":
        assert quoted(claim["test"])


@by_id
def test_tests_exist(claim):
    for name in quoted(claim["test"]):
        file, function = name.split("::")
        assert f"def {function}(" in (ROOT / "tests" / file).read_text(), name


@by_id
def test_written_proofs_exist(claim):
    for file, anchor in re.findall(r"\]\(([^)#]+)#([^)]+)\)", claim["written"]):
        assert f'<a id="{anchor}"></a>' in (PROOFS / file).read_text(), (file, anchor)
    assert "](" in claim["written"]


@by_id
def test_code_symbols_exist(claim):
    for name in quoted(claim["code"]):
        module, symbol = name.rsplit(".", 1)
        assert hasattr(importlib.import_module(module), symbol), name


@pytest.mark.parametrize("row", rules(), ids=lambda row: row[0])
def test_every_rule_of_the_verifier_has_a_lemma_and_a_test(row):
    _, lemma, test = row
    assert quoted(lemma) and set(quoted(lemma)) <= set(expected_axioms())
    assert quoted(test)
    for name in quoted(test):
        file, function = name.split("::")
        assert f"def {function}(" in (ROOT / "tests" / file).read_text(), name


def test_every_coq_file_is_in_the_project_and_says_what_it_defines():
    present = {path.name for path in COQ.glob("*.v")}
    assert present == set(listed_files())
    for name in present:
        assert (COQ / name).read_text().startswith("(*"), name


def global_names(text):
    """What a file defines outside its comments: statements, definitions, fields, constructors."""
    while "(*" in text:
        text = re.sub(r"\(\*(?:(?!\(\*|\*\)).)*\*\)", " ", text, flags=re.DOTALL)
    kinds = "Definition|Lemma|Theorem|Corollary|Fixpoint|Inductive|Record|with"
    found = set(re.findall(rf"^ *(?:{kinds}) +(\w[\w']*)", text, re.MULTILINE))
    for constructor, fields in re.findall(r"^ *Record \w+[^{]*:= *(\w*) *\{([^}]*)\}", text, re.M):
        found |= {constructor, *re.findall(r"(?:^|;)\s*(\w+) *:", fields)} - {""}
    for inductive in re.findall(r"^ *Inductive .*?:=(.*?)\.\s", text, re.MULTILINE | re.DOTALL):
        found |= set(re.findall(r"\| *(\w+)", inductive))
    return found


def test_no_global_name_is_defined_in_two_files():
    home: dict[str, str] = {}
    for name in listed_files():
        if name == "Main.v":  # restates, in modules of its own
            continue
        for defined in sorted(global_names((COQ / name).read_text())):
            assert home.setdefault(defined, name) == name, f"{defined}: {home[defined]}, {name}"


def test_no_hole_and_no_added_axiom():
    holes = re.compile(r"\b(Admitted|admit\.|give_up|Axioms?|Conjecture|bypass_check)(?!\w)")
    for name in listed_files():
        assert not holes.search((COQ / name).read_text()), name


def test_only_axioms_of_the_standard_library():
    allowed = {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "Classical_Prop.classic",
        "FunctionalExtensionality.functional_extensionality_dep",
    }
    for theorem, axioms in expected_axioms().items():
        assert axioms == "closed" or set(axioms.split()) <= allowed, theorem


@pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed (apt: coq)")
def test_the_certificate_theorem_compiles(tmp_path):
    """T1 and T2 from the sources, and nothing but the two axioms of the reals behind them.

    The whole development is built and audited by ``proofs/build.sh``.
    """
    for name in ("Sums.v", "Duality.v"):
        shutil.copy(COQ / name, tmp_path / name)
    (tmp_path / "Use.v").write_text(
        "From HadarTheory Require Import Duality.\nPrint Assumptions certificate.\n"
    )
    output = ""
    for name in ("Sums.v", "Duality.v", "Use.v"):
        done = subprocess.run(
            ["coqc", "-R", ".", "HadarTheory", "-w", "+default", name],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        output = done.stdout
    axioms = re.findall(r"^(\w[\w.]*)$", output, re.MULTILINE)
    assert axioms == expected_axioms()["certificate"].split()
