"""Sweeps by doing: what fails is a row, what is stored stays, what dies is tried again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hadaropt.errors import SweepError
from hadaropt.sweep import Store, engine, open_store, sweep
from hadaropt.sweep.runner import Runner
from tests.sweep.cells import task

ROOT = Path(__file__).parents[2]


def run(tasks, store, **options):
    return {t.key: outcome for t, outcome in sweep(tasks, store, **options)}


@pytest.mark.parametrize("workers", [1, 2])
def test_what_fails_is_a_row_and_the_rest_goes_on(workers, tmp_path):
    first = task("double", x=3)
    tasks = [
        first,
        task("double", needs=first.key, x=0),
        bad := task("fails"),
        after := task("double", needs=bad.key, x=1),
        breach := task("contradicts"),
        late := task("hangs", seconds=0.5),
        dead := task("dies"),
        once := task("dies_once", mark=str(tmp_path / "mark")),
        task("prints"),
        strange := task("not_json"),
    ]
    store = Store(None)
    found = run(tasks, store, workers=workers)
    assert len(found) == len(tasks) == len(store)
    assert found[first.key].result == {"y": 6, "certificate": {"proof": ["long"] * 3}}
    assert store.get(first.key).result == {"y": 6}
    assert store.certificate(first.key) == {"proof": ["long"] * 3}
    assert found[tasks[1].key].result["y"] == 12
    assert (found[bad.key].status, found[bad.key].reason) == ("error", "ValueError: no such luck")
    assert "in fails" in found[bad.key].detail
    assert found[after.key].status == "skipped"
    assert found[after.key].reason == "what it needs failed (error): ValueError: no such luck"
    assert found[breach.key].status == "breach"
    assert (found[late.key].status, found[late.key].tries) == ("timeout", 1)
    assert found[late.key].reason == "stopped at its limit of 0.5 s"
    assert (found[dead.key].status, found[dead.key].tries) == ("crash", 3)
    assert found[dead.key].reason == "its process died (signal SIGSEGV), 3 times"
    assert "Segmentation fault" in found[dead.key].detail
    assert (found[once.key].status, found[once.key].tries) == ("done", 2)
    assert found[tasks[8].key].status == "done"
    assert "ValueError: Out of range float" in found[strange.key].reason


def test_what_is_stored_is_not_run_again(tmp_path):
    log = tmp_path / "log"
    tasks = [task("noted", x=x, log=str(log)) for x in range(4)]
    with open_store(tmp_path / "out", "a") as store:
        run(tasks[:2], store)
    with open_store(tmp_path / "out", "a") as store:
        assert len(run(tasks, store)) == 4
    assert sorted(log.read_text().split()) == ["0", "1", "2", "3"]


def test_failures_are_kept_until_they_are_forgotten():
    store = Store(None)
    run([task("fails"), task("double", x=1)], store)
    assert store.get(task("fails").key).status == "error"
    assert store.forget_failures() == 1
    assert store.get(task("fails").key) is None
    assert store.get(task("double", x=1).key) is not None


def test_a_dead_worker_costs_a_retry_and_at_most_two(tmp_path):
    pytest.importorskip("distributed")
    fine = [task("double", x=x) for x in range(6)]
    ever = task("kills_worker", mark=str(tmp_path / "a"), times=9)
    found = run([ever, *fine], Store(None), workers=2)
    assert (found[ever.key].status, found[ever.key].tries) == ("crash", 3)
    assert found[ever.key].reason == "its worker died, 3 times"
    assert (tmp_path / "a").read_text() == "xxx"
    assert {found[t.key].status for t in fine} == {"done"}
    twice = task("kills_worker", mark=str(tmp_path / "b"), times=2)
    found = run([twice, *fine], Store(None), workers=2)
    assert (found[twice.key].status, found[twice.key].result) == ("done", {"y": 2})
    assert found[twice.key].tries == 3
    assert {found[t.key].status for t in fine} == {"done"}


CLUSTER = """
import sys, time
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
    cluster.close()
"""


def test_a_cluster_of_two_processes_serves_by_its_address(tmp_path):
    pytest.importorskip("distributed")
    (tmp_path / "cluster.py").write_text(CLUSTER)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, str(tmp_path / "cluster.py")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env=environment,
    ) as cluster:  # fmt: skip
        address = cluster.stdout.readline().strip()
        tasks = [task("whoami", x=x) for x in range(6)]
        tasks += [task("noted", x=x, log=str(tmp_path / "log"), sleep=0.3) for x in range(4)]
        found = run(tasks, Store(None), dask=address)
        cluster.stdin.close()
        assert cluster.wait() == 0
    assert {outcome.status for outcome in found.values()} == {"done"}
    assert 1 <= len({found[t.key].result["y"] for t in tasks[:6]}) <= 2


def test_an_address_where_no_cluster_answers(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("hadaropt.dask_cluster.CONNECT_SECONDS", 1.0)
    with pytest.raises(SweepError, match=r"no Dask cluster answers at tcp://127.0.0.1:9"):
        run([task("double", x=1)], Store(None), dask="tcp://127.0.0.1:9")
    with pytest.raises(SweepError, match="no Dask cluster answers at nonsense"):
        run([task("double", x=1)], Store(None), dask="nonsense://x")


KILLED = """
import sys
from pathlib import Path
from hadaropt.sweep import open_store, sweep
from tests.sweep.cells import task
folder, log, workers = sys.argv[1:]
if __name__ == "__main__":
    tasks = [task("noted", x=x, log=log, sleep=0.2) for x in range(12)]
    with open_store(Path(folder), "d") as store:
        for t, outcome in sweep(tasks, store, workers=int(workers)):
            print(outcome.status, flush=True)
"""


def running(mark):
    """Return whether a process with this entry in its environment runs."""
    for file in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in file.read_bytes().split(b"\0"):
                return True
        except OSError:  # it has ended, or is not ours
            continue
    return False


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the system has no /proc")
@pytest.mark.parametrize("workers", [1, 2])
def test_kill_9_loses_the_cells_in_flight_only(workers, tmp_path):
    (tmp_path / "killed.py").write_text(KILLED)
    out, log = tmp_path / "out", tmp_path / "log"
    command = [sys.executable, str(tmp_path / "killed.py"), str(out), str(log), str(workers)]
    mark = f"HADAROPT_TEST={tmp_path}"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HADAROPT_TEST": str(tmp_path)}
    options = {"env": environment, "text": True}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options
    ) as first:
        for _ in range(3):
            assert first.stdout.readline() == "done\n"
        os.kill(first.pid, signal.SIGKILL)
    while running(mark):  # the workers notice, and their children with them
        time.sleep(0.1)
    before = log.read_text()
    with open_store(out, "d") as store:
        stored = len(store)
    assert 3 <= stored <= 12 - 1
    assert len(before.split()) <= stored + 2 * workers + 1  # two for each worker at a time
    done = subprocess.run(command, capture_output=True, check=True, **options)
    assert done.stdout == "done\n" * 12
    assert len(log.read_text().split()) == len(before.split()) + 12 - stored
    assert {int(x) for x in log.read_text().split()} == set(range(12))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_workers_start_comes_after_it_and_they_are_closed(monkeypatch, number):
    class Started:
        """A cluster or a client that a signal meets on its way."""

        def __init__(self, *_, **__):
            assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())  # for workers
            os.kill(os.getpid(), number)
            done.append("started")

        def close(self, timeout):
            done.append("closed")

    class Quiet(Runner):
        def warm_up(self):
            return 0.0

    def terminated(*_):
        raise KeyboardInterrupt

    distributed = pytest.importorskip("distributed", reason="the extra 'sweep' is not installed")
    done = []
    monkeypatch.setattr(engine, "Runner", Quiet)
    monkeypatch.setattr(distributed, "LocalCluster", Started)
    monkeypatch.setattr(distributed, "Client", Started)
    handlers = {n: signal.signal(n, terminated) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        with pytest.raises(KeyboardInterrupt):
            engine._Dask(2, None, None)
    finally:
        for n, handler in handlers.items():
            signal.signal(n, handler)
    assert done == ["started", "started", "closed", "closed"]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
