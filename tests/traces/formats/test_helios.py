"""SenseTime's Helios."""

from __future__ import annotations

from pathlib import Path

from tests.traces.written import read_written

HELIOS = (
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
)


def test_an_end_before_the_start_is_not_hidden_by_a_duration(tmp_path: Path) -> None:
    row = "1,u,v,4,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 02:00:00,2020-04-01 01:00:00,60,0\n"
    assert dict(read_written(tmp_path, HELIOS + row).dropped) == {"negative duration": 1}


def test_gpus_are_judged_before_start_and_end(tmp_path: Path) -> None:
    row = "1,u,v,-4,4,1,COMPLETED,2020-04-01 00:00:00,,,60,0\n"
    assert dict(read_written(tmp_path, HELIOS + row).dropped) == {"negative number of GPUs": 1}
