"""Calls that do not fit say which parameter was probably meant; errors from within stay."""

import inspect
import pickle
from dataclasses import dataclass, replace

import pytest

import hadaropt
from hadaropt.keywords import known_fields, known_keywords
from hadaropt.offline.params import SolveParams
from hadaropt.utility import Linear, Sigmoid
from tests.cli.conftest import make_instance


@known_keywords
def wait(job, *, seconds=1, until=None):
    """Wait."""
    if seconds == "within":
        return len(3)
    return job, seconds, until


@known_fields
@dataclass(frozen=True)
class Point:
    across: int
    down: int = 0

    def __post_init__(self):
        if self.across == "within":
            raise TypeError("within")


def test_calls_that_fit_are_as_before():
    assert wait("a", until=3) == ("a", 1, 3)
    assert Point(1, down=2) == Point(1, 2) != Point(1)
    assert pickle.loads(pickle.dumps(Point(1))) == Point(1)
    assert wait.__doc__ == "Wait." and list(inspect.signature(Point).parameters) == [
        "across",
        "down",
    ]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: wait("a", second=3), 'wait\\(\\) has no parameter second; did you mean "seconds"'),
        (lambda: wait("a", zzzzz=3), r"no parameter zzzzz \(it has job, seconds, until\)"),
        (
            lambda: wait("a", 3),
            r"too many positional arguments; its parameters are job, \[seconds=",
        ),
        (lambda: wait(), r"wait\(\): missing a required argument: 'job'"),
        (lambda: Point(1, dwn=3), r'Point\(\) has no parameter dwn; did you mean "down"'),
        (
            lambda: replace(Point(1), acros=3),
            r'Point\(\) has no parameter acros; did you mean "acr',
        ),
        (lambda: wait("a", seconds="within"), r"has no len\(\)"),
        (lambda: Point("within"), "^within$"),
    ],
)
def test_calls_that_do_not_fit_are_explained(call, said):
    with pytest.raises(TypeError, match=said):
        call()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda own: hadaropt.solve(own, time_limt=3), 'did you mean "time_limit"'),
        (lambda own: hadaropt.run_rounds(own, schedular="yarn"), 'did you mean "scheduler"'),
        (lambda own: hadaropt.Job("a", 0, gang=1), 'Job.. has no parameter gang; .*"gang_size"'),
        (lambda own: replace(own, rounds=3), 'did you mean "num_rounds"'),
        (lambda own: SolveParams(tiny_job=3), 'did you mean "tiny_jobs"'),
        (lambda own: Linear(peek=3, decay=1), 'Linear.. has no parameter peek; .*"peak"'),
        (lambda own: Sigmoid(1, 2, 3), "its parameters are peak=, steepness=, deadline="),
    ],
)
def test_the_public_face_names_the_nearest(call, said):
    with pytest.raises(TypeError, match=said):
        call(make_instance())
