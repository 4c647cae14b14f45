"""The door to a cluster: an address that is none, and one where nobody answers."""

from __future__ import annotations

import sys

import pytest

from hadaropt import dask_cluster
from hadaropt.dask_cluster import connect, connected
from hadaropt.errors import ClusterError, MissingExtraError


@pytest.mark.parametrize(
    "address", ["", "10.0.0.5:8786", "http://host:1", "tcp://host", "tcp://a b:1", "tcp://h:123456"]
)
def test_an_address_has_a_form(address):
    pytest.importorskip("distributed", reason="the extra 'sweep' is not installed")
    with pytest.raises(ClusterError, match=r"an address is of the form tcp://HOST:PORT$"):
        connect(address, "sweep")


def test_characters_that_hide_text_are_shown():
    pytest.importorskip("distributed", reason="the extra 'sweep' is not installed")
    with pytest.raises(ClusterError, match=r"answers at tcp\\x1b\[2J"):
        connect("tcp\x1b[2J", "sweep")


def test_without_distributed_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"distributed .* 'hadaropt\[train\]'"):
        connect("tcp://127.0.0.1:9", "train")


class Client:
    closed = 0

    def __init__(self, address, *, timeout, set_as_default):
        if address.endswith(":9"):
            raise OSError("timed out")
        self.told = (address, timeout, set_as_default)

    def close(self, *, timeout):
        Client.closed += 1
        raise RuntimeError("the cluster is gone")


def test_a_client_is_let_go_of_even_where_the_cluster_is_gone(monkeypatch):
    distributed = pytest.importorskip("distributed", reason="the extra 'sweep' is not installed")
    monkeypatch.setattr(distributed, "Client", Client)
    address = "tcp://127.0.0.1:1"
    with pytest.raises(ZeroDivisionError), connected(address, "sweep") as client:
        assert client.told == (address, dask_cluster.CONNECT_SECONDS, False)
        raise ZeroDivisionError
    assert Client.closed == 1
    with pytest.raises(ClusterError, match=r"answers at tcp://127.0.0.1:9: timed out"):
        connect("tcp://127.0.0.1:9", "sweep")
