"""Alibaba's openb."""

from __future__ import annotations

from pathlib import Path

from tests.traces.written import read_written

OPENB = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n"
)


def test_openb_running_time_excludes_waiting(tmp_path: Path) -> None:
    rows = "p,1,1,2,1000,V100M16|V100M32,LS,Running,10,100,40\nq,1,1,1,999,,LS,Failed,10,100,40\n"
    trace = read_written(tmp_path, OPENB + rows)
    job = trace.jobs[0]
    assert (job.num_gpus, job.duration_seconds) == (2, 60)
    assert (job.gpu_type, job.status) == ("V100M16|V100M32", "Running")
    assert dict(trace.dropped) == {"fractional number of GPUs": 1}


OPENB = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n"
)


def test_shares_that_add_up_to_whole_gpus_are_fractional_requests(tmp_path: Path) -> None:
    rows = (
        "p1,1,1,1,500,,LS,Ok,1,100,1\np2,1,1,4,250,,LS,Ok,2,100,2\np3,1,1,2,1000,,LS,Ok,3,100,3\n"
    )
    trace = read_written(tmp_path, OPENB + rows)
    assert [(job.name, job.num_gpus) for job in trace.jobs] == [("p3", 2)]
    assert dict(trace.dropped) == {"fractional number of GPUs": 2}
