from tests.simulate.small import finish, job, rounds_of, run


def test_first_come_first_served_without_preemption():
    """b (2 GPUs) waits for a and holds up c, although a GPU is free for c."""
    found = run("fast=1x2", "yarn", job("a", 0, 1, 150), job("b", 10, 2, 50), job("c", 20, 1, 50))
    assert finish(found) == {"a": 150, "b": 250, "c": 350}


def test_speeds_are_not_looked_at():
    """The first type with room in the cluster's order, here the slow one."""
    found = run("slow=1,fast=1", "yarn", job("a", 0, 1, 60), job("b", 0, 1, 60))
    assert rounds_of(found)[0] == {"a": {"slow": 1}, "b": {"fast": 1}}
    assert finish(found) == {"a": 120, "b": 60}
    # It stays on the slow one, although the fast one is free in round 1.
    assert rounds_of(found)[1] == {"a": {"slow": 1}}


def test_a_type_on_which_a_job_cannot_run_is_passed_over():
    only = {"fast": 1}
    found = run("slow=1,fast=1", "yarn", job("a", 0, 1, 60, throughput=only))
    assert rounds_of(found) == {0: {"a": {"fast": 1}}}


def test_a_gang_is_kept_together_where_one_node_can_take_it():
    found = run("fast=2x2", "yarn", job("a", 0, 1, 100), job("b", 0, 2, 100))
    places = {use.job: {h for h, _, _ in use.placement} for use in found.uses}
    assert places[1].isdisjoint(places[0])
    assert len(places[1]) == 1
