import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import LimitError
from hadaropt.kernels.rounds.beam import beam_round
from hadaropt.simulate.problem import RoundProblem
from hadaropt.simulate.schedulers import hadar
from hadaropt.simulate.schedulers.hadar import Hadar
from hadaropt.simulate.view import QueuedJob, RoundView
from hadaropt.testing import instances
from models import round_ilp
from models.files import solve
from tests.simulate.small import finish, job, rounds_of, run

BOTH = pytest.mark.parametrize("name", ["hadar", "hadar:exact"])


@BOTH
def test_a_gang_mixes_types_where_no_type_has_room(name):
    found = run("fast=1,slow=1", name, job("a", 0, 2, 60))
    assert rounds_of(found)[0] == {"a": {"fast": 1, "slow": 1}}
    assert finish(found) == {"a": 120}


@BOTH
def test_no_gang_mixes_types_under_single_type(name):
    found = run("fast=1,slow=2", name, job("a", 0, 2, 60), mixing=False)
    assert rounds_of(found)[0] == {"a": {"slow": 2}}


STEEP = {"fast": 1, "slow": "0.1"}


def test_the_exact_round_gives_the_fast_type_to_who_gains_more():
    """b is ten times slower on the slow type, a only twice; when b is done, a moves."""
    jobs = job("a", 0, 1, 200), job("b", 0, 1, 100, throughput=STEEP)
    found = run("fast=1,slow=1", "hadar:exact", *jobs)
    assert rounds_of(found)[0] == {"a": {"slow": 1}, "b": {"fast": 1}}
    assert rounds_of(found)[1] == {"a": {"fast": 1}}
    assert finish(found) == {"a": 250, "b": 100}


def test_at_prices_the_first_in_the_queue_takes_its_best_offer():
    """Take or skip only: a, offered first at the starting price, takes the fast type."""
    jobs = job("a", 0, 1, 200), job("b", 0, 1, 100, throughput=STEEP)
    found = run("fast=1,slow=1", "hadar", *jobs)
    assert rounds_of(found)[0]["a"] == {"fast": 1}
    # b does 10 iterations a round beside it, and the fast type is its own after round 1.
    assert finish(found) == {"a": 200, "b": 280}


@BOTH
@pytest.mark.parametrize(
    ("objective", "first"),
    [("effective_throughput", "many"), ("slowdown", "long"), ("jct", "short")],
)
def test_the_objective_decides_who_is_first(name, objective, first):
    """In rounds of 100 s: many needs 2 rounds, long 4, short 1.

    Q / (d tau): 2000/200, 350/400, 60/100. Over the fastest speed, 200/200, 350/400, 60/100 - but
    long has a weight of 2. 1 / d: 1/2, 2/4, 1.
    """
    jobs = (
        job("many", 0, 1, 2000, throughput={"fast": 10}),
        job("long", 0, 1, 350, weight=2 if objective == "slowdown" else 1),
        job("short", 0, 1, 60),
    )
    found = run("fast=1", name, *jobs, objective=objective)
    assert set(rounds_of(found)[0]) == {first}


@BOTH
def test_nobody_starves(name):
    """A wide job beside a stream of narrow ones completes before the stream is long over."""
    stream = [job(f"n{i}", 50 * i, 1, 100) for i in range(40)]
    found = run("fast=1x2", name, job("wide", 0, 2, 400), *stream)
    assert len(found.finish) == 41
    assert finish(found)["wide"] <= 4000


def test_strict_prices_leave_a_gpu_idle_that_backfilling_gives_away():
    jobs = [job("rich", 0, 1, 1000), job("poor", 0, 1, 10)]
    strict = rounds_of(run("fast=1x2", "hadar:strict", *jobs))
    filled = rounds_of(run("fast=1x2", "hadar", *jobs))
    assert set(filled[0]) == {"rich", "poor"}
    assert set(strict[0]) <= set(filled[0])


def test_a_cluster_with_too_many_states_is_searched_with_a_beam(monkeypatch):
    jobs = [job(f"j{i}", 0, 1 + i % 2, 100 * (1 + i % 3)) for i in range(12)]
    whole = run("fast=1x3,slow=1x4", "hadar", *jobs)
    monkeypatch.setattr(hadar, "MOST_CELLS", 0)
    beam = run("fast=1x3,slow=1x4", "hadar", *jobs)
    assert len(beam.finish) == len(whole.finish) == 12
    assert sum(beam.jct.values()) <= sum(whole.jct.values()) * Fraction(11, 10)
    huge = run("fast=1x90000,slow=1x90000", "hadar", *jobs)
    assert max(finish(huge).values()) == 300


@settings(deadline=None, max_examples=25)
@given(instances(parallelism="mixed"), st.booleans())
def test_the_exact_round_equals_the_model(drawn, mixing):
    """Where no gang runs slower over nodes, the plan of round 0 is worth the optimum."""
    jobs = tuple(replace(own, spread_factor=Fraction(1)) for own in drawn.jobs)
    instance = replace(drawn, jobs=jobs, parallelism="mixed" if mixing else "single_type")
    problem = RoundProblem.of_instance(instance)
    queue = tuple(
        QueuedJob(j, own, own.iterations, own.arrival)
        for j, own in enumerate(problem.jobs)
        if own.release == 0 and problem.unschedulable(j) is None
    )
    plan = Hadar("exact", backfill=False).plan(RoundView(0, problem, queue)) if queue else {}
    value = Fraction(0)
    for j, placement in plan.items():
        steps = int(problem.speed(j, placement) * problem.round_seconds)
        value += problem.jobs[j].value(-(-problem.jobs[j].iterations // steps) - 1)
    best = solve(round_ilp.build(instance).problem)
    assert float(value) == pytest.approx(best, rel=1e-6, abs=1e-9)


def test_under_makespan_the_longest_remaining_time_goes_first():
    """Rounds of 100 s on one GPU: 3 and 2 rounds to go, then 2 and 2, the first in the queue."""
    for name in ("hadar:makespan", "hadar:exact:makespan"):
        found = run("fast=1", name, job("short", 0, 1, 200), job("long", 0, 1, 300))
        who = [set(held) for _, held in sorted(rounds_of(found).items())]
        assert who[0] == {"long"}, name
        assert max(finish(found).values()) == 500, name


def test_makespan_runs_the_long_job_beside_the_short_ones():
    """Two GPUs: three jobs of one round before one of three end it in round 4, not in round 3."""
    jobs = [job(f"s{i}", 0, 1, 100) for i in range(3)] + [job("long", 0, 1, 300)]
    found = run("fast=2x1", "hadar:exact:makespan", *jobs)
    assert max(finish(found).values()) == 300
    other = run("fast=2x1", "hadar:exact", *jobs, objective="jct")
    assert max(finish(other).values()) == 400


def test_finish_time_fairness_runs_who_is_late_against_its_own_share():
    """In round 10 both need one round; the old one has waited for nine of them."""
    jobs = job("first", 0, 1, 1000), job("old", 100, 1, 100), job("new", 1000, 1, 100)
    for name in ("hadar:finish_time_fairness", "hadar:exact:finish_time_fairness"):
        found = run("fast=1", name, *jobs)
        assert finish(found)["old"] < finish(found)["new"], name
        # The ratio of a short job grows fast while it waits behind a long one.
        assert finish(found)["old"] <= 400, name


@pytest.mark.parametrize("aim", ["makespan", "finish_time_fairness"])
def test_an_aim_is_part_of_the_name(aim):
    assert Hadar(aim=aim).name == f"hadar:{aim}"
    assert Hadar("exact", aim=aim, backfill=False).name == f"hadar:exact:{aim}:strict"


def test_progress_beyond_64_bits_is_a_limit_that_names_the_job():
    huge = job("a", 0, 1, 2**62, throughput={"fast": 10**18})
    with pytest.raises(LimitError, match=r"jobs\[0\] makes \d+ iterations in a round"):
        run("fast=2", "hadar", huge)


def test_the_forking_schedulers_take_very_many_iterations():
    many = job("a", 0, 1, 10**15, throughput={"fast": 10**12})
    assert finish(run("fast=2", "hadare", many)) == {"a": 1000}


def test_prices_end_where_no_gang_reaches_and_the_beam_decides_the_same():
    """On a large cluster the table holds what all gangs could use, not all GPUs."""
    draw = np.random.default_rng(3)
    view = SimpleNamespace(problem=SimpleNamespace(mixing=True))
    for _ in range(20):
        jobs = int(draw.integers(2, 9))
        gang = draw.integers(1, 7, jobs)
        gain = draw.integers(1, 9, (jobs, 2))
        worth = gain * gang[:, None] * draw.integers(1, 50, (jobs, 1))
        capacity = np.array([4000, int(draw.integers(3, 12))], np.int64)
        seen = []

        def beam(*given, seen=seen):
            seen.append(given)
            return beam_round(*given)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hadar, "beam_round", beam)
            taken = hadar._priced(view, capacity, gang, worth, gain, beam=True)
        price = seen[0][4]
        assert price.shape[1] <= gang.sum() + 1 < capacity.max()
        low = max(1, int(worth.max(axis=1).min()) // (4 * int(capacity.sum())))
        whole = np.zeros((2, int(capacity.max()) + 1), np.int64)
        for r, count in enumerate(capacity.tolist()):
            steep = math.log(max(1.0, int((-(-worth[:, r] // gang)).max()) / low))
            used = range(count + 1)
            whole[r, : count + 1] = [math.ceil(low * math.exp(steep * g / count)) for g in used]
        assert (price == whole[:, : price.shape[1]]).all()
        again = beam_round(*seen[0][:4], whole, *seen[0][5:])[0]
        assert (taken == again).all()
