"""Microsoft ITP, and the workloads that ElasticFlow made from it."""

from __future__ import annotations

import pytest

from tests.traces.written import read_written

ITP = "job_id,submission_time,duration,num_gpu\n"
ELASTICFLOW = (
    "job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration\n"
)
PHILLY = (
    "job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,"
    "duration,iteration\n"
)


def test_itp_has_times_and_gpus_alone(tmp_path):
    trace = read_written(tmp_path, ITP + "a,10,2.5,4\nb,7,1,1\n")
    assert (trace.format, trace.origin_seconds, trace.calendar) == ("itp", 7, None)
    b, a = trace.jobs
    assert (a.name, a.submit_seconds, a.num_gpus, a.duration_seconds) == ("a", 3, 4, 2.5)
    assert (b.model, b.iterations, b.gpu_type, b.status) == (None, None, None, "UNKNOWN")


def test_elasticflow_has_models_with_their_batch(tmp_path):
    trace = read_written(tmp_path, ELASTICFLOW + "a,0,500,resnet50,99,64,2,30\n")
    (job,) = trace.jobs
    assert (trace.format, job.iterations, job.model) == (
        "elasticflow",
        500,
        "resnet50 (batch size 64)",
    )
    assert any("drawn at random" in rule for rule in trace.conventions)


def test_the_real_figures_are_taken_from_the_philly_form(tmp_path):
    trace = read_written(tmp_path, PHILLY + "a,0,500,vgg16,99,32,2,30,9999,1\n")
    (job,) = trace.jobs
    assert trace.format == "elasticflow-philly"
    assert (job.iterations, job.duration_seconds, job.model) == (500, 30, "vgg16 (batch size 32)")


@pytest.mark.parametrize(("model", "batch", "name"), [("", "64", None), ("bert", "", "bert")])
def test_a_model_without_its_batch_keeps_its_own_name(tmp_path, model, batch, name):
    trace = read_written(tmp_path, ELASTICFLOW + f"a,0,5,{model},9,{batch},1,30\n")
    assert trace.jobs[0].model == name


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a,,5,m,9,8,1,30", "submit time missing or NaN"),
        ("a,0,0,m,9,8,1,30", "iterations missing or below 1"),
        ("a,0,5,m,9,8,1.5,30", "fractional number of GPUs"),
        ("a,0,5,m,9,8,1,0", "zero duration"),
        (",0,5,m,9,8,1,30", "job id missing"),
    ],
)
def test_every_fault_has_its_reason(tmp_path, row, reason):
    assert dict(read_written(tmp_path, f"{ELASTICFLOW}{row}\n").dropped) == {reason: 1}
