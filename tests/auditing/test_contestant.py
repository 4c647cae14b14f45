from fractions import Fraction

from hadaropt.auditing.contestant import recorded
from hadaropt.auditing.log import make_log
from hadaropt.instance import Cluster
from hadaropt.traces import TraceJob
from tests.auditing.test_fit import ran, trace

JOBS = (ran("long", 0, (0, 100)), ran("short", 0, (100, 110), (120, 130)))


def test_what_a_log_records_with_the_least_that_was_possible():
    """20 s first, then 100 s: a mean JCT of 70 s, and 115 s is recorded."""
    own = recorded(make_log(trace(*JOBS), Cluster.parse("V100=1")), {"long", "short"})
    assert own is not None
    assert (own.jobs, own.jct_s.mean, own.queueing_s.mean, own.restarts) == (2, 115, 50, 1)
    assert own.least_mean_jct_s == 70
    assert (own.ttd_s, own.gru) == (130, 120 / 130)


def test_only_the_jobs_named_are_measured():
    own = recorded(make_log(trace(*JOBS), Cluster.parse("V100=1")), {"short"})
    assert own is not None and own.jobs == 2
    assert own.jct_s.mean == 130 and own.least_mean_jct_s == 20


def test_nothing_without_starts_without_the_jobs_or_a_bound_without_fit():
    log = make_log(trace(*JOBS), Cluster.parse("V100=1"))
    assert recorded(log, {"nobody"}) is None
    plain = make_log(trace(TraceJob("a", Fraction(0), 1, Fraction(5))), Cluster.parse("V100=1"))
    assert recorded(plain, {"a"}) is None
    both = trace(ran("a", 0, (0, 10)), ran("b", 0, (5, 15)))
    own = recorded(make_log(both, Cluster.parse("V100=1")), {"a", "b"})
    assert own is not None and own.least_mean_jct_s is None
