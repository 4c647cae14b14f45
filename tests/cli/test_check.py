import gzip
import json

import pytest

from hadaropt import instance_sha256, write_instance, write_schedule
from hadaropt.io import schedule_to_document

from .conftest import SMALL_OPTIMUM, make_instance, optimal_schedule


@pytest.fixture
def schedule_document(instance):
    return schedule_to_document(instance, optimal_schedule())


def write(path, document):
    path.write_text(json.dumps(document))
    return path


def test_a_feasible_schedule_is_a_yes(run, instance, instance_file, tmp_path):
    file = tmp_path / "schedule.json.gz"
    write_schedule(optimal_schedule(), file, instance)
    answer = run("check", instance_file, file, "--json")
    assert answer.code == 0
    assert answer.err == ""
    document = answer.document
    assert document["feasible"] is True
    assert document["value"] == str(SMALL_OPTIMUM)
    assert document["exit_code"] == 0
    assert document["instance"]["sha256"] == instance_sha256(instance)
    assert [job["completion"] for job in document["jobs"]] == [2, 3, None]
    assert [job["flow_time"] for job in document["jobs"]] == [3, 3, None]
    assert document["jobs"][2]["unschedulable"].startswith("its gang of 8 exceeds")


def test_people_read_aligned_lines_with_the_reason(run, instance, instance_file, tmp_path):
    file = tmp_path / "schedule.json"
    write_schedule(optimal_schedule(), file, instance)
    answer = run("check", instance_file, file)
    assert answer.code == 0
    assert "value      126.5 (253/2)\n" in answer.out
    assert "completed  2 of 3 jobs\n" in answer.out
    assert "unschedulable: its gang of 8 exceeds" in answer.out


def test_an_infeasible_schedule_is_a_valid_no(run, instance_file, schedule_document, tmp_path):
    schedule_document["jobs"][1]["rounds"][0]["gpus"] = {"n0": {"V100": 2}}
    file = write(tmp_path / "schedule.json", schedule_document)
    answer = run("check", instance_file, file, "--json")
    assert answer.code == 1
    document = answer.document
    assert document["feasible"] is False
    error = document["error"]
    assert (error["kind"], error["round"], error["node"]) == ("ScheduleError", 1, "n0")
    assert "must not exceed the capacity of 2 GPUs" in error["message"]
    people = run("check", instance_file, file)
    assert people.code == 1
    assert people.out.startswith("infeasible  job ")


def test_a_wrong_claim_is_a_valid_no(run, instance_file, schedule_document, tmp_path):
    schedule_document["objective"] = "127"
    answer = run("check", instance_file, write(tmp_path / "s.json", schedule_document), "--json")
    assert answer.code == 1
    assert answer.document["error"]["path"] == "objective"


def test_a_malformed_schedule_is_a_bad_file(run, instance_file, schedule_document, tmp_path):
    schedule_document["jobs"][0]["rounds"][0]["gpus"] = {"n9": {"V100": 2}}
    answer = run("check", instance_file, write(tmp_path / "s.json", schedule_document), "--json")
    assert answer.code == 4
    assert answer.document["error"]["path"] == "jobs[0].rounds[0].gpus.n9"
    assert answer.document["exit_code"] == 4


def test_the_schedule_of_another_instance_is_a_bad_file(run, schedule_document, tmp_path):
    other = tmp_path / "other.json"
    write_instance(make_instance(num_rounds=7), other)
    answer = run("check", other, write(tmp_path / "s.json", schedule_document))
    assert answer.code == 4
    assert answer.err.startswith(f"hadaropt: error: {tmp_path / 's.json'}: instance_sha256 = ")
    assert answer.out == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"format": "hadaropt-instance/1",\n "name": }', "line 2, column 10"),
        (b'{"format": "hadaropt-instance/2"}', "version 2"),
        (b"\xff", "must be UTF-8"),
        (gzip.compress(b"{}", mtime=0), "is a gzip file; unpack it"),
        (b'{"format": "hadaropt-instance/1", "num_rounds": NaN}', "NaN"),
        (b"[]", "must be a JSON object"),
    ],
)
def test_a_malformed_instance_is_a_bad_file(run, tmp_path, content, said):
    file = tmp_path / "bad.json"
    file.write_bytes(content)
    answer = run("check", file, tmp_path / "schedule.json", "--json")
    assert answer.code == 4
    assert said in answer.document["error"]["message"]
    assert said in answer.err
    assert len(answer.err.splitlines()) == 1


def test_a_missing_file_is_named(run, tmp_path):
    answer = run("check", tmp_path / "absent.json", tmp_path / "schedule.json", "--json")
    assert answer.code == 4
    assert answer.document["error"]["path"] == str(tmp_path / "absent.json")


def test_a_folder_is_a_bad_file(run, tmp_path):
    answer = run("check", tmp_path, tmp_path)
    assert answer.code == 4
    assert str(tmp_path) in answer.err


def test_parallelism_may_be_overridden(run, instance, instance_file, tmp_path):
    file = tmp_path / "schedule.json"
    forked = instance.with_parallelism("forked")
    write_schedule(optimal_schedule(), file, forked)
    assert run("check", instance_file, file).code == 4
    answer = run("check", instance_file, file, "--parallelism", "forked", "--json")
    assert answer.code == 0
    assert answer.document["instance"]["parallelism"] == "forked"


def test_control_characters_of_a_file_do_not_reach_the_terminal(run, instance_file, tmp_path):
    document = json.loads(instance_file.read_text())
    document["jobs"][0]["name"] = "\x1b[31m\nred"
    file = write(tmp_path / "odd.json", document)
    empty = {
        "format": "hadaropt-schedule/1",
        "instance_sha256": "0",
        "objective": "0",
        "jobs": [],
    }
    schedule = write(tmp_path / "empty.json", empty)
    sha = run("check", file, schedule, "--json").document["error"]["rule"].split()[2].strip(",")
    answer = run("check", file, write(schedule, empty | {"instance_sha256": sha}))
    assert answer.code == 0
    assert "\x1b" not in answer.out
    assert "\\x1b[31m\\nred" in answer.out
