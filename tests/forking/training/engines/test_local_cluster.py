"""Real worker processes, one of them killed."""

from __future__ import annotations

import os
import signal

import pytest

from hadaropt.errors import TrainingStoppedError
from hadaropt.forking.training.checkpoint import load_checkpoint
from hadaropt.forking.training.loop import Training
from hadaropt.forking.training.options import Options, TrainingJob
from hadaropt.forking.training.proportional import proportional
from tests.forking.training.toy import Slope

pytest.importorskip("distributed", reason="the extra 'train' is not installed")
pytestmark = pytest.mark.train

SPEEDS = {"fast": 1.0, "slow": 0.25, "doomed": 0.5}
PACES = {name: 400 * speed for name, speed in SPEEDS.items()}


@pytest.fixture(scope="module")
def client():
    from hadaropt.forking.training.engines.local_cluster import local_cluster

    with local_cluster(SPEEDS) as own:
        yield own


def pid_of(client, node):
    from hadaropt.forking.training.engines.dask import workers_of

    (address,) = [a for a, facts in workers_of(client).items() if facts["name"] == node]
    return client.submit(os.getpid, workers=[address], pure=False).result()


def make(client, steps, observe=lambda _: None, on_progress=None, **options):
    from hadaropt.forking.training.engines.dask import DaskEngine

    return Training(
        [TrainingJob(Slope(), steps)],
        DaskEngine(client, paces=PACES, on_progress=on_progress),
        plan=lambda views: proportional(views, round_steps=1400),
        observe=observe,
        **options,
    )


def test_a_worker_is_killed_in_the_middle_and_the_count_is_exact(client):
    victims, told = [pid_of(client, "doomed")], []

    def kill(ticket, steps):
        if (ticket.node, ticket.round) == ("doomed", 1) and victims:
            told.append(steps)
            os.kill(victims.pop(), signal.SIGKILL)

    events = []
    training = make(client, 4200, events.append, kill)
    training.run()
    assert 0 < told[0] < 400
    lost = [e for e in events if e.kind == "lost"]
    assert [(e.node, e.round) for e in lost] == [("doomed", 1)]
    in_round_1 = {r.node: r.steps for r in training.copies if r.round == 1}
    assert set(in_round_1) == {"fast", "slow"}
    assert training.tracker.done("slope") == 4200
    assert sum(record.steps for record in training.copies) == 4200
    assert len({(r.round, r.node) for r in training.copies}) == len(training.copies)
    assert in_round_1["fast"] > in_round_1["slow"]


def test_all_workers_gone_stops_with_a_checkpoint_that_goes_on(tmp_path):
    from hadaropt.forking.training.engines.dask import workers_of
    from hadaropt.forking.training.engines.local_cluster import local_cluster

    with local_cluster({"only": 1.0}) as client:

        def observe(event):
            if (event.kind, event.round) == ("started", 1):
                client.retire_workers(list(workers_of(client)), close_workers=True)

        training = make(client, 2800, observe, folder=tmp_path, options=Options(patience=0.5))
        with pytest.raises(TrainingStoppedError, match="no worker is left"):
            training.run()
    checkpoint = load_checkpoint(tmp_path)
    assert checkpoint.tracker.done("slope") == 1400
    with local_cluster({"other": 1.0}) as client:
        again = make(client, 2800, checkpoint=checkpoint, folder=tmp_path)
        again.run()
    assert again.tracker.done("slope") == sum(r.steps for r in again.copies) == 2800
    assert {r.node for r in again.copies if r.round > 0} == {"other"}
