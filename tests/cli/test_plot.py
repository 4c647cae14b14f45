import json

import pytest

from hadaropt import write_instance, write_schedule
from hadaropt.offline import solve as solving
from tests.interrupting import cut_short

from .conftest import make_instance, optimal_schedule

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
SIGNATURES = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


@pytest.fixture
def schedule_file(tmp_path, instance):
    path = tmp_path / "schedule.json"
    write_schedule(optimal_schedule(), path, instance)
    return path


@pytest.mark.parametrize("suffix", SIGNATURES)
def test_gantt_writes_a_picture(run, instance_file, schedule_file, tmp_path, suffix):
    picture = tmp_path / f"gantt{suffix}"
    answer = run("plot", "gantt", instance_file, schedule_file, "-o", picture, "--json")
    assert answer.code == 0, answer.err
    assert answer.document["files"] == {"picture": str(picture)}
    assert picture.read_bytes().startswith(SIGNATURES[suffix])


def test_gantt_refuses_an_infeasible_schedule(run, instance, instance_file, tmp_path):
    path, picture = tmp_path / "bad.json", tmp_path / "gantt.png"
    write_schedule(optimal_schedule(), path, instance)
    document = json.loads(path.read_text())
    document["jobs"][1]["rounds"] = document["jobs"][0]["rounds"]
    path.write_text(json.dumps(document))
    answer = run("plot", "gantt", instance_file, path, "-o", picture, "--json")
    assert answer.code == 1
    assert (answer.document["error"]["job"], answer.document["error"]["round"]) == ("b", 0)
    assert not picture.exists()


@pytest.mark.parametrize("price", ["zero_start", "telescoped"])
def test_trajectories_writes_a_picture(run, instance_file, tmp_path, price):
    picture = tmp_path / "run.png"
    options = ("--price", price, "-o", picture)
    assert run("plot", "trajectories", instance_file, *options).code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_anytime_writes_a_picture(run, instance_file, tmp_path):
    picture = tmp_path / "run.svg"
    assert run("plot", "anytime", instance_file, "-o", picture, "--time-limit", "600").code == 0
    assert "proven bound" in picture.read_text()


@pytest.mark.parametrize(
    ("name", "rule"),
    [("run.jpg", "must end in"), ("run", "must end in"), ("absent/run.png", "there is no folder")],
)
def test_pictures_that_cannot_be_written_are_usage_errors(run, instance_file, tmp_path, name, rule):
    answer = run("plot", "trajectories", instance_file, "-o", tmp_path / name)
    assert answer.code == 2
    assert rule in answer.err


def test_a_pool_that_the_prices_cannot_have_is_a_usage_error(run, tmp_path):
    path = tmp_path / "forked.json"
    write_instance(make_instance(parallelism="forked"), path)
    options = ("--price", "last_unit", "--pool", "type", "-o", tmp_path / "run.png")
    answer = run("plot", "trajectories", path, *options)
    assert answer.code == 2
    assert '--pool = "type", must be node' in answer.err


def test_ctrl_c_draws_what_is_known(run, instance_file, tmp_path, monkeypatch):
    cut_short(monkeypatch, solving, "solve")
    answer = run("plot", "anytime", instance_file, "-o", tmp_path / "run.svg", "--json")
    assert answer.code == answer.document["exit_code"] == 130
    assert (tmp_path / "run.svg").is_file()
