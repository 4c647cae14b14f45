"""The compiled checker: what it is made of, where it is kept, and what is said without Coq."""

import os
import re
import shutil
import signal
import tomllib
from pathlib import Path

import pytest

from hadaropt.certificates import coq_library
from hadaropt.certificates.coq_library import (
    Coq,
    checker_key,
    checker_modules,
    compiled_checker,
    find_coq,
    source_folder,
)
from hadaropt.errors import CoqError
from tests.certificates.fake_coq import fake_coq

ROOT = Path(__file__).resolve().parents[2]


def test_the_checker_knows_no_reals():
    modules = checker_modules(source_folder())
    assert {"SchedModel", "CheckerTree", "CheckerSchedule"} <= set(modules)
    for name in modules:
        text = (source_folder() / f"{name}.v").read_text()
        imported = re.findall(r"^From Coq Require Import ([^.]*)\.", text, re.MULTILINE)
        assert not {"Reals", "Lra", "Psatz"} & {word for line in imported for word in line.split()}


def test_the_wheel_holds_the_sources_of_the_checker():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    shipped = {a: b for a, b in included.items() if a.startswith("proofs/coq/")}
    assert shipped == {
        f"proofs/coq/{name}.v": f"hadaropt/certificates/coq_checker/{name}.v"
        for name in checker_modules(source_folder())
    }


@pytest.fixture
def only_path(tmp_path, monkeypatch):
    """A folder that is all of the PATH."""
    find_coq.cache_clear()
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    yield folder
    find_coq.cache_clear()


def test_without_coq_it_says_how_to_install_it(only_path):
    with pytest.raises(CoqError, match=r"coqc is not on the PATH.*8\.16.*apt install coq"):
        find_coq()


@pytest.mark.parametrize(("said", "why"), [("8.15.2 4.14", "is Coq 8.15.2"), ("", "its version")])
def test_an_old_or_silent_coq_is_refused(only_path, said, why):
    fake_coq(only_path, f'echo "{said}"')
    with pytest.raises(CoqError, match=why):
        find_coq()


@pytest.mark.parametrize("version", ["8.16.1", "8.20", "9.0.0"])
def test_a_newer_coq_is_taken(only_path, version):
    fake_coq(only_path, f'echo "{version} 5.1.0"')
    assert find_coq().version == version


def test_what_coq_says_in_another_encoding_is_no_version(only_path):
    fake_coq(only_path, r"printf '\377\n'")
    with pytest.raises(CoqError, match="does not say its version"):
        find_coq()


def test_a_signal_that_ends_the_compilation_of_the_checker_is_named(tmp_path):
    with (
        pytest.raises(CoqError, match=r"ended by SIGKILL while it compiled \w+\.v: try again"),
        compiled_checker(fake_coq(tmp_path, "kill -9 $$"), tmp_path / "cache"),
    ):
        pass


COMPILES = 'for last; do :; done; echo "$last" >> "$LOG"; : > "${last%.v}.vo"'


def test_the_checker_is_compiled_once(tmp_path, monkeypatch):
    log = tmp_path / "log"
    monkeypatch.setenv("LOG", str(log))
    coq = fake_coq(tmp_path, COMPILES)
    told: list[int] = []
    cache = tmp_path / "cache"
    with compiled_checker(coq, cache, tell=lambda: told.append(1)) as first:
        assert (first / "CheckerTree.vo").is_file()
        assert first.name == checker_key(coq, source_folder())
    with compiled_checker(coq, cache, tell=lambda: told.append(2)) as second:
        assert second == first
    assert told == [1]
    names = [f"{name}.v" for name in checker_modules(source_folder())]
    assert log.read_text().split() == names
    other = Coq(coq.coqc, "8.17.0", "another")
    assert checker_key(other, source_folder()) != first.name


def test_builds_that_were_not_used_for_longest_are_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("LOG", os.devnull)
    cache = tmp_path / "cache"
    for age, name in enumerate(["a" * 16, "b" * 16, "c" * 16, "notes"]):
        (cache / name).mkdir(parents=True)
        (cache / f"{name}.lock").touch()
        os.utime(cache / name, (1000 - age, 1000 - age))
    with compiled_checker(fake_coq(tmp_path, COMPILES), cache) as made:
        kept = {path.name for path in cache.iterdir() if path.is_dir()}
        assert kept == {made.name, "a" * 16, "b" * 16, "notes"}
        assert not (cache / f"{'c' * 16}.lock").exists()
        assert coq_library.KEPT_BUILDS == 3


def test_a_kept_build_that_is_used_is_young_again(tmp_path, monkeypatch):
    monkeypatch.setenv("LOG", os.devnull)
    coq = fake_coq(tmp_path, COMPILES)
    with compiled_checker(coq, tmp_path / "cache") as made:
        os.utime(made, (0, 0))
    with compiled_checker(coq, tmp_path / "cache") as again:
        assert again == made
        assert again.stat().st_mtime > 0


def test_a_build_that_fails_leaves_nothing_behind(tmp_path):
    coq = fake_coq(tmp_path, "echo syntax error >&2; exit 1")
    with (
        pytest.raises(CoqError, match=r"does not compile SchedModel\.v.*syntax error"),
        compiled_checker(coq, tmp_path / "cache"),
    ):
        pass
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".lock"]


def test_where_nothing_can_be_kept_a_temporary_folder_is_used(tmp_path, monkeypatch):
    monkeypatch.setenv("LOG", os.devnull)
    blocked = tmp_path / "file"
    blocked.write_text("")
    with compiled_checker(fake_coq(tmp_path, COMPILES), blocked / "cache") as folder:
        assert (folder / "Checker.vo").is_file()
    assert not folder.exists()


def test_sources_that_are_missing_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(coq_library, "_PACKAGE", tmp_path / "hadaropt")
    with pytest.raises(CoqError, match="sources of the checker are missing"):
        source_folder()


@pytest.mark.parametrize("harm", ["truncated", "gone", "without sum", "empty"])
def test_a_kept_build_that_was_harmed_is_made_again(tmp_path, monkeypatch, harm):
    monkeypatch.setenv("LOG", os.devnull)
    coq = fake_coq(tmp_path, COMPILES.replace(": >", "echo compiled >"))
    with compiled_checker(coq, tmp_path / "cache") as made:
        whole = {file.name: file.read_bytes() for file in made.iterdir()}
    if harm == "empty":
        shutil.rmtree(made)
        made.mkdir()
    elif harm == "truncated":
        (made / "Checker.vo").write_bytes(b"comp")
    else:
        (made / ("sha256" if harm == "without sum" else "Checker.vo")).unlink()
    with compiled_checker(coq, tmp_path / "cache") as again:
        assert again == made
        assert {file.name: file.read_bytes() for file in again.iterdir()} == whole
    assert {path.name for path in made.parent.iterdir()} == {made.name, f"{made.name}.lock"}


def test_what_a_killed_process_left_goes_with_the_next_build(tmp_path, monkeypatch):
    monkeypatch.setenv("LOG", os.devnull)
    coq = fake_coq(tmp_path, COMPILES)
    key = checker_key(coq, source_folder())
    (tmp_path / "cache" / f"{key}.ab_cd1ef").mkdir(parents=True)
    with compiled_checker(coq, tmp_path / "cache") as made:
        assert {path.name for path in made.parent.iterdir()} == {key, f"{key}.lock"}


def test_whatever_ends_the_wait_ends_every_coq(tmp_path):
    pid = f"{tmp_path}/${{10}}"
    script = f'echo $$ > "{pid}"; mv "{pid}" "{pid}.pid"; exec sleep 600'
    coq = fake_coq(tmp_path, script)

    def interrupt(number, frame):
        if len(list(tmp_path.glob("*.pid"))) == 2:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            coq.compile_against(tmp_path, tmp_path, "a.v", "b.v")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    for file in tmp_path.glob("*.pid"):
        with pytest.raises(ProcessLookupError):
            os.kill(int(file.read_text()), 0)
