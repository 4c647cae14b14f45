from fractions import Fraction

from hadaropt.simulate.schedulers.tiresias import Tiresias
from tests.simulate.small import finish, job, rounds_of, run


def who(found):
    return {t: set(held) for t, held in rounds_of(found).items()}


def test_service_moves_a_job_down_and_a_new_one_preempts_it():
    """One GPU, threshold 150 GPU-seconds: a is moved down after two rounds, b runs to its end."""
    found = run(
        "fast=1",
        Tiresias(thresholds=(150,), promote=None),
        job("a", 0, 1, 350),
        job("b", 100, 1, 150),
    )
    assert who(found) == {0: {"a"}, 1: {"a"}, 2: {"b"}, 3: {"b"}, 4: {"a"}, 5: {"a"}}
    assert finish(found) == {"b": 350, "a": 550}


def test_service_counts_gpus():
    """The gang of two has 200 GPU-seconds after one round, the single job 100."""
    found = run(
        "fast=1x2",
        Tiresias(thresholds=(150,), promote=None),
        job("wide", 0, 2, 200),
        job("a", 50, 1, 100),
        job("b", 50, 1, 100),
    )
    assert who(found) == {0: {"wide"}, 1: {"a", "b"}, 2: {"wide"}}


def test_within_a_queue_the_first_come_keeps_its_gpus():
    found = run(
        "fast=1", Tiresias(thresholds=(), promote=None), job("a", 0, 1, 250), job("b", 0, 1, 50)
    )
    assert finish(found) == {"a": 250, "b": 350}


def test_a_starved_job_is_promoted():
    """a has run 100 s and waits; after more than 100 s of waiting it is first again."""
    jobs = (job("a", 0, 1, 300), *(job(f"b{i}", 100, 1, 100) for i in range(4)))
    starved = run("fast=1", Tiresias(thresholds=(100,), promote=None), *jobs)
    assert finish(starved)["b3"] == 500
    promoted = run("fast=1", Tiresias(thresholds=(100,), promote=1), *jobs)
    # Rounds: a, b0, b1, then a (200 s > 100 s), which is then moved down again.
    assert who(promoted)[3] == {"a"}
    assert finish(promoted)["b3"] == 600


def test_a_small_job_fills_what_a_wide_one_cannot_use():
    found = run(
        "fast=1x2", Tiresias(), job("a", 0, 1, 100), job("wide", 0, 2, 100), job("b", 0, 1, 100)
    )
    assert who(found)[0] == {"a", "b"}
    assert finish(found)["wide"] == Fraction(200)
