"""Locks of files: held until the file is closed or the process ends, however it ends."""

from __future__ import annotations

import errno
import fcntl
import logging
from typing import IO, Any

_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
_UNKNOWN_HERE = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL)


def lock_now(file: IO[Any] | int, place: str) -> bool:
    """Lock an open file against other processes; return False if another holds its lock.

    On a file system without locks the file counts as locked, and a line of the log says so.

    Parameters
    ----------
    file : file, or the descriptor of an open folder
    place : str
        What is locked, for that line.

    Raises
    ------
    OSError
        If the lock cannot be had for another reason.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as bad:
        if bad.errno in _HELD:
            return False
        if bad.errno not in _UNKNOWN_HERE:
            raise
        logging.getLogger("hadaropt").warning(
            "hadaropt: %s: this file system has no locks (%s); take care that nothing else writes "
            "there",
            place,
            bad.strerror,
        )
    return True
