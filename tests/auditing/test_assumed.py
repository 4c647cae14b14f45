"""What an audit assumes of jobs on other types, and how it refuses what it cannot assume."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hadaropt.auditing.assumed import by_factors, by_table
from hadaropt.auditing.log import Log, make_log
from hadaropt.errors import InstanceError
from hadaropt.instance import Cluster
from hadaropt.traces import Trace, TraceJob
from hadaropt.traces.throughputs import ThroughputTable

SPEEDS = ThroughputTable(
    [
        ("vision", 1, "V100", Fraction(10)),
        ("vision", 1, "K80", Fraction(2)),
        ("vision", 2, "V100", Fraction(18)),
        ("vision", 2, "K80", Fraction(3)),
        ("text", 1, "V100", Fraction(8)),
        ("text", 1, "K80", Fraction(4)),
        ("large", 1, "V100", Fraction(5)),
        ("large", 1, "K80", Fraction(0)),
        ("wide", 4, "V100", Fraction(5)),
    ]
)


def log(*jobs: tuple[str | None, int, str], cluster: str = "V100=1x4,K80=1x4") -> Log:
    """Return a log of jobs (model, GPUs, type) of 10 s each, one after another."""
    traced = tuple(
        TraceJob(
            f"j{i}", Fraction(0), gpus, Fraction(10), kind, model=model,
            attempts=((Fraction(10 * i), Fraction(10 * i + 10)),),
        )
        for i, (model, gpus, kind) in enumerate(jobs)
    )  # fmt: skip
    return make_log(Trace("columns", "ours.csv", traced, {}, len(traced)), Cluster.parse(cluster))


def test_a_job_is_as_fast_elsewhere_as_the_table_says_of_its_model_and_gang() -> None:
    found = by_table(log(("vision", 1, "V100"), ("vision", 2, "K80"), ("text", 1, "k80")), SPEEDS)
    assert [dict(own) for own in found.ratios] == [
        {"V100": 1, "K80": Fraction(1, 5)},
        {"V100": 6, "K80": 1},
        {"V100": 2, "K80": 1},
    ]
    assert (found.models, found.notes) == ({"vision": 2, "text": 1}, ())
    assert found.text.endswith("(as the log names them)")


def test_gangs_that_were_not_measured_take_the_ratios_of_one_gpu_and_this_is_said() -> None:
    found = by_table(log(("vision", 4, "V100"), ("text", 3, "V100")), SPEEDS)
    assert [own["K80"] for own in found.ratios] == [Fraction(1, 5), Fraction(1, 2)]
    assert "The gangs of 3, 4 GPUs (2 jobs) were not measured" in found.notes[0]


def test_a_model_that_cannot_run_on_a_type_has_no_speed_there() -> None:
    assert dict(by_table(log(("large", 1, "V100")), SPEEDS).ratios[0]) == {"V100": 1}


def test_a_type_of_the_cluster_without_speeds_is_said() -> None:
    found = by_table(log(("text", 1, "V100"), cluster="V100=4,T4=2"), SPEEDS, name="our table")
    assert found.notes == ("our table has no speeds on T4: there nobody runs.",)


def test_models_that_are_not_named_are_assumed_and_this_is_said() -> None:
    mixed = log(("text", 1, "V100"), (None, 1, "K80"), ("alien", 2, "V100"))
    found = by_table(mixed, SPEEDS, model="vision")
    assert found.models == {"text": 1, "vision": 2}
    assert "1 job as the log names them, 2 taken to be vision" in found.text
    assert found.notes == ("Models of the log that the table does not have: alien.",)
    drawn = by_table(mixed, SPEEDS, model="drawn", seed=5)
    assert drawn == by_table(mixed, SPEEDS, model="drawn", seed=5)
    assert "2 drawn at seed 5" in drawn.text
    assert "large" not in drawn.models  # it cannot run on the K80, and was not measured on two
    everywhere = [by_table(log((None, 1, "K80")), SPEEDS, model="drawn", seed=s) for s in range(20)]
    assert {model for own in everywhere for model in own.models} == {"text", "vision"}


@pytest.mark.parametrize(
    ("job", "says"),
    [
        ((None, 1, "V100"), r'model of job "j0", names no model; name its column'),
        (("visoin", 1, "V100"), r'"visoin", must be one of .*did you mean "vision"\?.*--model'),
        (("wide", 2, "V100"), r'job "j0" = 2, wide was not measured .* nor on one GPU \(at 4\)'),
        (("large", 1, "K80"), r"ran on K80, where the throughput table says that large cannot run"),
        (("text", 1, "T4"), r'has speeds on V100, K80, and job "j0" ran on T4'),
    ],
    ids=["no model", "unknown", "gang", "zero", "type"],
)
def test_what_the_table_does_not_know_is_named(job: tuple[str, int, str], says: str) -> None:
    with pytest.raises(InstanceError, match=says):
        by_table(log(job, cluster="V100=4,K80=4,T4=4"), SPEEDS)


def test_a_model_that_is_assumed_must_be_one_of_the_table() -> None:
    with pytest.raises(InstanceError, match=r'model = "txt", must be one of .*did you mean "text"'):
        by_table(log((None, 1, "V100")), SPEEDS, model="txt")
    with pytest.raises(InstanceError, match="no measured model that runs on K80"):
        only = ThroughputTable(
            [("large", 1, "V100", Fraction(5)), ("large", 1, "K80", Fraction(0))]
        )
        by_table(log((None, 1, "K80")), only, model="drawn")


def test_both_need_the_types_of_the_jobs() -> None:
    job = TraceJob("a", Fraction(0), 1, Fraction(5), attempts=((Fraction(0), Fraction(5)),))
    untyped = make_log(Trace("columns", "a", (job,), {}, 1), Cluster.parse("V100=1,K80=1"))
    for assume in (lambda: by_factors(untyped, {"V100": 1}), lambda: by_table(untyped, SPEEDS)):
        with pytest.raises(InstanceError, match="one GPU type for every job"):
            assume()


def test_factors_are_ratios_of_types() -> None:
    found = by_factors(log((None, 1, "K80"), (None, 1, "V100")), {"V100": 3, "K80": "3/2"})
    assert [dict(own) for own in found.ratios] == [
        {"V100": 2, "K80": 1},
        {"V100": 1, "K80": Fraction(1, 2)},
    ]
    assert found.text == "relative speeds V100 3, K80 1.5"
