from fractions import Fraction

import pytest

from hadaropt import Cluster, audit
from hadaropt.auditing.capacity import Capacity
from hadaropt.auditing.fit import as_used, misfits
from hadaropt.auditing.log import make_log
from hadaropt.auditing.sentences import assumptions, headline
from hadaropt.errors import InstanceError
from hadaropt.traces import Trace, TraceJob
from tests.auditing.logs import trace as trace_of


def ran(name, submit, *attempts, gpus=1, nodes=()):
    runs = tuple((Fraction(start), Fraction(end)) for start, end in attempts)
    took = sum(end - start for start, end in runs)
    return TraceJob(name, Fraction(submit), gpus, took, gpu_type="V100", attempts=runs, nodes=nodes)


def trace(*jobs):
    return Trace("normalised", "ours", jobs, {}, len(jobs))


JOBS = (ran("a", 0, (0, 100), gpus=2), ran("b", 0, (50, 150), gpus=2), ran("c", 0, (150, 250)))


def test_a_record_that_does_not_fit_gets_the_capacity_that_it_used():
    log = make_log(trace(*JOBS), Cluster.parse("V100=3"))
    assert [(m.place, m.held, m.ticks) for m in misfits(log)] == [("V100", 4, 50)]
    mended = as_used(log)
    assert misfits(mended) == [] and mended.pools == {"V100": 3}
    assert mended.over_time["V100"] == Capacity((0, 50, 100), (3, 4, 3))
    assert mended.enlarged == {"V100": 1} and mended.cluster is None


def test_a_record_that_fits_stays():
    log = make_log(trace(*JOBS), Cluster.parse("V100=4"))
    assert as_used(log) is log


def test_nodes_alone_may_not_fit():
    wide = ran("a", 0, (0, 10), gpus=2, nodes=(("V100-0", 2),))
    cluster = Cluster.of({"V100-0": {"V100": 1}, "V100-1": {"V100": 1}})
    log = make_log(trace(wide), cluster)
    assert [m.place for m in misfits(log)] == ["V100-0"]
    mended = as_used(log)
    assert misfits(mended) == [] and mended.pools == {"V100": 2} and mended.enlarged == {"V100": 0}


@pytest.mark.parametrize("used", [False, True])
def test_the_answer_says_on_which_cluster_it_holds(used):
    found = audit(trace(*JOBS), "V100=3", used=used)
    if not used:
        assert found.avoidable is None and "does not fit" in headline(found)
        return
    assert found.avoidable is not None
    assert "this cluster, with more GPUs while more were held" in headline(found)
    assert any("(up to 1 V100 more, for 50.00 s)" in line for line in assumptions(found))


@pytest.mark.parametrize("change", ["drop=V100:1x1", "load=2", "gangs=1"])
def test_what_was_held_says_nothing_of_less_or_of_another_load(change):
    with pytest.raises(InstanceError, match="only add= is answered"):
        audit(trace(*JOBS), "V100=3", used=True, changes=[change])


def test_one_more_gpu_beside_what_was_held():
    changes = ["add=V100:1x1", "add=V100:1x2"]
    one, two = audit(trace(*JOBS), "V100=3", used=True, changes=changes).changes
    assert 300 < one.floor <= one.total == 350  # five at last when one of the gangs has begun
    assert two.floor == two.total == 300


def test_a_schedule_that_does_not_fit_gets_no_share() -> None:
    found = audit(trace_of([(0, [(5, 10)], 1), (0, [(7, 20)], 1)]), "GPU=1")
    assert found.avoidable is None
    (own,) = found.misfits
    assert (own.place, own.gpus, own.held, own.first, own.ticks) == ("GPU", 1, 2, 7, 3)
    assert "does not fit the cluster" in headline(found)
    assert "up to 2 are held at once" in headline(found)


def test_a_node_that_holds_more_than_it_has_is_named() -> None:
    jobs = trace_of([(0, [(0, 5)], 2), (0, [(2, 5)], 1)], nodes=(("a", 2),))
    cluster = Cluster.of({"a": {"GPU": 2}, "b": {"GPU": 2}})
    assert [own.place for own in misfits(make_log(jobs, cluster))] == ["a"]
