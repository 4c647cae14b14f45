"""Gavel's reference on traces of a few rows."""

import gzip

import pytest

from hadaropt.simulate.schedulers.gavel_reference import simulate_gavel_reference

HEADER = "job_id,arrival_s,job_type,scale_factor,total_steps,priority_weight,v100_duration_s\n"
SPEEDS = (
    "job_type,scale_factor,worker_type,consolidated,steps_per_s\n"
    "M,1,v100,1,10\nM,1,k80,1,2.5\nM,2,v100,1,16\nM,2,k80,1,0\n"
)


@pytest.fixture
def tiny(tmp_path):
    """Return a run of rows of a trace under recorded shares, or solved where they are None."""
    speeds = tmp_path / "throughputs.csv"
    speeds.write_text(SPEEDS)

    def run(rows, shares, counts, policy="max_min_fairness_perf", **options):
        trace, allocations = tmp_path / "trace.csv", tmp_path / "allocations.csv.gz"
        trace.write_text(HEADER + rows)
        if shares is None:
            allocations = None
        else:
            with gzip.open(allocations, "wt") as file:
                file.write("time_s,job_id,v100,p100,k80\n" + shares)
        return simulate_gavel_reference(
            trace, speeds, counts, policy, round_seconds=100, replay=allocations, **options
        )

    return run
