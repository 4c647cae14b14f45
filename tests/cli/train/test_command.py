"""``hadaropt train`` on real worker processes."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra 'train' is not installed")
pytest.importorskip("sklearn", reason="the extra 'train' is not installed")
pytestmark = pytest.mark.train
ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name --demo, --dask or --resume"),
        (("--demo", "--dask", "tcp://127.0.0.1:1"), "--demo: starts a cluster of its own"),
        (("--demo", "--tasks", "digits,x"), "--tasks x: must be one of digits, diabetes"),
        (("--demo", "--steps", 0), "--steps 0: must be an integer >= 1"),
        (("--demo", "--copies", 0), "--copies 0: must be an integer >= 1"),
        (("--demo", "--round-steps", -1), "--round-steps -1: must be an integer >= 1"),
        (("--demo", "--round-seconds", 0), "--round-seconds 0.0: must be finite and > 0"),
        (("--demo", "--patience-seconds", -1), "--patience-seconds -1.0: must be a finite number"),
        (("--resume", "x", "--steps", 5), "--steps 5: is not for --resume"),
        (("--dask", "nonsense://x"), "--dask nonsense://x: cannot be reached"),
    ],
)
def test_usage(run, arguments, message):
    answer = run("train", *arguments)
    assert answer.code == 2
    assert message in answer.err


def test_resume_needs_a_checkpoint(run, tmp_path):
    assert run("train", "--resume", tmp_path).code == 4
    (tmp_path / "checkpoint.npz").write_bytes(b"PK")
    answer = run("train", "--resume", tmp_path, "--json")
    assert answer.code == 4
    assert answer.document["error"]["path"] == "checkpoint.npz"
    assert "is not a whole checkpoint" in answer.document["error"]["rule"]
    assert run("train", "--demo", "-o", tmp_path).code == 2


@pytest.fixture(scope="module")
def client():
    from hadaropt.forking.training.engines.local_cluster import local_cluster

    with local_cluster({"a": 1.0, "b": 1.0}) as own:
        yield own


def test_a_demo_interrupted_in_the_middle_and_resumed_on_another_cluster(run, client, tmp_path):
    folder = tmp_path / "out"
    options = ("--tasks", "digits", "--steps", "1500", "--round-steps", "500")
    command = (sys.executable, "-m", "hadaropt", "train", "--demo", *options, "--json")
    process = subprocess.Popen(
        (*command, "-o", folder),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    told = []
    for line in process.stderr:
        told.append(line)
        if line.startswith("digits: rounds done 1,"):
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it too
            break
    out, err = process.communicate()
    assert process.returncode == 130, (told, err)
    assert "Traceback" not in err
    document = json.loads(out)
    (job,) = document["jobs"]
    assert (document["complete"], document["stopped"]) == (False, "interrupted")
    assert 500 <= job["done"] < 1500
    assert (folder / "checkpoint.npz").exists()

    answer = run("train", "--resume", folder, "--dask", client.scheduler.address, "--json")
    assert answer.code == 0, answer.err
    (again,) = answer.document["jobs"]
    assert (again["done"], again["steps"]) == (1500, 1500)
    assert again["score"] > again["first_score"] == job["first_score"]
    assert sum(facts["steps"] for facts in answer.document["nodes"].values()) == 1500
    with (folder / "copies.csv").open() as file:
        assert sum(int(row["steps"]) for row in csv.DictReader(file)) == 1500
    with (folder / "curves.csv").open() as file:
        assert [int(row["steps"]) for row in csv.DictReader(file)][-1] == 1500


def test_an_existing_cluster_and_one_without_workers(run, client, tmp_path):
    from hadaropt.forking.training.engines.dask import workers_of

    options = ("--tasks", "cancer", "--steps", 300, "--round-steps", 100)
    address = client.scheduler.address
    answer = run("train", "--dask", address, *options, "--copies", 3)
    assert (answer.code, "--copies 3: must be <= 2, the workers" in answer.err) == (2, True)
    answer = run("train", "--dask", address, *options, "--json", "-o", tmp_path / "a")
    assert answer.code == 0, answer.err
    assert set(answer.document["nodes"]) == {"a", "b"}
    assert answer.document["jobs"][0]["done"] == 300
    client.retire_workers(list(workers_of(client)), close_workers=True)
    answer = run(
        "train", "--dask", address, *options, "--patience-seconds", 0.2, "-o", tmp_path / "b"
    )
    assert answer.code == 3
    assert "no worker is left (waited 0.2 s)" in answer.out
    assert (
        f"{tmp_path / 'b' / 'checkpoint.npz'} keeps the steps done (cancer 0 of 300)" in answer.out
    )
    assert (tmp_path / "b" / "checkpoint.npz").exists()
