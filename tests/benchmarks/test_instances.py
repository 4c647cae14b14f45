"""The instance library: complete, consistent, and closed to anything unproved."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from hadaropt.certificates import read_certificate, verify, write_certificate
from hadaropt.errors import CertificateError

HERE = Path(__file__).parents[2] / "benchmarks" / "instances"


@pytest.fixture(name="library")
def load_library(tmp_path: Path) -> ModuleType:
    """Return the library module, its certificates copied to where they may be overwritten."""
    spec = importlib.util.spec_from_file_location("library", HERE / "library.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["library"] = module
    spec.loader.exec_module(module)
    if not module.TABLE.exists():
        pytest.skip("the library has not been built")
    module.FOLDER = Path(shutil.copytree(HERE / "certificates", tmp_path / "certificates"))
    return module


def test_a_hundred_instances_and_five_families_in_three_sizes(library: ModuleType) -> None:
    entries = library.read_table()
    assert len(entries) >= 100
    assert len({entry.name for entry in entries}) == len(entries)
    sizes = Counter((entry.family, entry.jobs) for entry in entries)
    assert len({family for family, _ in sizes}) >= 5
    assert all(len([1 for f, _ in sizes if f == family]) >= 3 for family, _ in sizes)
    for entry in entries:
        assert (entry.status == "proved") == (entry.value == entry.bound)
        assert Fraction(entry.value) <= Fraction(entry.bound)
        assert entry.file.exists()
    names = {path.name for path in library.FOLDER.iterdir()}
    assert names == {entry.file.name for entry in entries}


def test_the_readme_shows_what_is_known(library: ModuleType) -> None:
    assert library.README.read_text().endswith(library.summary(library.read_table()) + "\n")


def test_small_ones_verify(library: ModuleType) -> None:
    for entry in library.read_table():
        if entry.jobs <= 12:
            library.check_entry(entry)


def test_what_proves_nothing_new_is_refused(library: ModuleType) -> None:
    entry = min(library.read_table(), key=lambda entry: entry.jobs)
    instance = entry.instance()
    certificate = read_certificate(entry.file, instance)
    before = entry.file.read_bytes()
    with pytest.raises(ValueError, match="proves nothing new"):
        library.improve(entry, instance, certificate)
    with pytest.raises(CertificateError):
        library.improve(entry, instance, replace(certificate, value=certificate.value + 1))
    assert entry.file.read_bytes() == before
    # An entry that claims less is improved by the same certificate.
    modest = replace(entry, value="0", bound=str(Fraction(entry.bound) + 1), status="open")
    assert library.improve(modest, instance, certificate) == entry
    assert verify(instance, read_certificate(entry.file, instance)).value == Fraction(entry.value)


def test_a_table_that_claims_more_is_found_out(library: ModuleType) -> None:
    entry = min(library.read_table(), key=lambda entry: entry.jobs)
    proud = replace(entry, value=str(Fraction(entry.value) + 1))
    with pytest.raises(ValueError, match="the certificate proves"):
        library.check_entry(proud)
    other = replace(entry, sha256="0" * 64)
    with pytest.raises(ValueError, match="the instance has changed"):
        library.check_entry(other)


def test_scripts_run_as_commands(library: ModuleType, tmp_path: Path) -> None:
    entry = min(library.read_table(), key=lambda entry: entry.jobs)
    certificate = tmp_path / "certificate.json"
    instance = entry.instance()
    write_certificate(read_certificate(entry.file, instance), certificate, instance)
    before = (HERE / "library.json").read_bytes()
    checked = subprocess.run(
        [sys.executable, "-m", "benchmarks.instances.verify_all", entry.name],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(HERE.parents[1]), "PATH": ""},
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "0 wrong" in checked.stdout
    refused = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.instances.update"),
            *(entry.name, "--certificate", certificate),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(HERE.parents[1]), "PATH": ""},
    )
    assert refused.returncode == 1
    assert "refused" in refused.stdout
    assert (HERE / "library.json").read_bytes() == before
