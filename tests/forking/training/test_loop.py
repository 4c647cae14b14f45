from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt.errors import TrackerError, TrainingStoppedError
from hadaropt.forking.training.checkpoint import load_checkpoint
from hadaropt.forking.training.engines.engine import Lost, SimulatedNodes
from hadaropt.forking.training.loop import Training
from hadaropt.forking.training.options import Options, TrainingJob
from hadaropt.forking.training.proportional import proportional

from .toy import Misbehaving, Slope

SPEEDS = {"n0": 100, "n1": 50, "n2": 10}


def by_period(steps):
    return lambda views: proportional(views, round_steps=steps)


def trained(jobs=None, speeds=SPEEDS, **options):
    training = Training(jobs or [TrainingJob(Slope(), 500)], SimulatedNodes(speeds), **options)
    training.run()
    return training


def test_training_makes_exactly_its_steps_and_learns():
    training = trained(plan=by_period(160))
    assert training.tracker.done("slope") == 500
    assert [p.steps for p in training.curve] == [0, 160, 320, 480, 500]
    assert sum(record.steps for record in training.copies) == 500
    assert training.curve[-1].score > -0.05 > training.curve[0].score
    first = {r.node: r.steps for r in training.copies if r.round == 0}
    assert first == {"n0": 100, "n1": 50, "n2": 10}


def test_one_node_gives_what_plain_training_gives():
    training = trained(speeds={"n0": 1}, plan=by_period(500))
    assert training.states["slope"]["optimiser"]["t"] == 500
    assert len(training.copies) == 1


def test_the_result_does_not_depend_on_the_order_of_reports():
    class Backwards(SimulatedNodes):
        def finished(self, timeout):
            return super().finished(timeout)[::-1]

    found = []
    for engine in (SimulatedNodes(SPEEDS), Backwards(SPEEDS)):
        training = Training([TrainingJob(Slope(), 300)], engine, plan=by_period(100))
        training.run()
        found.append(training.states["slope"]["parameters"]["w"][0])
    assert found[0] == found[1]


def test_jobs_share_the_nodes_by_what_is_left():
    jobs = [TrainingJob(Slope("big"), 900), TrainingJob(Slope("small"), 60)]
    training = trained(jobs)
    assert (training.tracker.done("big"), training.tracker.done("small")) == (900, 60)
    nodes = {r.job: {c.node for c in training.copies if c.job == r.job} for r in training.copies}
    assert nodes["small"] == {"n1"}
    assert nodes["big"] == {"n0", "n2"}


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_whatever_happens_to_copies_the_count_is_exact(data):
    engine = Misbehaving(SPEEDS, lambda n: data.draw(st.integers(0, n - 1)))
    told = []
    jobs = [TrainingJob(Slope("a"), 90), TrainingJob(Slope("b"), 41)]
    training = Training(
        jobs, engine, plan=by_period(30), options=Options(lease_seconds=5.0), observe=told.append
    )
    try:
        training.run()
    except TrainingStoppedError as stop:
        assert "failed in 3 rounds" in str(stop)
        assert not training.tracker.finished()
    for job in jobs:
        name = job.task.name
        own = [record for record in training.copies if record.job == name]
        assert sum(record.steps for record in own) == training.tracker.done(name) <= job.steps
        assert len({(record.round, record.node) for record in own}) == len(own)
        assert np.isfinite(training.states[name]["parameters"]["w"]).all()
        ended = {(e.round, e.node) for e in told if e.job == name and e.kind == "ended"}
        assert {(record.round, record.node) for record in own} <= ended


def test_a_checkpoint_goes_on_and_keeps_the_curve(tmp_path):
    class DiesInRound2(SimulatedNodes):
        def start(self, ticket, order):
            if ticket.round == 2:
                raise KeyboardInterrupt
            super().start(ticket, order)

    job = TrainingJob(Slope(), 500)
    training = Training(
        [job], DiesInRound2(SPEEDS), plan=by_period(100), folder=tmp_path, settings={"x": [1]}
    )
    with pytest.raises(KeyboardInterrupt):
        training.run()
    checkpoint = load_checkpoint(tmp_path)
    assert (checkpoint.tracker.done("slope"), checkpoint.tracker.session) == (200, 1)
    assert checkpoint.settings == {"x": [1]}
    again = Training(
        [job], SimulatedNodes(SPEEDS), plan=by_period(100), folder=tmp_path, checkpoint=checkpoint
    )
    again.run()
    assert again.tracker.done("slope") == sum(r.steps for r in again.copies) == 500
    assert [p.steps for p in again.curve] == [0, 100, 200, 300, 400, 500]
    assert load_checkpoint(tmp_path).tracker.finished()


def test_a_finished_checkpoint_has_nothing_to_do(tmp_path):
    job = TrainingJob(Slope(), 50)
    trained([job], folder=tmp_path)
    again = Training([job], SimulatedNodes(SPEEDS), checkpoint=load_checkpoint(tmp_path))
    again.run()
    assert len(again.curve) == 2


def test_all_nodes_gone_says_where_to_go_on(tmp_path):
    class Leaves(SimulatedNodes):
        def finished(self, timeout):
            ended = super().finished(timeout)
            if any(ticket.round == 1 for ticket, _ in ended):
                self.speeds = {}
                return []
            return ended

    training = Training(
        [TrainingJob(Slope(), 500)],
        Leaves(SPEEDS),
        plan=by_period(100),
        folder=tmp_path,
        options=Options(patience=0.2),
    )
    with pytest.raises(TrainingStoppedError) as stop:
        training.run()
    assert "no worker is left (waited 0.2 s)" in str(stop.value)
    assert "slope 100 of 500" in str(stop.value)
    assert "--resume" in str(stop.value)
    assert load_checkpoint(tmp_path).tracker.done("slope") == 100


def test_a_job_whose_copies_all_fail_stops_with_the_reason(tmp_path):
    job = TrainingJob(Slope(fails_at=-9.0), 50)
    training = Training([job], SimulatedNodes({"n0": 1}), folder=tmp_path)
    with pytest.raises(TrainingStoppedError) as stop:
        training.run()
    assert "every copy of slope failed in 3 rounds" in str(stop.value)
    assert "loss = nan, must be finite" in str(stop.value)
    assert load_checkpoint(tmp_path).tracker.done("slope") == 0


def test_copies_lost_with_their_nodes_are_no_failures_of_the_job():
    class LosesTheFirst(SimulatedNodes):
        def finished(self, timeout):
            ended = super().finished(timeout)
            return [(t, Lost("gone", True) if t.round < 5 else outcome) for t, outcome in ended]

    training = Training([TrainingJob(Slope(), 50)], LosesTheFirst(SPEEDS))
    training.run()
    assert training.tracker.done("slope") == 50


def test_parameters_of_another_shape_are_refused_and_the_steps_made_again():
    class OddShape(SimulatedNodes):
        def finished(self, timeout):
            odd = {"parameters": {"w": np.zeros(2)}, "optimiser": {"t": 1}}
            return [
                (t, o._replace(state=odd) if t.round == 0 and t.node == "n1" else o)
                for t, o in super().finished(timeout)
            ]

    told = []
    training = Training([TrainingJob(Slope(), 320)], OddShape(SPEEDS), observe=told.append)
    training.run()
    (refused,) = [event for event in told if event.kind == "refused"]
    assert refused.node == "n1"
    assert 'copies["n1"].parameters.w = (2,), must have shape (1,)' in refused.text
    assert training.tracker.done("slope") == 320
    assert {r.node for r in training.copies if r.round == 0} == {"n0", "n2"}


def test_a_copy_that_says_nothing_is_given_up():
    class Silent(SimulatedNodes):
        def finished(self, timeout):
            ended = super().finished(timeout)
            return [(t, o) for t, o in ended if (t.round, t.node) != (0, "n2")]

    told = []
    options = Options(lease_seconds=0.1)
    jobs = [TrainingJob(Slope(), 160)]
    training = Training(jobs, Silent(SPEEDS), options=options, observe=told.append)
    training.run()
    assert [e.text for e in told if e.kind == "lost"] == ["said nothing for 0.1 s"]
    assert training.tracker.done("slope") == 160


def test_a_tenfold_wrong_hint_is_recovered_from():
    class Lies(SimulatedNodes):
        def nodes(self):
            offers = super().nodes()
            offers["n2"]["SPEED"] *= 10
            return offers

    engine = Lies({"n0": 100, "n2": 10})
    training = Training([TrainingJob(Slope(), 2000)], engine, plan=by_period(220))
    training.run()
    shares = [{r.node: r.steps for r in training.copies if r.round == k} for k in range(3)]
    assert shares[0] == {"n0": 110, "n2": 110}
    assert shares[1] == shares[2] == {"n0": 200, "n2": 20}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_copies": 4}, r'jobs\["slope"\].max_copies = 4, must be between 1 and 3, the nodes'),
        ({"max_copies": 0}, r'jobs\["slope"\].max_copies = 0, must be between 1 and 3'),
        ({"requires": {"GPU": 1}}, r"must be offered by a node \(there are: n0, n1, n2\)"),
        ({"steps": 0}, r'jobs\["slope"\].steps = 0, must be >= 1'),
    ],
)
def test_jobs_that_cannot_be_trained(change, message):
    with pytest.raises(TrackerError, match=message):
        trained([TrainingJob(**{"task": Slope(), "steps": 10} | change)])


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"x": {"n0": 1}}, r'plan\["x"\], must be a job that waits'),
        ({"slope": {}}, r'plan\["slope"\].copies = 0, must be between 1 and 2'),
        ({"slope": {"n0": 1, "n1": 1, "n2": 1}}, r"copies = 3, must be between 1 and 2"),
        ({"slope": {"n9": 1}}, r'plan\["slope"\]\["n9"\], must be a node that can run it'),
        ({"slope": {"n0": 1}, "other": {"n0": 1}}, r'\["n0"\], has a copy of slope already'),
        ({"slope": {"n0": 99}}, r'jobs\["slope"\].steps = 99, must be <= 10'),
    ],
)
def test_plans_that_cannot_be_done(plan, message):
    jobs = [TrainingJob(Slope(), 10, max_copies=2), TrainingJob(Slope("other"), 10)]
    with pytest.raises(TrackerError, match=message):
        trained(jobs, plan=lambda views: plan)


def test_jobs_of_one_name_and_other_checkpoints_are_refused(tmp_path):
    with pytest.raises(TrackerError, match="must have different names"):
        trained([TrainingJob(Slope(), 10), TrainingJob(Slope(), 20)])
    trained([TrainingJob(Slope(), 10)], folder=tmp_path)
    for job, message in [
        (TrainingJob(Slope(), 11), r"steps = 11, must be 10 as in the checkpoint"),
        (TrainingJob(Slope("x"), 10), "must be those of the checkpoint"),
    ]:
        with pytest.raises(TrackerError, match=message):
            Training([job], SimulatedNodes(SPEEDS), checkpoint=load_checkpoint(tmp_path))
