"""Gavel's reference as a whole: recorded runs, and what is refused."""

import pytest

from benchmarks.paper.gavel_validation import differences, recorded_runs, replayed
from hadaropt.errors import InstanceError


def test_recorded_runs_are_reproduced_exactly(gavel_data):
    small = [run for run in recorded_runs(gavel_data) if int(run["rounds"]) <= 120]
    assert len(small) >= 60
    found = {
        run["tag"]: list(differences(gavel_data, run, replayed(gavel_data, run))) for run in small
    }
    assert found == {run["tag"]: [] for run in small}


def test_blind_policies_are_solved(tiny, tmp_path):
    """Two equal jobs on a fast and a slow GPU: no policy that takes speeds to be 1 tells them."""
    for policy in ("finish_time_fairness", "min_total_duration"):
        run = tiny("0,0,M,1,1000,1,100\n1,0,M,1,1000,1,100\n", None, {"v100": 1, "k80": 1}, policy)
        assert len(run.finish) == 2, policy


def test_the_comparison_sees_another_run(gavel_data):
    runs = {run["tag"]: run for run in recorded_runs(gavel_data)}
    run = runs["small_test__2-2-2__r360__max_min_fairness_perf__ECOS"]
    other = runs["small_test__2-2-2__r360__isolated__ECOS"]
    found = list(differences(gavel_data, run, replayed(gavel_data, other)))
    assert "picks are not recorded" in found[0]
    assert any(line.startswith("makespan_s") for line in found)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"A100": 1}, r"cluster\.A100, is no type"),
        ({"v100": -1}, r"cluster\.v100 = -1, must be >= 0"),
        ({"v100": 1, "V100": 1}, "stands twice"),
        ({"v100": 0}, "must have a GPU"),
    ],
)
def test_bad_clusters_are_named(tiny, counts, message):
    with pytest.raises(InstanceError, match=message):
        tiny("0,0,M,1,1500,1,150\n", "0,0,1,,\n", counts)
