import pytest

from hadaropt.auditing.floor import floors, replays
from hadaropt.auditing.log import make_log
from hadaropt.auditing.whatif import parse_change, what_if
from hadaropt.errors import InstanceError
from hadaropt.instance import Cluster
from hadaropt.traces import Trace
from tests.auditing.test_fit import ran


def answer(text, *jobs, cluster="V100=4"):
    log = make_log(Trace("normalised", "ours", jobs, {}, len(jobs)), Cluster.parse(cluster))
    asked = [(job.pool, (job.submit, job.service, job.gang)) for job in log.jobs]
    before = floors(asked, log.pools, log.ticks, replays(asked, log.pools))
    return what_if(log, asked, parse_change(text, log.pools), before)


def test_narrower_gangs_hold_fewer_gpus_for_as_many_gpu_seconds():
    """Two gangs of 3 on four GPUs wait for each other; as gangs of 2 they run side by side."""
    jobs = [ran("a", 0, (0, 100), gpus=3), ran("b", 0, (100, 200), gpus=3)]
    found = answer("gangs=2", *jobs)
    assert found.service == 300  # each takes 150 s
    assert found.total == found.floor == 300
    assert answer("gangs=3", *jobs).total == 100 + 200
    odd = answer("gangs=2", ran("a", 0, (0, 5), gpus=3))
    assert odd.service == 8  # 7.5 ticks, rounded up


@pytest.mark.parametrize("text", ["gangs=0", "gangs=", "gangs=1/2", "gang=2"])
def test_a_gang_is_a_whole_number_of_gpus(text):
    with pytest.raises(InstanceError, match="what_if"):
        parse_change(text, {"V100": 4})
