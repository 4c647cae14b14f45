"""Acme's clusters."""

from __future__ import annotations

from pathlib import Path

from tests.traces.written import read_written


def test_acme_clocks_and_running_time(tmp_path: Path) -> None:
    header = (
        "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,"
        "duration,queue,gpu_time\n"
    )
    times = "2023-03-01 00:00:00+08:00,2023-03-01 00:01:00+08:00,2023-03-01 00:03:00+08:00"
    trace = read_written(tmp_path, header + f"a,u,1,8,1,T,FAILED,{times},999,0,0\n")
    assert trace.jobs[0].duration_seconds == 120
    assert trace.origin_seconds % 86400 == 0
    utc = times.replace("+08:00", "+00:00")
    trace = read_written(tmp_path, header + f"a,u,1,8,1,T,FAILED,{utc},999,0,0\n")
    assert trace.origin_seconds % 86400 == 8 * 3600
