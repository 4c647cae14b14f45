"""A cluster prices as this process does, whatever happens to its workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from hadaropt import solve
from hadaropt.errors import ClusterError
from hadaropt.offline.lagrangian import dask_workers
from hadaropt.offline.lagrangian.bound import Oracle, lagrangian_bound
from hadaropt.offline.lagrangian.job_table import job_table
from tests.offline.lagrangian.test_workers import facts, large

pytest.importorskip("distributed")

CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=int(sys.argv[1]), threads_per_worker=1, processes=True,
                           dashboard_address=None, memory_limit=0)
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


@contextmanager
def cluster(tmp_path, workers: int) -> Iterator[str]:
    (tmp_path / "cluster.py").write_text(CLUSTER)
    with subprocess.Popen(
        [sys.executable, str(tmp_path / "cluster.py"), str(workers)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=tmp_path,
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


def test_a_cluster_of_two_gives_the_same_bound_and_loses_a_worker(tmp_path, monkeypatch):
    instance = large()
    with cluster(tmp_path, 2) as address:
        alone = lagrangian_bound(instance, work_limit=150)
        assert facts(lagrangian_bound(instance, work_limit=150, dask=address)) == facts(alone)

        table = job_table(instance)
        shape = instance.num_rounds, len(instance.cluster.accelerators)
        units = np.random.default_rng(1).integers(0, table.scale // 10, shape)
        with dask_workers.dask_workers(address) as workers:
            oracle = Oracle(instance, table, 1, workers)
            before = oracle(units)
            assert len(oracle._pricing._held) == 2  # both take part
            victim = next(iter(workers._client.run(os.getpid).values()))
            os.kill(victim, signal.SIGSTOP)
            late = Oracle(instance, table, 1, dask_workers.DaskWorkers(workers._client, lambda: 0))
            assert late(units).bound == before.bound  # nobody is waited for beyond the limit
            with monkeypatch.context() as hurried:
                hurried.setattr(dask_workers, "ANSWER_SECONDS", 0.5)
                with (
                    pytest.raises(ClusterError, match=r"do not all answer within 0\.5 s"),
                    dask_workers.dask_workers(address),
                ):
                    pass
            os.kill(victim, signal.SIGKILL)
            after = oracle(units)
            assert before.bound == after.bound == Oracle(instance, table)(units).bound
            assert (before.excess == after.excess).all()


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr("hadaropt.dask_cluster.CONNECT_SECONDS", 0.5)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "foo", "", "tcp://127.0.0.1"):
        with pytest.raises(ClusterError, match=f"no Dask cluster answers at {address}"):
            solve(large(), dask=address)


class _Client:
    """A cluster of one worker of which only its facts are asked."""

    def __init__(self, facts) -> None:
        self._facts = facts

    def nthreads(self):
        return {"tcp://w": 1} if self._facts else {}

    def run(self, _, callback_timeout):
        if isinstance(self._facts, Exception):
            raise self._facts
        return {"tcp://w": self._facts}

    def submit(self, *_, **__):
        raise OSError("the worker is gone")

    def close(self, timeout):
        pass


@pytest.mark.parametrize(
    ("theirs", "what"), [(None, "no worker is left"), (("1", "x"), "OSError: the worker is gone")]
)
def test_a_cluster_that_goes_away_leaves_this_process_to_go_on(monkeypatch, theirs, what):
    monkeypatch.setattr(dask_workers, "PATIENCE_SECONDS", 0.0)
    instance = large()
    table = job_table(instance)
    units = np.zeros((instance.num_rounds, len(instance.cluster.accelerators)), np.int64)
    oracle = Oracle(instance, table, 1, dask_workers.DaskWorkers(_Client(theirs)))
    with pytest.warns(RuntimeWarning, match=rf"prices no jobs \({what}\); this process goes on"):
        found = oracle(units)
    again = oracle(units)  # is not tried, or warned of, again
    assert found.bound == again.bound == Oracle(instance, table)(units).bound


@pytest.mark.parametrize(
    ("theirs", "what"),
    [
        (("0.0.1", "x"), r"worker tcp://w runs hadaropt 0\.0\.1"),
        (ModuleNotFoundError("No module named 'hadaropt'"), "cannot run hadaropt: ModuleNotFound"),
        (TimeoutError(), "do not all answer within 60 s: end those that hang"),
        (None, "has no worker"),
    ],
)
def test_workers_of_another_hadaropt_are_refused(monkeypatch, theirs, what):
    monkeypatch.setattr(dask_workers, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr("hadaropt.dask_cluster.connect", lambda *_: _Client(theirs))
    with (
        pytest.raises(ClusterError, match=what),
        dask_workers.dask_workers("tcp://here"),
    ):
        pass
