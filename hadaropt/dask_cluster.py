"""The door to a Dask cluster that runs already, by its address."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from hadaropt.errors import ClusterError, MissingExtraError, printable
from hadaropt.interrupts import held

CONNECT_SECONDS = 10.0
_ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://[^\s/]+:\d{1,5}/?")


def connect(address: str, extra: str, *, default: bool = False) -> Any:
    """Return a client of the cluster at an address.

    Parameters
    ----------
    address : str
        Such as ``tcp://10.0.0.5:8786``.
    extra : str
        The extra that installs ``distributed``.
    default : bool
        Whether it becomes the client that Dask takes where none is named.

    Raises
    ------
    ClusterError
        If nobody answers there within ten seconds.
    MissingExtraError
        If ``distributed`` is not installed.
    """
    try:
        with held():
            distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise MissingExtraError(extra, "distributed") from None
    if _ADDRESS.fullmatch(address) is None:
        rule = "an address is of the form tcp://HOST:PORT"
        raise ClusterError(f"no Dask cluster answers at {printable(address)}: {rule}")
    try:
        return distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=default)
    except (OSError, ValueError) as bad:
        raise ClusterError(f"no Dask cluster answers at {address}: {bad}") from None


@contextmanager
def connected(address: str, extra: str) -> Iterator[Any]:
    """Provide a client; let go of it at the end, also where the cluster is gone by then."""
    client = connect(address, extra)
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=5)


__all__ = ["CONNECT_SECONDS", "connect", "connected"]
