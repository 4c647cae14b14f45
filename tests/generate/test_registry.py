"""What cannot be generated is refused, by name."""

from __future__ import annotations

import pytest

from hadaropt.errors import InstanceError
from hadaropt.generate import FAMILIES, generate, generate_workload

BAD = [
    ("small-unifrom", {}, "family", 'did you mean "small_uniform"'),
    ("", {}, "family", "must be one of"),
    (None, {}, "family", "must be one of"),
    ("six_class", {"num_jobs": -1}, "num_jobs", "must be >= 0"),
    ("six_class", {"num_jobs": 2.5}, "num_jobs", "must be an integer"),
    ("six_class", {"num_rounds": 0}, "num_rounds", "must be >= 1"),
    ("six_class", {"seed": -1}, "seed", "must be >= 0"),
    ("six_class", {"seed": 2**64}, "seed", "must be <="),
    ("six_class", {"seed": True}, "seed", "must be a number"),
    ("six_class", {"load": 0}, "load", "must be > 0"),
    ("six_class", {"load": float("nan")}, "load", "must be finite"),
    ("six_class", {"load": 100}, "load", "must be <="),
    ("six_class", {"parallelism": "fork"}, "parallelism", "must be one of"),
    ("six_class", {"gpu_per_node": 4}, "gpu_per_node", 'did you mean "gpus_per_node"'),
    ("six_class", {"gpus_per_node": 0}, "gpus_per_node", "must be >= 1"),
    ("six_class", {"gang_sizes": "1,3"}, "gang_sizes[1]", "must be one of 1, 2, 4, 8"),
    ("six_class", {"gang_sizes": ()}, "gang_sizes", "must not be empty"),
    ("six_class", {"utilities": "linear,stepp"}, "utilities[1]", "must be one of"),
    ("six_class", {"utilities": 3}, "utilities", "must be a list of names"),
    ("six_class", {"spread_factor": 0}, "spread_factor", "must be > 0"),
    ("six_class", {"consolidation_seconds": -1}, "consolidation_seconds", "must be >= 0"),
    ("overloaded_tight", {"load": "1.3"}, "load", "must be > 1.3"),
    ("overloaded_tight", {"largest_gang": 1}, "largest_gang", "must be >= 2"),
    ("small_uniform", {"zero_percent": 101}, "zero_percent", "must be <= 100"),
    ("adversarial_price", {"load": 1}, "load", "is not a parameter"),
    ("adversarial_price", {"gpus": 1}, "gpus", "must be >= 2"),
    ("adversarial_price", {"value_ratio": 1}, "value_ratio", "must be >= 2"),
    ("adversarial_price", {"traps": "trap"}, "traps[0]", "must be one of"),
    ("gavel_like", {"cluster": "A100=2x4"}, "cluster.accelerators[0]", "must be a measured type"),
    ("gavel_like", {"cluster": 3}, "cluster", "must be a Cluster"),
    ("gavel_like", {"longest_hours": 0}, "longest_hours", "must be > 0"),
    ("philly_like", {"round_seconds": 0}, "round_seconds", "must be > 0"),
    ("philly_like", {"round_seconds": 60, "num_rounds": 5, "load": 1}, "load", "cannot be met"),
]

TRACED = ("gavel_like", "philly_like")


@pytest.mark.parametrize(("family", "given", "path", "rule"), BAD)
def test_errors_name_place_and_rule(family, given, path, rule):
    with pytest.raises(InstanceError) as refused:
        generate(family, **{"seed": 0} | given)
    assert refused.value.path == path
    assert rule in str(refused.value)


def test_hyphens_are_underscores():
    assert generate("six-class", seed=4) == generate("six_class", seed=4)


def test_workloads_need_arrivals_in_seconds():
    with pytest.raises(InstanceError, match=r"has no arrivals in seconds \(gavel_like, philly_l"):
        generate_workload("six_class", seed=0)
    with pytest.raises(InstanceError, match='did you mean "longest_hours"'):
        generate_workload("gavel_like", seed=0, longest_hour=3)
    with pytest.raises(InstanceError, match="round_seconds"):
        generate_workload("gavel_like", seed=0, round_seconds=360)
    with pytest.raises(InstanceError, match="num_jobs = -3, must be >= 0"):
        generate_workload("gavel_like", seed=0, num_jobs=-3)


def test_every_family_names_its_parameters_and_their_defaults():
    for family in FAMILIES.values():
        assert "consolidation_seconds" in family.parameters
    longest = {name: FAMILIES[name].parameters["longest_hours"] for name in TRACED}
    assert longest == {"gavel_like": None, "philly_like": 24}
