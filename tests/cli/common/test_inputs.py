"""Inputs of commands: errors name the file, and answers their instance."""

from __future__ import annotations

import pytest

from hadaropt import certify, instance_sha256, write_schedule
from hadaropt.certificates import write_certificate
from hadaropt.cli.common.inputs import (
    instance_facts,
    load_certificate,
    load_instance,
    load_schedule,
    reading,
    unschedulable_jobs,
)
from hadaropt.errors import InstanceError, ScheduleError
from tests.cli.conftest import make_instance, optimal_schedule


def test_an_instance_is_read_under_the_model_that_is_named(instance, instance_file):
    assert load_instance(instance_file, None) == instance
    assert load_instance(instance_file, "forked") == instance.with_parallelism("forked")


def test_an_error_inside_a_file_names_it(tmp_path):
    file = tmp_path / "bad.json"
    file.write_text('{"format": "hadaropt-instance/1"}')
    with pytest.raises(InstanceError) as bad:
        load_instance(file, None)
    assert bad.value.file == str(file)
    with pytest.raises(ZeroDivisionError), reading(file):
        raise ZeroDivisionError  # which has no place in a file


def test_schedules_and_certificates_are_those_of_the_instance(instance, tmp_path):
    schedule, proof = tmp_path / "s.json", tmp_path / "c.json"
    write_schedule(optimal_schedule(), schedule, instance)
    assert load_schedule(schedule, instance).jobs == optimal_schedule().jobs
    made = certify(instance, None, schedule=optimal_schedule())
    write_certificate(made, proof, instance)
    read = load_certificate(proof, instance)
    assert (read.level, read.value) == (made.level, made.value)
    with pytest.raises(ScheduleError) as bad:
        load_schedule(schedule, make_instance(num_rounds=7))
    assert bad.value.file == str(schedule) and "instance_sha256" in str(bad.value)


def test_what_an_answer_says_of_its_instance(instance):
    assert instance_facts(instance) == {
        "name": "small",
        "sha256": instance_sha256(instance),
        "parallelism": "mixed",
        "jobs": 3,
        "rounds": 6,
    }
    ((never),) = unschedulable_jobs(instance)
    assert never["name"] == "c" and "gang" in never["reason"]
