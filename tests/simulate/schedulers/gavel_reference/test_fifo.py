"""FIFO of the reference, which solves no program."""

from benchmarks.paper.gavel_validation import differences, recorded_runs, replayed
from hadaropt.simulate.schedulers.gavel_reference.fifo import ReferenceFifo
from hadaropt.simulate.schedulers.gavel_reference.inputs import ReferenceJob
from hadaropt.simulate.schedulers.gavel_reference.mechanism import View


def test_fifo_needs_no_record(gavel_data):
    """It solves no program, so that its own decisions reproduce the runs exactly."""
    runs = [
        run
        for run in recorded_runs(gavel_data)
        if run["policy"] == "fifo" and (int(run["rounds"]) <= 250 or run["cluster"] == "8:16:24")
    ]
    assert len(runs) >= 10
    for run in runs:
        own = replayed(gavel_data, run, solved=True)
        assert list(differences(gavel_data, run, own)) == [], run["tag"]


def test_fifo_sends_no_job_where_it_cannot_run():
    """It loses its turn; as the successor of a completed job it keeps it."""

    def seen(*jobs):
        return View(0.0, {j: every[j] for j in jobs}, {j: 100 for j in jobs}, counts)

    def sent(shares):
        return {j: [kind for kind, x in own.items() if x] for j, own in shares.items()}

    counts = {"v100": 2, "k80": 2}
    both, fast = {"v100": 10.0, "k80": 2.0}, {"v100": 16.0, "k80": 0.0}
    every = {
        j: ReferenceJob(str(j), 0.0, gang, 100, 1.0, speeds)
        for j, (gang, speeds) in enumerate([(2, both), (2, fast), (1, both), (1, both)])
    }
    policy = ReferenceFifo(0)
    assert sent(policy(seen(0))) == {0: ["v100"]}
    assert sent(policy(seen(0, 1, 2))) == {0: ["v100"], 1: [], 2: ["k80"]}
    assert sent(policy(seen(0, 1, 3))) == {0: ["v100"], 1: [], 3: ["k80"]}
    assert sent(policy(seen(1, 3))) == {1: ["v100"], 3: ["k80"]}
