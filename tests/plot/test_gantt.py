"""The picture of a schedule."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hadaropt import Allocation, Cluster, Instance, Job, Schedule, policies, run_online, testing
from hadaropt.errors import MissingExtraError, ScheduleError
from hadaropt.plot.gantt import COPIES, MIXED, PLAIN, Bar, gantt_bars, plot_gantt
from hadaropt.utility import Linear

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")

CLUSTER = Cluster.of({"n0": {"V100": 2}, "n1": {"V100": 1, "P100": 2}, "empty": {"P100": 0}})
JOBS = tuple(
    Job(name, 0, gang, work, {"V100": 2, "P100": 1}, Linear(50, 1))
    for name, gang, work in (("a", 1, 10), ("b", 3, 2), ("c", 2, 9), ("d", 1, 9))
)
INSTANCE = Instance(CLUSTER, JOBS, 5, 1, "forked")
SCHEDULE = Schedule(
    (
        (
            Allocation(0, ((0, 0, 1),)),
            Allocation(1, ((0, 0, 1),)),
            Allocation(2, ((0, 0, 1), (1, 0, 1)), copies=True),
            Allocation(4, ((0, 0, 1),)),
        ),
        (Allocation(0, ((0, 0, 1), (1, 1, 2))), Allocation(1, ((0, 0, 1), (1, 1, 2)))),
        (Allocation(4, ((1, 1, 2),)),),
        (),
    )
)


def test_bars_join_rounds_and_neighbouring_gpus() -> None:
    assert gantt_bars(CLUSTER, SCHEDULE) == [
        Bar(0, (0, 0), 0, 2, 0, 1, PLAIN),
        Bar(1, (0, 0), 0, 2, 1, 1, MIXED),
        Bar(0, (0, 0), 2, 1, 0, 1, COPIES),
        Bar(0, (0, 0), 4, 1, 0, 1, PLAIN),
        Bar(0, (1, 0), 2, 1, 0, 1, COPIES),
        Bar(1, (1, 1), 0, 2, 0, 2, MIXED),
        Bar(2, (1, 1), 4, 1, 0, 2, PLAIN),
    ]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_bars_cover_exactly_what_is_held(data: st.DataObject) -> None:
    instance = data.draw(testing.instances())
    schedule = run_online(instance, policies.Fifo()).schedule
    cells = [
        (bar.lane, t, gpu, bar.job, bar.kind == COPIES)
        for bar in gantt_bars(instance.cluster, schedule)
        for t in range(bar.first_round, bar.first_round + bar.rounds)
        for gpu in range(bar.first_gpu, bar.first_gpu + bar.gpus)
    ]
    held = {
        (j, allocation.round, (h, r), allocation.copies): count
        for j, part in enumerate(schedule.jobs)
        for allocation in part
        for h, r, count in allocation.gpus
    }
    drawn: dict[object, int] = {}
    for lane, t, gpu, job, copies in cells:
        assert 0 <= gpu < instance.cluster.capacity[lane[0]][lane[1]]
        drawn[job, t, lane, copies] = drawn.get((job, t, lane, copies), 0) + 1
    assert drawn == held
    assert len({cell[:3] for cell in cells}) == len(cells)


def test_lanes_bars_and_kinds_are_named() -> None:
    axes = plot_gantt(INSTANCE, SCHEDULE)
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["n0  V100", "n1  V100", "n1  P100"]
    assert axes.get_ylim() == (5, 0) and axes.get_xlim() == (0, 5)
    assert [patch.get_label() for patch in axes.patches] == [
        bar.kind for bar in gantt_bars(CLUSTER, SCHEDULE)
    ]
    names = [text.get_text() for text in axes.texts]
    assert names == ["a", "b", "a", "a", "a", "b", "c", "never run: d"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [PLAIN, MIXED, COPIES]
    assert axes.get_title() == "forked: 2 of 4 jobs complete, value 95"


def test_an_infeasible_schedule_is_not_drawn() -> None:
    twice = Schedule(((Allocation(0, ((1, 1, 3),)),), (), (), ()))
    with pytest.raises(ScheduleError, match="gang"):
        plot_gantt(INSTANCE, twice)


@pytest.mark.parametrize("jobs", [0, 4, 60])
def test_empty_and_crowded_schedules_are_drawn(jobs: int, tmp_path: object) -> None:
    many = tuple(Job(f"j{i}", 0, 1, 1, {"V100": 2}, Linear(50, 1)) for i in range(jobs))
    instance = Instance(CLUSTER, many, 40, 1)
    schedule = run_online(instance, policies.Fifo()).schedule
    axes = plot_gantt(instance, schedule)
    axes.figure.draw_without_rendering()
    assert len(axes.patches) == jobs


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hadaropt\[plot\]'"):
        plot_gantt(INSTANCE, SCHEDULE)


def test_importing_the_modules_loads_no_matplotlib() -> None:
    code = (
        "import sys, hadaropt.plot.gantt, hadaropt.plot.trajectories, hadaropt.cli.plot;"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_picture_of_many_gpus_fits_a_page():
    cluster = Cluster.of({f"n{h}": {"V100": 8} for h in range(40)})
    job = Job("a", 0, 1, 1, {"V100": 1}, Linear(5, 1))
    instance = Instance(cluster, (job,), 4)
    run = Schedule(((Allocation(0, ((0, 0, 1),)),),))
    axes = plot_gantt(instance, run)
    width, height = axes.figure.get_size_inches()
    assert height <= 1.4 * width
    assert all(text.get_text() != "a" for text in axes.texts)  # no room for the name in a bar
