"""Problems of shares, recorded and drawn, and what every answer keeps."""

import numpy as np
from hypothesis import strategies as st

from hadaropt.simulate.shares.model import ShareProblem
from hadaropt.simulate.shares.programs import (
    finish_time_fairness,
    max_min_fairness,
    max_sum_throughput,
    min_total_duration,
)

PROGRAMS = {
    "max_min_fairness_perf": (max_min_fairness, "exact_objective"),
    "max_sum_throughput_perf": (max_sum_throughput, "exact_objective"),
    "min_total_duration_perf": (min_total_duration, "exact_T_s"),
    "finish_time_fairness_perf": (finish_time_fairness, "exact_objective"),
}


def problem_of(snapshot):
    jobs, types = snapshot["jobs"], snapshot["worker_types_order"]

    def column(name):
        return np.array([job[name] for job in jobs], float)

    return ShareProblem(
        np.array([snapshot["cluster"][kind] for kind in types], float),
        column("scale_factor"),
        np.array([[job["throughput"][kind] for kind in types] for job in jobs]),
        column("priority_weight"),
        column("steps_remaining"),
        column("time_since_start_s"),
        np.zeros(len(jobs)),
    )


def make(counts, speed, **changes):
    speed = np.array(speed, float)
    ones = np.ones(len(speed))
    fields = {
        "counts": np.array(counts, float),
        "gang": ones,
        "speed": speed,
        "weight": ones,
        "remaining": ones,
        "age": 0 * ones,
        "isolated_seconds": 0 * ones,
    }
    return ShareProblem(**fields | {k: np.array(v, float) for k, v in changes.items()})


def assert_feasible(problem, x):
    assert x.min() >= 0
    assert (problem.gang @ x <= problem.counts + 1e-7).all()
    assert (x.sum(axis=1) <= 1 + 1e-7).all()


@st.composite
def share_problems(draw):
    types, jobs = draw(st.integers(1, 3)), draw(st.integers(1, 8))
    counts = draw(st.lists(st.integers(0, 4), min_size=types, max_size=types).filter(any))
    entry = st.sampled_from([0, 0.25, 1, 1.5, 2, 40])
    rows = [
        draw(
            st.lists(entry, min_size=types, max_size=types).filter(
                lambda row: any(x * n for x, n in zip(row, counts, strict=True))
            )
        )
        for _ in range(jobs)
    ]
    there = np.array(counts) > 0
    return make(
        counts,
        np.array(rows) * there,
        gang=[draw(st.integers(1, 4)) for _ in range(jobs)],
        remaining=[draw(st.integers(1, 100)) for _ in range(jobs)],
        age=[draw(st.integers(0, 50)) for _ in range(jobs)],
    )
