"""The store of a results folder: one SQLite file of cells by content, and a lock beside it."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from hadaropt.errors import SweepError
from hadaropt.io.files import naming
from hadaropt.io.locks import lock_now
from hadaropt.sweep.task import Outcome, Status, Task

FORMAT = "hadaropt-results/1"
DATABASE = "results.sqlite"
LOCK = "lock"
CERTIFICATE = "certificate"
"""This entry of a result is kept apart, compressed."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS cells (
    key TEXT PRIMARY KEY, function TEXT NOT NULL, payload TEXT NOT NULL, status TEXT NOT NULL,
    reason TEXT NOT NULL, detail TEXT NOT NULL, result TEXT, seconds REAL NOT NULL,
    tries INTEGER NOT NULL, compile_seconds REAL NOT NULL);
CREATE TABLE IF NOT EXISTS certificates (key TEXT PRIMARY KEY, document BLOB NOT NULL);
"""


class Store:
    """Outcomes by key; every `put` is a transaction, so a kill loses none that was put.

    Parameters
    ----------
    path : Path or None
        None: in memory.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._base = sqlite3.connect(":memory:" if path is None else path, isolation_level=None)
        try:
            with self._guard():
                self._check_format()
                self._base.executescript(_SCHEMA)
                self.set_fact("format", FORMAT)
        except BaseException:
            self.close()
            raise

    def _check_format(self) -> None:
        tables = self._base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = {str(row[0]) for row in tables}
        found = self.fact("format") if "facts" in names else None
        if found is None and "cells" in names:
            found = "unknown"
        if found not in (None, FORMAT):
            raise SweepError(
                f"{self.path}: holds results of format {found}, and this version writes {FORMAT}; "
                "name a new folder"
            )

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Say what a full disk or a broken file means; the store itself stays as it was."""
        try:
            yield
        except sqlite3.OperationalError as bad:
            if bad.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                rule = f"{bad}; all that was stored is intact: make space and repeat the command"
                raise OSError(errno.ENOSPC, rule, str(self.path)) from bad
            raise SweepError(f"{self.path}: {bad}") from bad
        except sqlite3.DatabaseError as bad:
            raise SweepError(f"{self.path}: is not a store of results ({bad})") from bad

    def fact(self, name: str) -> str | None:
        """Return a fact of the folder."""
        row = self._base.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_fact(self, name: str, value: str) -> None:
        """Set a fact of the folder."""
        with self._guard():
            self._base.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def get(self, key: str) -> Outcome | None:
        """Return the outcome of a task (without its certificate), or None if there is none."""
        row = self._base.execute(
            "SELECT status, reason, result, detail, seconds, tries, compile_seconds FROM cells "
            "WHERE key = ?",
            (key,),
        ).fetchone()
        if row is None:
            return None
        status, reason, result, *rest = row
        parsed = None if result is None else json.loads(result)
        return Outcome(cast(Status, status), reason, parsed, *rest)

    def put(self, task: Task, outcome: Outcome) -> None:
        """Store an outcome, whole or not at all.

        Raises
        ------
        OSError
            If the disk is full; what was stored before is intact.
        """
        result = None if outcome.result is None else dict(outcome.result)
        certificate = None if result is None else result.pop(CERTIFICATE, None)
        row = (
            task.key,
            task.function,
            json.dumps(task.payload, allow_nan=False),
            outcome.status,
            outcome.reason,
            outcome.detail,
            None if result is None else json.dumps(result, allow_nan=False),
            outcome.seconds,
            outcome.tries,
            outcome.compile_seconds,
        )
        with self._guard():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                marks = ", ".join("?" * len(row))
                self._base.execute(f"INSERT OR REPLACE INTO cells VALUES ({marks})", row)
                if certificate is not None:
                    blob = zlib.compress(json.dumps(certificate, allow_nan=False).encode())
                    self._base.execute(
                        "INSERT OR REPLACE INTO certificates VALUES (?, ?)", (task.key, blob)
                    )
                self._base.execute("COMMIT")
            except BaseException:
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                raise

    def certificate(self, key: str) -> Mapping[str, object] | None:
        """Return the certificate that belongs to a result."""
        query = "SELECT document FROM certificates WHERE key = ?"
        row = self._base.execute(query, (key,)).fetchone()
        return None if row is None else json.loads(zlib.decompress(row[0]))

    def forget_failures(self) -> int:
        """Delete the outcomes that are not done, and return how many there were."""
        with self._guard():
            return self._base.execute("DELETE FROM cells WHERE status <> 'done'").rowcount

    def __len__(self) -> int:
        return int(self._base.execute("SELECT count(*) FROM cells").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._base.close()


@contextmanager
def open_store(folder: Path | None, definition: str = "") -> Iterator[Store]:
    """Yield the store of a results folder, made if there is none; alone in it until the end.

    Parameters
    ----------
    folder : Path or None
        None: a store in memory.
    definition : str
        What the folder is for. A folder holds the results of one definition only; without any
        result it is free for another.

    Raises
    ------
    SweepError
        If another sweep runs in the folder, or the folder holds something else.
    """
    if folder is None:
        store = Store(None)
        yield store
        store.close()
        return
    ours = (folder / DATABASE).exists()
    if folder.exists() and not ours and not _is_only_locked(folder):
        raise SweepError(f"{folder}: exists already and holds no results; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    with _lock(folder):
        store = Store(folder / DATABASE)
        try:
            before = store.fact("definition")
            if before is None or not len(store):
                store.set_fact("definition", definition)
            elif before != definition:
                raise SweepError(
                    f"{folder}: exists already with the results of another experiment; name a new "
                    "folder, or repeat the command that made it to complete it"
                )
            yield store
        finally:
            store.close()


def _is_only_locked(folder: Path) -> bool:
    """Return whether a sweep was killed in the folder before it had stored anything."""
    return folder.is_dir() and {path.name for path in folder.iterdir()} <= {LOCK}


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Hold the lock of the folder; the system lets go of it when the process ends, however."""
    with open(folder / LOCK, "a+", encoding="ascii") as file:
        if not lock_now(file, str(folder)):
            file.seek(0)
            owner = file.read().strip() or "unknown"
            raise SweepError(f"{folder}: another sweep runs here (process {owner})")
        with naming(folder / LOCK):
            file.truncate(0)
            os.write(file.fileno(), str(os.getpid()).encode())
        yield
