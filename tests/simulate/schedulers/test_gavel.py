from tests.simulate.small import finish, job, rounds_of, run

EQUAL = "gavel:max_min_fairness_perf"


def who(found):
    return [set(held) for _, held in sorted(rounds_of(found).items())]


def test_two_equal_jobs_take_turns():
    """Shares of 1/2 each: priorities 1, 1, then 1/2 over 150/200 against 1/2 over 50/200, ..."""
    found = run("fast=1", EQUAL, job("a", 0, 1, 200), job("b", 0, 1, 200))
    assert who(found) == [{"a"}, {"b"}, {"a"}, {"b"}]
    assert finish(found) == {"a": 300, "b": 400}


def test_the_larger_share_runs_more_often():
    """Sum of throughputs: the fast job has the whole share, the other one fills what is left."""
    found = run(
        "fast=1",
        "gavel:max_sum_throughput_perf",
        job("slow", 0, 1, 50, throughput={"fast": "0.5"}),
        job("quick", 0, 1, 200),
    )
    assert who(found) == [{"quick"}, {"quick"}, {"slow"}]
    assert finish(found) == {"quick": 200, "slow": 300}


def test_a_new_job_gets_shares_at_once():
    """Job b arrives long before the next reallocation would be due, on an idle GPU."""
    found = run("fast=2x1", EQUAL, job("a", 0, 1, 500), job("b", 50, 1, 100))
    assert finish(found) == {"a": 500, "b": 200}


def test_a_job_that_waits_is_not_jumped_over():
    found = run("fast=1", EQUAL, job("a", 0, 1, 100), job("b", 50, 1, 100), job("c", 9000, 1, 100))
    assert finish(found) == {"a": 100, "b": 200, "c": 9100}


def test_a_gang_with_few_steps_left_completes():
    found = run("fast=1x4", EQUAL, job("a", 0, 4, 101))
    assert finish(found) == {"a": 101}


def test_fifo_leaves_gpus_idle_rather_than_overtake():
    found = run(
        "fast=1x2", "gavel:fifo_perf", job("a", 0, 1, 100), job("b", 0, 2, 100), job("c", 0, 1, 100)
    )
    assert who(found) == [{"a"}, {"b"}, {"c"}]


def test_leftovers_go_to_jobs_without_a_share():
    found = run(
        "fast=1,slow=1",
        "gavel:max_sum_throughput_perf",
        job("a", 0, 1, 100),
        job("b", 0, 1, 100),
        job("c", 0, 1, 100),
    )
    assert all(len(running) == 2 for running in who(found)[:1])
    assert len(found.finish) == 3
