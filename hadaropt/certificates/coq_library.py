"""The verified checker of ``proofs/coq`` as a compiled library, and the Coq that compiles it.

The checker is compiled once, into a folder whose name is a hash of its sources and of Coq's
version. What it needs follows from the ``Require`` lines of its sources; Coq's reals are not among
it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from hadaropt.child_process import ended_by
from hadaropt.errors import CoqError
from hadaropt.interrupts import held

LIBRARY = "HadarTheory"
ROOTS = ("Checker", "CheckerDigits", "CheckerSchedule", "CheckerRun", "CheckerUnit")
"""The modules that an exported certificate uses; the others follow."""
OLDEST = (8, 16)
KEPT_BUILDS = 3
"""Compiled checkers that are kept; a new one removes those that were not used for longest."""
INSTALL = "apt install coq (Debian, Ubuntu), brew install coq, or https://coq.inria.fr"
_REQUIRED = re.compile(rf"^From {LIBRARY} Require (?:Import |Export )?([^.]*)\.", re.MULTILINE)
_KEY = re.compile("[0-9a-f]{16}")
"""The name of a kept build; one under way has a point and some letters behind it."""
_SUM = "sha256"
"""The file of a kept build with the hash of what was compiled."""
_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Coq:
    """An installed Coq.

    Attributes
    ----------
    coqc : str
        Path of the compiler.
    version : str
        Such as ``8.16.1``.
    build : str
        What tells its compiled files from those of others: versions, and its standard library.
    """

    coqc: str
    version: str
    build: str

    def compile(self, folder: Path, file: str) -> subprocess.CompletedProcess[str]:
        """Compile a file of a folder against the library in it."""
        return self._run("-R", ".", LIBRARY, file, folder=folder)

    def compile_against(
        self, library: Path, folder: Path, *files: str, name: str = "HadarExport"
    ) -> list[subprocess.CompletedProcess[str]]:
        """Compile files of a folder, called ``name``, against the library in another folder.

        They are compiled at the same time. Whatever ends this call ends them.
        """
        command = self._command("-R", str(library), LIBRARY, "-Q", ".", name)
        with ExitStack() as stack:
            running = []
            for file in files:
                said = [
                    stack.enter_context(tempfile.TemporaryFile("w+", errors="replace"))
                    for _ in range(2)
                ]
                with held():  # who has started a process can end it
                    process = subprocess.Popen(
                        [*command, file], cwd=folder, stdout=said[0], stderr=said[1]
                    )
                    stack.callback(process.wait)
                    stack.callback(process.kill)  # before the wait; nothing where it has ended
                running.append((process, said))
            return [_ended(process, *said) for process, said in running]

    def _run(self, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
        return _said(self._command(*arguments), folder)

    def _command(self, *arguments: str) -> list[str]:
        return [self.coqc, "-q", "-w", "+default", *arguments]


def _said(command: list[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command; what it says may be in another encoding than that of the locale."""
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", check=False
    )


def _ended(
    process: subprocess.Popen[bytes], out: IO[str], error: IO[str]
) -> subprocess.CompletedProcess[str]:
    """Wait for a process; return what it has said."""
    code = process.wait()
    for said in (out, error):
        said.seek(0)
    return subprocess.CompletedProcess(process.args, code, out.read(), error.read())


@cache
def find_coq() -> Coq:
    """Return the Coq on the PATH.

    Raises
    ------
    CoqError
        If there is none, or an older one than 8.16.
    """
    coqc = shutil.which("coqc")
    oldest = ".".join(map(str, OLDEST))
    if coqc is None:
        raise CoqError(f"coqc is not on the PATH; Coq {oldest} or newer is needed: {INSTALL}")
    said = [_said([coqc, option]).stdout.strip() for option in ("--print-version", "-where")]
    version = said[0].split()[0] if said[0] else ""
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is None:
        raise CoqError(f"{coqc} does not say its version; Coq {oldest} is needed: {INSTALL}")
    if (int(numbers[1]), int(numbers[2])) < OLDEST:
        raise CoqError(f"{coqc} is Coq {version}; {oldest} or newer is needed: {INSTALL}")
    return Coq(coqc, version, "\n".join((coqc, *said)))


def source_folder() -> Path:
    """Return the folder of the checker's sources: part of the package, or of its repository.

    Raises
    ------
    CoqError
        If there is none.
    """
    installed = _PACKAGE / "certificates" / "coq_checker"
    for folder in (installed, _PACKAGE.parent / "proofs" / "coq"):
        if all((folder / f"{name}.v").is_file() for name in ROOTS):
            return folder
    raise CoqError(f"the sources of the checker are missing: {installed} does not hold them")


def checker_modules(folder: Path) -> list[str]:
    """Return the modules of the checker, each after all that it requires."""
    order: list[str] = []

    def visit(name: str) -> None:
        if name in order:
            return
        for names in _REQUIRED.findall((folder / f"{name}.v").read_text(encoding="utf-8")):
            for other in names.split():
                visit(other)
        order.append(name)

    for root in ROOTS:
        visit(root)
    return order


def checker_key(coq: Coq, folder: Path) -> str:
    """Return the hash of all that the compiled checker depends on."""
    digest = hashlib.sha256(coq.build.encode())
    for name in checker_modules(folder):
        digest.update(b"\0" + name.encode() + b"\0" + (folder / f"{name}.v").read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def compiled_checker(
    coq: Coq, cache: Path | None = None, *, tell: Callable[[], None] | None = None
) -> Iterator[Path]:
    """Give the folder of the compiled checker; compile it if it is not kept (25 CPU seconds).

    It is kept below ``XDG_CACHE_HOME`` or ``~/.cache``, or below ``cache``; where that cannot be
    written, in a temporary folder that is removed at the end. Processes that need it at the same
    time wait for the first of them; nobody sees a part of it. A kept one that is no longer what was
    compiled is compiled again, and what a killed process left goes then. Of former versions the
    last `KEPT_BUILDS` - 1 that were used stay, for other checkouts and versions of Coq. ``tell`` is
    called before it is compiled.

    Raises
    ------
    CoqError
        If a source is missing or does not compile.
    """
    sources = source_folder()
    key = checker_key(coq, sources)
    parent = _cache_parent() if cache is None else cache
    kept = None if parent is None else _kept(coq, sources, parent, key, tell)
    if kept is not None:
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="hadaropt-coq-") as folder:
        _compile(coq, sources, Path(folder), tell)
        yield Path(folder)


def _cache_parent() -> Path | None:
    own = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(own):
        return Path(own) / "hadaropt" / "coq"
    with suppress(RuntimeError):  # there is no home
        return Path.home() / ".cache" / "hadaropt" / "coq"
    return None


def _kept(
    coq: Coq, sources: Path, parent: Path, key: str, tell: Callable[[], None] | None
) -> Path | None:
    """Return the kept folder of a key, made if need be; None where it cannot be written."""
    folder = parent / key
    if _is_whole(folder):
        with suppress(OSError):
            os.utime(folder)  # used now
        return folder
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with (parent / f"{key}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_whole(folder):
                for left in parent.glob(f"{key}.*/"):  # its process died: the lock is ours
                    shutil.rmtree(left, ignore_errors=True)
                made = Path(tempfile.mkdtemp(prefix=f"{key}.", dir=parent))
                try:
                    _compile(coq, sources, made, tell)
                    (made / _SUM).write_text(_sum(made))
                    shutil.rmtree(folder, ignore_errors=True)
                    made.rename(folder)
                    _remove_former(parent)
                finally:
                    shutil.rmtree(made, ignore_errors=True)
    except OSError:
        return folder if _is_whole(folder) else None
    return folder


def _sum(folder: Path) -> str:
    """Return the hash of the compiled files of a folder."""
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*.vo")):
        digest.update(f"{file.name} {file.stat().st_size} ".encode() + file.read_bytes())
    return digest.hexdigest()


def _is_whole(folder: Path) -> bool:
    """Return whether a kept build is what was compiled."""
    with suppress(OSError):
        return (folder / _SUM).read_text(encoding="utf-8", errors="replace") == _sum(folder)
    return False


def _remove_former(parent: Path) -> None:
    """Remove the builds that were not used for longest, with their locks, and nothing else."""
    builds = [path for path in parent.iterdir() if _KEY.fullmatch(path.name) and path.is_dir()]
    builds.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for old in builds[KEPT_BUILDS:]:
        shutil.rmtree(old, ignore_errors=True)
        (parent / f"{old.name}.lock").unlink(missing_ok=True)


def _compile(coq: Coq, sources: Path, folder: Path, tell: Callable[[], None] | None) -> None:
    if tell is not None:
        tell()
    for name in checker_modules(sources):
        shutil.copyfile(sources / f"{name}.v", folder / f"{name}.v")
        done = coq.compile(folder, f"{name}.v")
        if done.returncode < 0:
            by = ended_by(done.returncode)
            raise CoqError(f"coqc was ended by {by} while it compiled {name}.v: try again")
        if done.returncode:
            said = " ".join((done.stderr or done.stdout).split())
            raise CoqError(f"Coq {coq.version} does not compile {name}.v of the checker: {said}")
