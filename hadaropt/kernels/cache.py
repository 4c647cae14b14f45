"""The one place that knows where compiled code is kept.

Compiled code is kept between processes, one file for each kernel and signature, in a folder whose
name is a hash of all that it depends on: the sources of all kernels, so that kernels may call
those of other modules; numba, Python and what shapes the code. Where no folder can be written, or
its disk is full, kernels are compiled anew in each process, and that is said once.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from hadaropt.interrupts import held, held_in_callbacks
from hadaropt.kernels import compile_events
from hadaropt.kernels.compile_time import watch

SUFFIX = ".nbc"
KEPT_FOLDERS, KEPT_SECONDS = 4, 14 * 86400
"""Folders of other keys are removed if they were not used for so long, but for so many."""
FLAGS = (
    "BOUNDSCHECK",
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "DEBUGINFO_DEFAULT",
    "FULL_TRACEBACKS",
)
"""Settings of numba that shape the code and are in no name that numba makes."""

CALLBACKS = ("_raw_object_cache_notify", "_raw_object_cache_getbuffer", "__del__")
"""Functions of llvmlite that C calls while code is compiled or loaded: it drops their errors."""

_log = logging.getLogger("hadaropt")
_SOURCES = Path(__file__).parent
_WITHOUT_KERNELS = ("__init__", "cache", "compile_events", "compile_time", "dispatch")


def compiled(function: Callable[..., Any]) -> Any:
    """Return numba's dispatcher of a function: it compiles on calls with arguments of new types.

    The code is kept.
    """
    compile_events.watch()
    dispatcher = numba.njit(function, nogil=True)  # threads may share the work
    if hasattr(dispatcher, "py_func"):  # not under NUMBA_DISABLE_JIT
        dispatcher.compile = held_in_callbacks(*CALLBACKS)(dispatcher.compile)
        dispatcher._cache = _KernelCache(function)
    return dispatcher


def cache_folder() -> Path | None:
    """Return the folder of the compiled code of these very kernels, or None if there is none.

    The first of these that can be written or holds code already: below ``NUMBA_CACHE_DIR``, if it
    is set, and nothing else; below ``XDG_CACHE_HOME`` or ``~/.cache``; a temporary folder.
    """
    return _chosen_folder()


def is_warm() -> bool:
    """Return whether compiled code of these kernels is kept; if not, the first calls take long."""
    return (folder := cache_folder()) is not None and _holds_code(folder)


def cache_bytes() -> int:
    """Return the size of the kept code of these kernels."""
    folder = cache_folder()
    return 0 if folder is None else sum(file.stat().st_size for file in folder.glob(f"*{SUFFIX}"))


@cache
def source_key() -> str | None:
    """Return the hash of what compiled code depends on, or None if no sources can be read."""
    files = sorted(path for path in _SOURCES.rglob("*.py") if path.stem not in _WITHOUT_KERNELS)
    if not files:  # imported from an archive
        return None
    digest = hashlib.sha256()
    facts = [sys.implementation.cache_tag, sys.version, numba.__version__, llvmlite.__version__]
    facts += [f"{name}={getattr(numba.config, name, None)}" for name in FLAGS]
    facts.append("nogil")
    digest.update("\0".join(map(str, facts)).encode())
    for file in files:
        digest.update(b"\0" + file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _say(text: str) -> None:
    """Log a line, once in this process; without any handler it goes to standard error."""
    _log.warning("hadaropt: %s", text)


@cache
def _chosen_folder() -> Path | None:
    key = source_key()
    wanted = None
    for parent in () if key is None else _parents():
        folder = parent / str(key)
        if _holds_code(folder) or _can_be_written(folder):
            if wanted is not None:
                _say(f"compiled kernels are kept in {parent}: {wanted} cannot be written")
            with suppress(OSError):  # marks it as used; in a read-only folder nothing is removed
                os.utime(folder)
            return folder
        wanted = wanted or parent
    _say("compiled kernels cannot be kept; each process compiles them anew")
    return None


def _parents() -> Iterator[Path]:
    config: Any = numba.config
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR) / "hadaropt"
        return
    own = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(own):
        yield Path(own) / "hadaropt" / "kernels"
    else:
        with suppress(RuntimeError):  # there is no home
            yield Path.home() / ".cache" / "hadaropt" / "kernels"
    with suppress(OSError):  # there is no temporary folder either
        yield from _private_temporary()


def _private_temporary() -> Iterator[Path]:
    """Yield a temporary folder that nobody else can write: code is run from it."""
    folder = Path(tempfile.gettempdir()) / f"hadaropt-kernels-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022:
        yield folder


def _holds_code(folder: Path) -> bool:
    with suppress(OSError):
        return any(folder.glob(f"*{SUFFIX}"))
    return False


def _can_be_written(folder: Path) -> bool:
    try:  # rights alone do not tell
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _remove_old_folders(folder: Path) -> None:
    """Remove what other versions left, if there is much and it is old."""
    with suppress(OSError):  # others remove at the same time
        others = [path for path in folder.parent.iterdir() if path != folder and path.is_dir()]
        others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in others[KEPT_FOLDERS - 1 :]:
            if path.stat().st_mtime < time.time() - KEPT_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


class _KernelCache(_Cache):
    """The kept code of one kernel, as numba's dispatcher asks for it."""

    def __init__(self, function) -> None:
        self._function = function
        self._enabled = True

    @property
    def cache_path(self):
        return str(cache_folder())

    def enable(self):
        self._enabled = True

    def disable(self):
        self._enabled = False

    def flush(self):
        """Keep nothing back: files are written at once."""

    def _file(self, signature, codegen) -> Path | None:
        folder = cache_folder()
        if folder is None or not self._enabled:
            return None
        facts = repr((signature, codegen.magic_tuple()))  # types of arguments, kind of processor
        name = f"{self._function.__module__}.{self._function.__qualname__}"
        return folder / f"{name}-{hashlib.sha256(facts.encode()).hexdigest()[:16]}{SUFFIX}"

    @held()
    def load_overload(self, sig, target_context):
        """Return the kept code of a signature, or None."""
        target_context.refresh()
        file = self._file(sig, target_context.codegen())
        data = None if file is None else _read_whole(file)
        if data is None:
            if not watch.told:
                _say("compiling kernels first needed now, and kept (all: hadaropt doctor --warm)")
            return None
        return CompileResult._rebuild(target_context, *pickle.loads(data))

    def save_overload(self, sig, data):
        """Keep the code of a signature, if that is possible."""
        file = self._file(sig, data.codegen)
        if file is None:
            return
        first = not _holds_code(file.parent)
        try:
            _write_whole(file, dumps(data._reduce()))
        except OSError as bad:
            _say(f"compiled kernels cannot be kept in {file.parent}: {bad.strerror}")
            return
        if first:
            _remove_old_folders(file.parent)


def _read_whole(file: Path) -> bytes | None:
    """Return the content of a file, or None if it is absent or not what was written."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    digest, data = content[:32], content[32:]
    return data if hashlib.sha256(data).digest() == digest else None


def _write_whole(file: Path, data: bytes) -> None:
    """Write a file at once: other processes read and write the same."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=file.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as sink:
            sink.write(hashlib.sha256(data).digest() + data)
        os.replace(draft, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise
