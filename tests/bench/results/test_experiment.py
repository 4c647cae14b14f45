"""Experiments: checked before they run, kept in a folder, completed and run again."""

from __future__ import annotations

import json

import pytest

from hadaropt.bench.results.experiment import experiment, experiment_names, find_experiment
from hadaropt.errors import InstanceError


def test_those_that_come_with_hadaropt_are_sound():
    names = experiment_names()
    assert {"default", "misinformation", "load", "utility", "horizon", "ablation"} <= set(names)
    for name in names:
        found = find_experiment(name, {"seeds": 1})
        assert found.suites
        assert found.document["title"]
        assert experiment(json.loads(found.definition)) == found


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "ration"}, 'did you mean "ratio"'),
        ({"polices": []}, 'did you mean "policies"'),
        ({"policies": ["fifoo"]}, 'did you mean "fifo"'),
        ({"policies": []}, "selects nothing"),
        ({"policies": "fifo"}, "must be a list of names"),
        ({"policies": ["random[sed=1]"]}, 'did you mean "seed"'),
        ({"policies": ["random[seed=1"]}, "must be NAME or NAME"),
        (
            {"policies": ["fifo", "rolling_horizon", "rolling_horizon[time_limit=1]"]},
            "like another",
        ),
        ({"policies": ["fifo", "primal_dual:step[U=0]"]}, "must be > 0"),
        ({"families": ["gavel"]}, 'did you mean "gavel_like"'),
        ({"parallelism": ["fork"]}, 'did you mean "forked"'),
        ({"policies": ["fifo"], "baseline": "random"}, "baseline = .* must be one of fifo"),
        ({"seeds": 0}, "must be an integer >= 1"),
        ({"jobs": 1.5}, "must be an integer >= 1"),
        ({"time_limit": 0}, "must be a number > 0"),
        ({"vary": {"load": "0.7"}}, "vary.load = .* must be a list"),
        ({"vary": {"rounds": [0]}}, "vary.rounds = 0"),
        ({"vary": 3}, "must be a table"),
        ({"kind": "schedulers", "schedulers": ["tiresas"]}, 'did you mean "tiresias"'),
        ({"kind": "schedulers", "families": ["six_class"]}, "must be one of gavel_like"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(change, said):
    with pytest.raises(InstanceError, match=said):
        experiment(change)


def test_a_folder_of_the_name_of_an_experiment_does_not_hide_it(tmp_path, monkeypatch):
    """`bench run load --out load`, given again to complete it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "load").mkdir()
    assert find_experiment("load", {"seeds": 1}).kind == "ratio"


@pytest.mark.parametrize(
    ("kind", "names"),
    [("policies", ["fifo[iterations=2]", "random"]), ("schedulers", ["hadar", "yarn"])],
)
def test_itself_needs_something_to_compare(kind, names):
    document = {"kind": "ratio" if kind == "policies" else "schedulers", kind: names}
    with pytest.raises(InstanceError, match=f"needs one of {kind} with parameters"):
        experiment({**document, "baseline": "itself"})
