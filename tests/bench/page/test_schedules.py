"""Schedules as figures."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from hadaropt import Allocation, Cluster, Instance, Job, Schedule
from hadaropt.bench.page.html import Section, page
from hadaropt.bench.page.schedules import schedule_figure
from hadaropt.utility import Linear
from tests.bench.page.reader import Reader
from tests.bench.page.samples import EVIL

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
pytest.importorskip("polars", reason="the extra 'bench' is not installed")


def test_hostile_job_and_node_names_are_text_in_the_schedule():
    cluster = Cluster.of({EVIL: {"<b>": 1}})
    instance = Instance(cluster, (Job(EVIL, 0, 1, 1, {"<b>": 1}, Linear(5, 1)),), 2, 1)
    schedule = Schedule(((Allocation(0, ((0, 0, 1),)),),))
    figure = schedule_figure(instance, schedule, "schedule", EVIL)
    found = page(EVIL, EVIL, [Section("x", EVIL, [figure])])
    assert "<script" not in found
    picture = Reader(found).content(Reader(found).all("img")[0]["src"]).decode()
    assert "<script" not in picture and "&lt;script&gt;" in picture
    ElementTree.fromstring(picture)
